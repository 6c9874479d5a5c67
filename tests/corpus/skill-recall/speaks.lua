local skills = {
    { name = "pdf-forms", description = "Fill and flatten PDF forms, extract form fields" },
    { name = "release-notes", description = "Write release notes from merged pull requests" },
    { name = "terraform-plan", description = "Review terraform plans for destructive changes" },
    { name = "slide-deck", description = "Make slide decks and presentations in pptx format" },
}

return {
    { label = "the request in the skill's words", says = "`pdf%-forms`", skills = skills,
        user = "Fill in this PDF form for me." },
    { label = "release notes", says = "`release%-notes`", skills = skills,
        user = "Draft the release notes for 2.1 from the merged pull requests." },
    { label = "a plan of terraform", says = "`terraform%-plan`", skills = skills,
        user = "Is this terraform plan destructive?" },
    { label = "another form of the words", says = "`slide%-deck`", skills = skills,
        user = "Turn this into a presentation with ten slides." },
    { label = "in the second message", says = "`pdf%-forms`", skills = skills,
        user = "Hello.", { text = "Hi." }, { user = "extract the fields of the pdf form" } },
    { label = "amid other words", says = "`release%-notes`", skills = skills,
        user = "We ship tomorrow. Please write the notes of the release, short ones?" },
}
