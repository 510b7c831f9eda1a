int list(int argc, char **argv) {
    /* expect argv->system */
    char command[256];
    snprintf(command, sizeof(command), "ls %s", argv[1]);
    char *name = argv[1];
    return system(name);
}

int list_fixed(void) {
    /* expect nothing */
    return system("ls");
}

void copy(char **argv) {
    /* expect argv->strcpy */
    char buffer[16];
    strcpy(buffer, argv[1]);
}

void copy_fixed(void) {
    /* expect nothing */
    char buffer[16];
    strcpy(buffer, "short");
}

void say(void) {
    /* expect input->printf */
    char line[64];
    fgets(line, sizeof(line), stdin);
    printf(line);
}

void say_plainly(void) {
    /* expect nothing */
    char line[64];
    fgets(line, sizeof(line), stdin);
    printf("%s", line);
}

void home(void) {
    /* expect getenv->strcpy */
    char path[32];
    char *home = getenv("HOME");
    strcat(path, home);
}

int count(char **argv) {
    /* expect nothing */
    int many = atoi(argv[1]);
    return system(many);
}
