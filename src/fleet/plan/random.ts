/* eslint-disable typescript/no-non-null-assertion -- the state has four words */
/** Random numbers that depend on their seed alone, and allocate nothing. */
export interface Random {
  /** At least 0, below 1. */
  readonly unit: () => number;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
}

const GOLDEN = 0x9e3779b9;
const WARM_UP = 12;

/** The generator sfc32, whose counter keeps every seed's period at 2^32 or more. */
export const createRandom = (seed: number): Random => {
  const state = Int32Array.of(seed, Math.floor(seed / 2 ** 32) ^ GOLDEN, GOLDEN, 1);
  const unit = (): number => {
    const b = state[1]!;
    const c = state[2]!;
    const sum = (state[0]! + b + state[3]!) | 0;
    state[3] = (state[3]! + 1) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let left = WARM_UP; left > 0; left--) unit();
  return { unit, below: (limit) => Math.floor(unit() * limit) };
};
