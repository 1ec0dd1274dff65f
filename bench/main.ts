import { isDeepStrictEqual } from 'node:util';
import jsonata from 'jsonata';
import { compile } from '../src/engine/jsonata/compile.ts';
import { customFunctions } from '../src/engine/mapping/compiled-engine.ts';
import { engineNamed, type EngineName } from '../src/engine/mapping/engine.ts';
import { compileExpression } from '../src/engine/mapping/expression.ts';
import { LIBRARY } from '../src/engine/mapping/functions/library.ts';
import type { EvaluationContext } from '../src/engine/mapping/mapping.ts';
import { sourceText } from '../src/engine/mapping/source-text.ts';
import type { Given, Kind } from './by-hand/platform.ts';
import { interleaved, median, meanMs, rounded, type Contender } from './measure.ts';
import { CARRIERS, plain, writtenOf, type Written } from './subjects.ts';

/**
 * The bundled mappings as the dispatcher calls them (compiled once, evaluated with their roots), against the same
 * mappings written by hand. What is timed was seen while the carriers' cases ran.
 */

const functions = customFunctions([...LIBRARY.values()]);

type Name = 'stock' | 'closures' | 'compiled' | 'byHand';

interface Subject {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
  readonly contenders: Readonly<Record<Name, Contender>>;
}

/** A mapping and all ways to run it, which have been seen to agree. */
const subjectOf = async ({ name, kind, text, seen, byHand }: Written): Promise<Subject> => {
  // A request as large as there is; an answer and a message of the middle size.
  const one = kind === 'request' ? seen.at(-1) : seen[Math.floor(seen.length / 2)];
  if (one === undefined) throw new Error(`${name} was never evaluated`);
  const { roots, context } = one;
  const on = (engine: EngineName): Contender => {
    const mapping = compileExpression(sourceText(name, text), engineNamed(engine));
    return () => mapping.evaluate(roots, context);
  };
  const contenders = {
    stock: on('stock'),
    closures: on('closures'),
    compiled: on('compiled'),
    byHand: () => byHand(roots as Given, context),
  };
  const wanted = plain(contenders.byHand());
  for (const [engine, contender] of Object.entries<Contender>(contenders)) {
    if (!isDeepStrictEqual(plain(await contender()), wanted))
      throw new Error(`${name}: ${engine} gives another result`);
  }
  return { name, kind, text, contenders };
};

const subjects: Subject[] = [];
for (const carrier of CARRIERS) for (const one of await writtenOf(carrier)) subjects.push(await subjectOf(one));

const times = await interleaved(subjects.map(({ contenders }) => contenders));
const rows = subjects.map(({ name, kind, text }, at) => {
  const { stock, closures, compiled, byHand } = times[at] as Readonly<Record<Name, number>>;
  const { explanation } = compile<EvaluationContext>(text, { functions });
  return {
    mapping: name,
    kind,
    stockUs: stock,
    closuresUs: closures,
    generatedUs: compiled,
    byHandUs: byHand,
    'stock/closures': stock / closures,
    'stock/generated': stock / compiled,
    'generated/byHand': compiled / byHand,
    compileMs: meanMs(() => compile<EvaluationContext>(text, { functions }), 40),
    parseMs: meanMs(() => jsonata(text), 40),
    sourceBytes: text.length,
    codeBytes: explanation.code?.length ?? 0,
    backend: explanation.backend,
  };
});

const summary = (kind: Kind) => {
  const of = rows.filter((row) => row.kind === kind);
  const all = (key: 'stock/closures' | 'stock/generated' | 'generated/byHand' | 'compileMs') =>
    of.map((row) => row[key]);
  return {
    kind,
    'stock/closures': median(all('stock/closures')),
    'stock/generated': median(all('stock/generated')),
    'generated/byHand': median(all('generated/byHand')),
    compileMs: median(all('compileMs')),
    slowestCompileMs: Math.max(...all('compileMs')),
  };
};
const medians = (['request', 'response', 'status'] as const).map(summary).map(rounded);
const table = rows.map(rounded);
console.table(table);
console.table(medians);
console.log(JSON.stringify({ mappings: table, medians }));
