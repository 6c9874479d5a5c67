local skills = {
    { name = "pdf-forms", description = "Fill and flatten PDF forms, extract form fields" },
    { name = "release-notes", description = "Write release notes from merged pull requests" },
    { name = "terraform-plan", description = "Review terraform plans for destructive changes" },
}
local twins = {
    { name = "pdf-fill", description = "Fill PDF forms" },
    { name = "pdf-extract", description = "Extract fields from PDF forms" },
}

return {
    { label = "no skills", user = "Fill in this PDF form." },
    { label = "another subject", skills = skills, user = "Fix the date parser." },
    { label = "one word in common", skills = skills, user = "Fix the form on the login page." },
    { label = "the user names it", skills = skills, user = "/pdf-forms fill this pdf form" },
    { label = "the user speaks of it", skills = skills,
        user = "Use the pdf-forms skill to fill the pdf form." },
    { label = "two that fit alike", skills = twins,
        user = "Fill the pdf forms and extract them." },
    { label = "common words only", skills = skills,
        user = "Please write code and make it work." },
    { label = "a greeting", skills = skills, user = "hi" },
}
