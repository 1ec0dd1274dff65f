import { directoryCaseFiles, caseNames } from '../../src/workbench/cases/read.ts';
import { runCaseNamed } from '../../src/workbench/cases/run.ts';
import type { Mapping, Roots, EvaluationContext } from '../../src/engine/mapping/mapping.ts';
import type { Carrier } from '../../src/engine/profile/carrier.ts';

/** One evaluation while cases ran. */
export interface Recorded {
  /** By its number among the mappings of its carrier. */
  readonly mapping: number;
  readonly roots: Roots;
  readonly context: EvaluationContext;
}

type Open = { -readonly [K in keyof Mapping]: Mapping[K] };

const isMapping = (value: object): value is Open =>
  'evaluate' in value && typeof value.evaluate === 'function' && 'constant' in value && 'place' in value;

/** Everything of a carrier that is evaluated, in an order that depends on its profile alone. */
export const mappingsOf = (carrier: Carrier): readonly Mapping[] => {
  const found: Mapping[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) return;
    seen.add(value);
    if (isMapping(value)) {
      if (!value.constant) found.push(value);
      return;
    }
    const parts = value instanceof Map || value instanceof Set ? value.values() : Object.values(value);
    for (const part of parts) visit(part);
  };
  visit(carrier);
  return found;
};

/** Runs all cases of a carrier and tells what its mappings were evaluated with. */
export const recordCases = async (carrier: Carrier, root: string): Promise<readonly Recorded[]> => {
  const recorded: Recorded[] = [];
  for (const [at, mapping] of mappingsOf(carrier).entries()) {
    const evaluate = mapping.evaluate.bind(mapping);
    (mapping as Open).evaluate = (roots, context) => {
      recorded.push({ mapping: at, roots, context });
      return evaluate(roots, context);
    };
  }
  const files = directoryCaseFiles(root);
  for (const name of caseNames(carrier.code, files)) await runCaseNamed(carrier, name, files);
  return recorded;
};
