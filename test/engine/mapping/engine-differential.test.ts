import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../src/engine/failure.ts';
import { isMap } from '../../../src/engine/value.ts';
import { type EngineName } from '../../../src/engine/mapping/chosen-engine.ts';
import {
  DrawNeeded,
  Rejection,
  type Mapping,
  type Roots,
  type EvaluationContext,
} from '../../../src/engine/mapping/mapping.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { codesOf } from '../../../src/engine/profile/chain.ts';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { Random } from '../../support/random.ts';
import { mappingsOf, recordCases, type Recorded } from '../../support/recorded-mappings.ts';
import { ROOT } from '../../carriers/bundled.ts';
import { mutate, strangeValues, type Mutations } from '../jsonata/differential/documents.ts';

const MUTATIONS_OF_INPUTS: Mutations = {
  // What carriers, shippers and mistakes put where something else was expected.
  strange: [...strangeValues, 'Łódź — Straße 5, a line longer than any label', '12.50', '2026-05-02T05:48:00Z', ' '],
  wrapped: 0.03,
  doubled: 0.04,
};

/** A copy with changes inside the roots that a text names, if three attempts make any. The roots themselves stay: they are ours. */
const mutated = (random: Random, roots: Roots, text: string, attempts = 3): Roots => {
  const copy = Object.fromEntries(
    Object.entries(roots).map(([name, root]) => {
      const changed = text.includes(name) ? mutate(random, root, MUTATIONS_OF_INPUTS) : root;
      return [name, isMap(changed) === isMap(root) && Array.isArray(changed) === Array.isArray(root) ? changed : root];
    }),
  );
  return attempts > 1 && isDeepStrictEqual(copy, roots) ? mutated(random, roots, text, attempts - 1) : copy;
};

/** Inputs of each mapping that are taken from the cases, and mutations of each of these. */
const INPUTS = Number(process.env['MAPPING_INPUTS'] ?? 3);
const MUTATIONS = Number(process.env['MAPPING_MUTATIONS'] ?? 4);
const SEED = Number(process.env['MAPPING_SEED'] ?? 20_260_501);

const use = vi.hoisted(() => ({ engine: 'stock' as 'stock' | 'compiled' }));
vi.mock(import('../../../src/engine/mapping/chosen-engine.ts'), async (original) => {
  const actual = await original();
  return { ...actual, chosenEngine: () => actual.engineNamed(use.engine) };
});

const files = directoryFiles(ROOT);

/** A carrier whose mappings run on that engine. */
const carrierOn = (code: string, engine: EngineName): Carrier => {
  use.engine = engine;
  const { carrier, findings } = loadCarrier(code, { home: files, shipped: files });
  if (carrier === undefined) throw new Error(JSON.stringify(findings));
  return carrier;
};

/** What the errors have in common that rules, people and repeats see of them. */
const classOf = (thrown: unknown): string => {
  if (thrown instanceof Rejection) return `rejected: ${thrown.code} ${thrown.message}`;
  if (thrown instanceof DrawNeeded) return `draw ${thrown.draw.kind} ${thrown.draw.name}`;
  if (!(thrown instanceof Failure)) return `broken: ${String(thrown)}`;
  return `${thrown.code}${/\(JSONata ([STD]\d)/.exec(thrown.message)?.[1] ?? ''}`;
};

type Ending = { readonly value: unknown } | { readonly error: string };

const endingOf = async (mapping: Mapping, roots: Roots, context: EvaluationContext): Promise<Ending> => {
  try {
    return { value: await mapping.evaluate(structuredClone(roots), context) };
  } catch (thrown) {
    return { error: classOf(thrown) };
  }
};

/** -0 and 0 are the same in every format that we write. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * `order`: both fail, in different ways, which is what happens where a mapping holds two faults: stock evaluates
 * siblings side by side, so that another of them may fail first.
 */
const verdictOf = (stock: Ending, ours: Ending): 'equal' | 'order' | 'different' => {
  if ('error' in stock && 'error' in ours) return stock.error === ours.error ? 'equal' : 'order';
  if ('value' in stock && 'value' in ours)
    return isDeepStrictEqual(plain(stock.value), plain(ours.value)) ? 'equal' : 'different';
  return 'different';
};

/** A few evaluations of each mapping, all of different inputs. */
const chosen = (recorded: readonly Recorded[]): readonly Recorded[] => {
  const byMapping = new Map<number, Map<string, Recorded>>();
  for (const one of recorded) {
    const inputs = byMapping.get(one.mapping) ?? new Map<string, Recorded>();
    byMapping.set(one.mapping, inputs);
    if (inputs.size < INPUTS) inputs.set(JSON.stringify(one.roots), one);
  }
  return [...byMapping.values()].flatMap((inputs) => [...inputs.values()]);
};

/** Draws that never wait for an attempt log, and tell nobody. */
const still = ({ tables, time, nowMs }: EvaluationContext): EvaluationContext => ({
  tables,
  time,
  nowMs,
  drawn: ({ kind, name }) => `${kind} ${name}`,
});

const codes = codesOf(files);
const totals = { mappings: 0, evaluated: 0, values: 0, errors: 0, otherErrorFirst: 0 };

describe('every bundled mapping', () => {
  afterAll(() => {
    console.info(JSON.stringify({ seed: SEED, carriers: codes.length, ...totals }));
  });

  it.each(codes)(
    'of %s gives the same on both engines, also for mutated inputs',
    { timeout: 600_000 },
    async (code) => {
      const [stock, compiled] = (['stock', 'compiled'] as const).map((engine) => mappingsOf(carrierOn(code, engine)));
      const random = new Random(SEED);
      const differences: unknown[] = [];
      const seen = chosen(await recordCases(carrierOn(code, 'compiled'), ROOT));
      totals.mappings += new Set(seen.map(({ mapping }) => mapping)).size;
      for (const { mapping, roots, context: recorded } of seen) {
        const context = still(recorded);
        for (let turn = 0; turn <= MUTATIONS; turn += 1) {
          const input = turn === 0 ? roots : mutated(random, roots, stock?.[mapping]?.text ?? '');
          const wanted = await endingOf(stock?.[mapping] as Mapping, input, context);
          totals.evaluated += 1;
          totals['value' in wanted ? 'values' : 'errors'] += 1;
          const own = compiled?.[mapping] as Mapping;
          const got = await endingOf(own, input, context);
          const verdict = verdictOf(wanted, got);
          if (verdict === 'order') totals.otherErrorFirst += 1;
          if (verdict !== 'different') continue;
          const { place, text } = own;
          differences.push({ place, text: text.slice(0, 200), wanted, got, input });
        }
      }
      expect(differences.slice(0, 3)).toEqual([]);
    },
  );

  it('is one that the cases evaluate, nine times of ten', () => {
    expect(totals.mappings).toBeGreaterThan(100);
    // A mutation that breaks everything, or nothing, would prove little.
    expect(totals.values / totals.evaluated).toBeGreaterThan(0.5);
    expect(totals.errors / totals.evaluated).toBeGreaterThan(0.01);
    expect(totals.otherErrorFirst / totals.evaluated).toBeLessThan(0.02);
  });
});
