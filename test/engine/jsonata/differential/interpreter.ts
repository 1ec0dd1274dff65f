import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import stock from 'jsonata';

type Interpreter = typeof stock;

const file = createRequire(import.meta.url).resolve('jsonata');

/** Where an object is built of an empty array, be it the input's or a variable's, the interpreter pushes into it. */
const change = 'input.push(undefined);';

const load = (): Interpreter => {
  const parts = readFileSync(file, 'utf8').split(change);
  if (parts.length !== 2) throw new Error('This release of jsonata is not the one that the judge knows');
  const module = { exports: {} as Interpreter };
  compileFunction(parts.join('input = [undefined];'), ['module', 'exports'])(module, module.exports);
  return module.exports;
};

let loaded: Interpreter | undefined;

/** The interpreter, made to leave every value as it is. */
export const unchanging = (): Interpreter => (loaded ??= load());

export { stock };
