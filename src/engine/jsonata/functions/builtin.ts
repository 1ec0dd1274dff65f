import type { Run } from '../run.ts';

/** A function of JSONata's library. `call` gets its arguments as the signature admits them. */
export interface Builtin {
  readonly name: string;
  readonly signature: string;
  /** How many arguments the higher-order functions pass to it. */
  readonly arity: number;
  readonly call: (run: Run, ...args: never[]) => unknown;
}

export const builtin = (
  name: string,
  signature: string,
  arity: number,
  call: (run: Run, ...args: never[]) => unknown,
): Builtin => ({ name, signature, arity, call });
