defmodule Book do
  use GenServer
  import Ledger.Client
  alias Ledger.Row, as: Line
  require Logger

  @spec target(integer, list) :: Receipt.t()
  @audited true
  defp target(amount, rest) do
    copy = amount
    ledger = Ledger.new("EUR")
    total = 0
    for row <- rest do
      if row.closed do
        row.balance
      end
    end
    case total do
      0 -> raise LedgerError, "failed"
      _ -> Ledger.settle(ledger, total)
    end
    Task.await(ledger)
  end

  def decoy(sum, other) do
    # target settle amount balance total LedgerError Receipt
    note = "ledger.settle(total) raise LedgerError copy = amount"
    IO.puts(note)
    pick = fn amount -> amount end
    if sum do
      pick.(other)
    end
  end
end
