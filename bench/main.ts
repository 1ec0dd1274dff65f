import { isDeepStrictEqual } from 'node:util';
import jsonata from 'jsonata';
import { compile } from '../src/engine/jsonata/compile.ts';
import { engineNamed, type EngineName } from '../src/engine/mapping/chosen-engine.ts';
import { compileExpression } from '../src/engine/mapping/expression.ts';
import { LIBRARY } from '../src/engine/mapping/functions/library.ts';
import type { EvaluationContext } from '../src/engine/mapping/mapping.ts';
import { sourceText } from '../src/engine/mapping/source-text.ts';
import type { Given, Kind } from './by-hand/platform.ts';
import { interleaved, median, meanMs, rounded, type Contender } from './measure.ts';
import { CARRIERS, plain, writtenOf, type Written } from './subjects.ts';
import { tariffContender } from './tariff.ts';

/**
 * The bundled mappings as the dispatcher calls them (compiled once, evaluated with their roots), against the same
 * mappings written by hand. What is timed was seen while the carriers' cases ran.
 */

/** For two packages, by 200 zones and 30 brackets. */
const TARIFF_US_MAX = 200;
const functions = [...LIBRARY.values()];

type Name = 'stock' | 'compiled' | 'byHand';

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
  const { stock, compiled, byHand } = times[at] as Readonly<Record<Name, number>>;
  return {
    mapping: name,
    kind,
    stockUs: stock,
    compiledUs: compiled,
    byHandUs: byHand,
    'stock/compiled': stock / compiled,
    'compiled/byHand': compiled / byHand,
    compileMs: meanMs(() => compile<EvaluationContext>(text, { functions }), 40),
    parseMs: meanMs(() => jsonata(text), 40),
    sourceBytes: text.length,
  };
});

const [tariff] = await interleaved([{ us: tariffContender() }]);

const summary = (kind: Kind) => {
  const of = rows.filter((row) => row.kind === kind);
  const all = (key: 'stock/compiled' | 'compiled/byHand' | 'compileMs') => of.map((row) => row[key]);
  return {
    kind,
    'stock/compiled': median(all('stock/compiled')),
    'compiled/byHand': median(all('compiled/byHand')),
    compileMs: median(all('compileMs')),
    slowestCompileMs: Math.max(...all('compileMs')),
  };
};
const medians = (['request', 'response', 'status'] as const).map(summary).map(rounded);
const table = rows.map(rounded);
console.table(table);
console.table(medians);
console.log(`A tariff of 200 zones and 30 brackets: ${tariff?.us.toPrecision(3)} µs for two packages`);
if ((tariff?.us ?? 0) > TARIFF_US_MAX) process.exitCode = 1;
console.log(JSON.stringify({ mappings: table, medians, tariffUs: tariff?.us }));
