#include <stdio.h>
#include "ledger/client.h"

struct book {
    int limit;
    struct row *rows;
};

__attribute__((audited)) static struct receipt target(int amount, struct row *rest, size_t count) {
    int copy = amount;
    long total = 0;
    for (size_t i = 0; i < count; i++) {
        if (rest == NULL) {
            continue;
        } else if (rest[i].closed) {
            break;
        }
        total += rest[i].balance;
    }
    while (total > limit) {
        total = total - 1;
    }
    book->state = total;
    rest[0] = copy;
    switch (total) {
        case 0: settle(ledger, total);
    }
    return receipt_of(total);
}

void decoy(int sum, struct row *other) {
    /* target settle amount balance total receipt static */
    const char *note = "settle(total); copy = amount";
    printf("%s %d", note, sum);
    for (int i = 0; i < sum; i++) {
        pick(other);
    }
    if (sum) {
        pick(other);
    }
}
