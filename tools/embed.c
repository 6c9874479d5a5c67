// Build tool: writes the files named on the command line as constants of one C file, for
// core/script/embedded.h. Usage: embed OUTPUT FILE...
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
    perror(what);
    return EXIT_FAILURE;
}

static int embed(FILE *out, const char *path, int number) {
    FILE *in = fopen(path, "rb");
    if (!in) return fail(path);
    fprintf(out, "static const unsigned char file_%d[] = {", number);
    size_t count = 0;
    for (int byte; (byte = fgetc(in)) != EOF; count++) {
        fprintf(out, count % 20 ? "%d," : "\n%d,", byte);
    }
    fprintf(out, "0};\nenum { LEN_%d = %zu };\n", number, count);
    if (ferror(in)) return fail(path);
    fclose(in);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: embed OUTPUT FILE...\n", stderr);
        return EXIT_FAILURE;
    }
    FILE *out = fopen(argv[1], "wb");
    if (!out) return fail(argv[1]);
    fputs("// Made by tools/embed.c.\n#include \"script/embedded.h\"\n\n", out);
    for (int i = 2; i < argc; i++) {
        if (embed(out, argv[i], i) != EXIT_SUCCESS) return EXIT_FAILURE;
    }
    fputs("const peri_embedded peri_embedded_files[] = {\n", out);
    for (int i = 2; i < argc; i++) {
        fprintf(out, "    {\"%s\", {(const char *)file_%d, LEN_%d}},\n", argv[i], i, i);
    }
    fputs("    {0}};\n", out);
    return fclose(out) == 0 ? EXIT_SUCCESS : fail(argv[1]);
}
