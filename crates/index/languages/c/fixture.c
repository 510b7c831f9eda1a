#include <stdio.h>
#define SQUARE(x) ((x) * (x))

/* A place to leave a car. */
struct place {
    char *owner;
};

typedef struct place place_t;

enum state { FREE, TAKEN };

/* Reserves the place. */
static int place_reserve(struct place *place, const char *owner)
{
    place->owner = owner;
    return 0;
}

char *place_owner(struct place *place) {
    return place->owner;
}
