using System.Collections.Generic;
using Client = Ledger.Client;

namespace Books;

[Service]
public class Book : Base, IStore<Row>
{
    private int limit = 3;

    [Audited(Level = "high")]
    private async Task<Receipt> target(int amount, params Row[] rest)
    {
        var copy = amount;
        var ledger = new Ledger("EUR");
        long total = 0;
        foreach (var row in rest)
        {
            if (row == null)
            {
                continue;
            }
            else if (row.Closed)
            {
                break;
            }
            total += row.balance;
        }
        while (total > this.limit)
        {
            total = total - 1;
        }
        this.state = total;
        rest[0] = null;
        try
        {
            await ledger.settle(total);
        }
        catch (TimeoutException error)
        {
            throw new LedgerError("failed");
        }
        return new Receipt(total);
    }

    public void decoy(int sum, List<Row> other)
    {
        // target settle amount balance total Ledger LedgerError Receipt Audited private
        var note = "await ledger.settle(total); throw new LedgerError(); copy = amount";
        Console.WriteLine(note + sum);
        Func<int, int> pick = async (amount) => { return amount; };
        foreach (var one in other)
        {
            pick(one);
        }
        if (sum > 0)
        {
            pick(sum);
        }
    }

    public IEnumerable<int> numbers(int limit)
    {
        yield return limit;
    }
}
