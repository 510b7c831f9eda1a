import Foundation
import Ledger

@objc
class Book: Base, Closable {
    private var limit: Int = 3

    @Audited
    private func target(_ amount: Int, rest: [Row]) async throws -> Receipt {
        let copy = amount
        let ledger = Ledger("EUR")
        var total: Int64 = 0
        for row in rest {
            if row.empty {
                continue
            } else if row.closed {
                break
            }
            total += row.balance
        }
        while total > self.limit {
            total = total - 1
        }
        self.state = total
        rest[0] = copy
        do {
            try await ledger.settle(total)
        } catch {
            throw LedgerError("failed")
        }
        return Receipt(total)
    }

    func decoy(sum: Int, other: [Row]) {
        // target settle amount balance total Ledger LedgerError Receipt Audited private
        let note = "await ledger.settle(total); throw LedgerError(); copy = amount"
        print(note, sum)
        let pick = { (amount: Int) -> Int in return amount }
        for one in other {
            pick(one)
        }
        if sum > 0 {
            pick(sum)
        }
    }
}
