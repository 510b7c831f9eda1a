import { x } from './x';

export const LIMIT = 8;

/** A place to leave a car. */
export class Place extends Base {
  constructor(owner) {
    super();
    this.owner = owner;
  }

  // Reserves the place.
  async reserve(owner) {
    this.owner = owner;
  }

  onLeave = () => {
    this.owner = null;
  };
}

export function helper(value) {
  return value;
}

const arrow = async (a, b) => {
  return a + b;
};

module.exports.late = function (x) {
  return x;
};

startEverything(LIMIT);
