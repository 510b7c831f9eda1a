import { settleAll } from "./ledger/client.js";
import * as path from "node:path";
import Row from "records";
const fs = require("fs");

export class Book extends Base {
  #secret = 1;

  @audited("high")
  async target(amount, ...rest) {
    const copy = amount;
    const ledger = new Ledger("EUR");
    let total = 0;
    for (const row of rest) {
      if (row === null) {
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
    rest[0] = copy;
    try {
      await ledger.settle(total);
    } catch (error) {
      throw new LedgerError("failed");
    }
    return total > 0 ? new Receipt(total) : null;
  }

  decoy(sum, other) {
    // target settle amount balance total Ledger LedgerError Receipt
    const note = "await ledger.settle(total); throw new LedgerError(); copy = amount";
    console.log(note, sum);
    const pick = async (amount, { balance }) => { return amount; };
    for (const one of other) pick(one);
    if (sum) pick(sum);
  }
}

export function* numbers(limit) {
  yield limit;
}

export const arrow = async (left, { right }, [third] = []) => {
  return left + right + third;
};

function quiet(one = 1) {
  path.join(one);
}
