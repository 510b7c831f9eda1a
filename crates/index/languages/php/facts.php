<?php
namespace Books;

use Ledger\Client;
use Ledger\Row as Line;
require_once "ledger/boot.php";

#[Service]
class Book extends Base implements Store, Closable
{
    private int $limit = 3;

    #[Audited("high")]
    private function target(int $amount, Row ...$rest): Receipt
    {
        $copy = $amount;
        $ledger = new Ledger("EUR");
        $total = 0;
        foreach ($rest as $row) {
            if ($row === null) {
                continue;
            } elseif ($row->closed) {
                break;
            }
            $total += $row->balance;
        }
        while ($total > $this->limit) {
            $total = $total - 1;
        }
        $this->state = $total;
        $rest[0] = $copy;
        try {
            $ledger->settle($total);
        } catch (TimeoutException $error) {
            throw new LedgerError("failed");
        }
        return new Receipt($total);
    }

    public function decoy($sum, $other): void
    {
        // target settle amount balance total Ledger LedgerError Receipt Audited private
        $note = 'ledger->settle(total); throw new LedgerError(); copy = amount';
        print($note);
        $pick = function ($amount) { return $amount; };
        foreach ($other as $one) {
            $pick($one);
        }
        if ($sum) {
            $pick($sum);
        }
    }
}

function numbers($limit)
{
    yield $limit;
}
