from __future__ import annotations
import ledger.client
from store.records import Account as Row
import numpy as np


class Book(Base, metaclass=Meta):
    limit: int = 3

    @audited(level="high")
    async def target(self, amount: int, *rest, currency="EUR", **options) -> Receipt:
        """Settle an amount."""
        copy = amount
        ledger = Ledger(currency)
        rows: list[Row] = []
        total = 0
        for row in rest:
            if row is None:
                continue
            elif row.closed:
                break
            total += row.balance
        while total > self.limit:
            total = total - 1
        self.state = total
        rows[0] = copy
        try:
            await ledger.settle(total)
        except TimeoutError as error:
            raise LedgerError("failed") from error
        return Receipt(total)

    def decoy(self, sum, other):
        # target settle amount balance total Ledger LedgerError Receipt audited
        note = "await ledger.settle(total) raise LedgerError copy = amount"
        print(note, sum)
        pick = lambda amount, rest: other
        for one in other:
            pass
        if sum:
            pick(sum)


def numbers(limit):
    yield limit


def _hidden():
    pass


def outer(first):
    def inner(second):
        return second

    inner(first)


@app.command(name="x")
def decorated(first: t.Any | None, second: dict[str, t.Text]):
    return first
