package book;

import java.util.List;
import static ledger.Client.settleAll;

@Service
public class Book extends Base implements Store<Row>, Closable {
    private final int limit = 3;

    @Audited(level = "high")
    private Receipt target(int amount, Row... rest) throws LedgerError {
        int copy = amount;
        var ledger = new Ledger("EUR");
        long total = 0;
        for (Row row : rest) {
            if (row == null) {
                continue;
            } else if (row.closed) {
                break;
            }
            total += row.balance;
        }
        while (total > this.limit) {
            total = total - 1;
        }
        this.state = total;
        rest[0] = null;
        try {
            ledger.settle(total);
        } catch (IOException error) {
            throw new LedgerError("failed");
        }
        return new Receipt(total);
    }

    public void decoy(int sum, List<Row> other) {
        // target settle amount balance total Ledger LedgerError Receipt Audited private
        String note = "ledger.settle(total); throw new LedgerError(); copy = amount";
        System.out.println(note + sum);
        Picker pick = (amount) -> { return amount; };
        for (Row one : other) {
            pick.apply(one);
        }
        if (sum > 0) {
            pick.apply(sum);
        }
    }

    Book(int size) {
        super(size);
    }
}
