#include <vector>
#include "ledger/client.hpp"
using std::string;

class Book : public Base, private Closable {
public:
    [[nodiscard]] Receipt decoy_inline(int sum) { return pick(sum); }

private:
    int limit = 3;

    Receipt target(int amount, std::vector<Row>& rest) {
        auto copy = amount;
        auto ledger = Ledger("EUR");
        auto reader = new Reader(copy);
        long total = 0;
        for (auto& row : rest) {
            if (row.empty()) {
                continue;
            } else if (row.closed) {
                break;
            }
            total += row.balance;
        }
        while (total > this->limit) {
            total = total - 1;
        }
        this->state = total;
        rest[0] = copy;
        try {
            ledger.settle(total);
        } catch (const std::exception& error) {
            throw LedgerError("failed");
        }
        return Receipt(total);
    }
};

void decoy(int sum, const std::vector<Row>& other) {
    // target settle amount balance total Ledger LedgerError Receipt private
    const char* note = "ledger.settle(total); throw LedgerError(); copy = amount";
    print(note, sum);
    auto pick = [](int amount) { return amount; };
    for (auto& one : other) {
        pick(one.size);
    }
    if (sum) {
        pick(sum);
    }
}

task<int> numbers(int limit) {
    co_await later(limit);
    co_yield limit;
}
