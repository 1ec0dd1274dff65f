import type { Place } from '../failure.ts';
import { compile } from '../jsonata/compile.ts';
import { customFunctions } from './compiled-engine.ts';
import { LIBRARY } from './functions/library.ts';
import type { SourceText } from './source-text.ts';

/** How a mapping runs where code may be generated. */
export interface Generation {
  /** All of it is JavaScript. */
  readonly generated: boolean;
  /** The parts that are not, which run as closures, and why. */
  readonly closures: readonly { readonly place: Place; readonly why: string }[];
}

/** Undefined for a text that is no JSONata. */
export function generationOf(source: SourceText): Generation | undefined {
  const functions = customFunctions([...LIBRARY.values()]);
  try {
    const { notGenerated } = compile(source.text, { functions }).explanation;
    const closures = notGenerated.map(({ position, why }) => ({ place: source.placeAt(position), why }));
    return { generated: closures.length === 0, closures };
  } catch {
    return undefined;
  }
}
