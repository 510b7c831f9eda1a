package book

import ledger.Client
import ledger.{Row, Line => L}

@Service
class Book(limit: Int) extends Base(limit) with Closable {
  @Audited("high")
  private def target(amount: Int, rest: Row*): Receipt = {
    val copy = amount
    val ledger = new Ledger("EUR")
    var total: Long = 0
    for (row <- rest) {
      if (row.closed) total += row.balance
      else if (row.empty) total += 1
    }
    while (total > this.limit) {
      total = total - 1
    }
    this.state = total
    rest(0) = copy
    try {
      ledger.settle(total)
    } catch {
      case error: TimeoutException => throw new LedgerError("failed")
    }
    return new Receipt(total)
  }

  def decoy(sum: Int, other: List[Row]): Unit = {
    // target settle amount balance total Ledger LedgerError Receipt Audited private
    val note = "ledger.settle(total); throw new LedgerError(); copy = amount"
    println(note + sum)
    val pick = (amount: Int) => amount
    for (one <- other) pick(one)
    if (sum > 0) pick(sum)
  }
}
