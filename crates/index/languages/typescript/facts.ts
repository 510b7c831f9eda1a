import { settleAll } from "./ledger/client";
import * as path from "node:path";
import type { Row } from "records";

@Injectable()
export class Book extends Base implements Store<Row>, Closable {
  private limit: number = 3;

  @audited("high")
  private async target(amount: number, ...rest: Row[]): Promise<Receipt> {
    const copy = amount;
    const ledger = new Ledger("EUR");
    let total: bigint = 0n;
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
    return new Receipt(total);
  }

  decoy(sum: number, other: string[]): void {
    // target settle amount balance total Ledger LedgerError Receipt audited private
    const note = "await ledger.settle(total); throw new LedgerError(); copy = amount";
    console.log(note, sum);
    const pick = async (amount: unknown) => { return amount; };
    for (const one of other) pick(one);
    if (sum) pick(sum);
  }
}

export interface Shape extends Area {
  width: number;
}

export function* numbers(limit: number): Generator<number> {
  yield limit;
}

export const arrow = async (left: string, { right }: Side): Promise<string> => {
  return left + right;
};

export class Field {
  make = async (first: number, later: () => void): Promise<Row> => {
    for (const [key, value] of first) {
      later(key);
    }
    return value;
  };
}

export function isRow(value: typeof Row.empty): value is Row {
  return true;
}
