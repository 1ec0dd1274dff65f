import { makeFunction } from '../function-value.ts';
import type { Run } from '../run.ts';
import {
  parseSignature,
  validate,
  type CustomFunction,
  type Library,
  type LibraryFunction,
  type Signature,
} from '../signature.ts';
import { arrayFunctions } from './arrays.ts';
import { matchingFunctions } from './matching.ts';
import { numberFunctions } from './numbers.ts';
import { objectFunctions } from './objects.ts';
import { packagedFunctions } from './packaged.ts';
import { textFunctions } from './texts.ts';

const entryOf = (
  name: string,
  signature: Signature | undefined,
  arity: number,
  call: LibraryFunction['call'],
): LibraryFunction => {
  const value = makeFunction(
    signature === undefined ? call : (run, args, focus) => call(run, validate(signature, args, focus)),
    { arity, builtin: name },
  );
  return { signature, call, value };
};

type Positional = (run: Run, ...args: readonly unknown[]) => unknown;

/** A call is quicker with its arguments written out. */
const apply = (call: Positional, run: Run, args: readonly unknown[]): unknown => {
  switch (args.length) {
    case 1:
      return call(run, args[0]);
    case 2:
      return call(run, args[0], args[1]);
    default:
      return call(run, ...args);
  }
};

const standard: Library = new Map(
  Object.entries({
    ...textFunctions,
    ...matchingFunctions,
    ...numberFunctions,
    ...packagedFunctions,
    ...arrayFunctions,
    ...objectFunctions,
  }).map(([name, [signature, arity, builtin, evenIfMissing]]) => {
    const call = builtin as Positional;
    return [
      name,
      entryOf(name, parseSignature(signature), arity, (run, args) =>
        args[0] === undefined && evenIfMissing !== true ? undefined : apply(call, run, args),
      ),
    ];
  }),
);

const customEntry = ({ name, call, isLazy = false }: CustomFunction): LibraryFunction => ({
  ...entryOf(name, undefined, 1, (run, args) => call(run.context, args, run)),
  custom: call,
  isLazy,
});

/** JSONata's library, and custom functions over it. */
export const libraryWith = (customs: readonly CustomFunction[]): Library =>
  customs.length === 0
    ? standard
    : new Map([...standard, ...customs.map((one) => [one.name, customEntry(one)] as const)]);

export const standardNames: ReadonlySet<string> = new Set(standard.keys());

export const standardSignature = (name: string): Signature | undefined => standard.get(name)?.signature;
