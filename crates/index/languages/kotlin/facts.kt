package book

import ledger.Client
import ledger.Row as Line

@Service
class Book(val limit: Int) : Base(limit), Closable {
    @Audited("high")
    private suspend fun target(amount: Int, vararg rest: Row): Receipt {
        val copy = amount
        val ledger = Ledger("EUR")
        var total: Long = 0
        for (row in rest) {
            if (row.empty) {
                continue
            } else if (row.closed) {
                break
            }
            total += row.balance
        }
        while (total > this.limit) {
            total = total - 1
        }
        this.state = total
        rest[0] = copy
        try {
            ledger.settle(total).await()
        } catch (error: TimeoutException) {
            throw LedgerError("failed")
        }
        return Receipt(total)
    }

    fun decoy(sum: Int, other: List<Row>) {
        // target settle amount balance total Ledger LedgerError Receipt Audited private
        val note = "ledger.settle(total); throw LedgerError(); copy = amount"
        println(note + sum)
        val pick = { amount: Int -> amount }
        for (one in other) {
            pick(one)
        }
        if (sum > 0) {
            pick(sum)
        }
    }
}

fun numbers(limit: Int) = sequence {
    yield(limit)
}
