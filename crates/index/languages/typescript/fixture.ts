import { x } from './x';

/** What a place can be. */
export interface Spot {
  owner: string;
}

export type State = 'free' | 'taken';

export enum Colour { Red, Green }

export abstract class Place<T> implements Spot {
  owner = '';

  constructor(private readonly size: number) {}

  /** Reserves the place. */
  reserve(owner: string): boolean {
    this.owner = owner;
    return true;
  }

  abstract free(): void;
}

export function helper<T>(value: T): T {
  return value;
}

export const arrow = (a: number): number => a + 1;

namespace Inner {
  export function deep(): void {}
}
