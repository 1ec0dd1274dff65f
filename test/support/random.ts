const splitMix = (word: number): number => {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15);
};

/** xoshiro128**: a period of 2^128 - 1, seeded through splitmix32 so that small seeds differ at once. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    const golden = 0x9e3779b9;
    this.#a = splitMix(seed + golden);
    this.#b = splitMix(seed + 2 * golden);
    this.#c = splitMix(seed + 3 * golden);
    this.#d = splitMix(seed + 4 * golden);
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    const five = Math.imul(this.#b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.next() / 2 ** 32 < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

/** Numbers in [0, 1), the same for the same seed. */
export const randomOf = (seed: number): (() => number) => {
  const random = new Random(seed);
  return () => random.next() / 2 ** 32;
};

export const shuffled = <Value>(values: readonly Value[], random: () => number): Value[] => {
  const left = [...values];
  for (let at = left.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [left[at], left[other]] = [left[other] as Value, left[at] as Value];
  }
  return left;
};
