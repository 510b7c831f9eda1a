require "json"
require_relative "ledger/client"

class Book < Base
  include Closable

  def decoy(sum, other)
    # target settle amount balance total Ledger LedgerError Receipt private
    note = "ledger.settle(total) raise LedgerError copy = amount"
    puts note, sum
    pick = ->(amount) { amount }
    other.each { |rest| pick.call(rest) }
    pick.call(sum) if sum
  end

  private

  def target(amount, *rest, currency: "EUR", **options)
    copy = amount
    ledger = Ledger.new(currency)
    total = 0
    for row in rest
      if row.nil?
        next
      elsif row.closed
        break
      end
      total += row.balance
    end
    while total > @limit
      total = total - 1
    end
    self.state = total
    @state = total
    rest[0] = copy
    begin
      ledger.settle(total)
    rescue TimeoutError => error
      raise LedgerError, "failed"
    end
    return Receipt.new(total)
  end
end
