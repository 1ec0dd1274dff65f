import { checkRoots } from '../../mapping/check-roots.ts';
import type { Position, Root } from '../../mapping/roots.ts';
import { declaredShapes, type Shape } from '../../mapping/shape.ts';
import type { Use } from '../compile/context.ts';
import { type LintInput, type Rule, stepsOf } from './rule.ts';

/**
 * unknown-root, root-inside-path, secret-shown, unknown-function, undeclared-field, undeclared-memo: names in
 * expressions that are not there; number-as-index: numbers of the contract that stand as a filter. What several positions share (a mapping file, a profile's rule of outcomes) may
 * name what at least one of them sees.
 */
export const expressions: Rule = (input) => {
  const shapes = shapesOf(input);
  for (const { use, positions } of groupUses(input.context.uses)) {
    for (const found of checkRoots(use.tree, use.source.text, { positions: [...positions], shapes })) {
      const place = use.source.placeAt(found.offset);
      if (found.rule === 'number-as-index') input.findings.warning(found.rule, place, found.message, found.help);
      else input.findings.error(found.rule, place, found.message, found.help);
    }
  }
};

const groupUses = (
  uses: readonly Use[],
): Iterable<{ readonly use: Use; readonly positions: ReadonlySet<Position> }> => {
  const groups = new Map<string, { use: Use; positions: Set<Position> }>();
  for (const use of uses) {
    const { file, line, column } = use.source.placeAt(0);
    const key = `${file}:${line}:${column}:${use.source.text.length}`;
    const group = groups.get(key) ?? { use, positions: new Set() };
    group.positions.add(use.site.position);
    groups.set(key, group);
  }
  return groups.values();
};

const fieldsNamed = (names: readonly string[]): Shape => new Map(names.map((name) => [name, 'open']));

/** What the profile declares. A base leaves the declaring to those who extend it. */
export const shapesOf = ({ carrier }: LintInput): Readonly<Partial<Record<Root, Shape>>> => {
  if (carrier.abstract) return {};
  const environments = Object.values(carrier.environments).flatMap((each) => Object.keys(each.values));
  const auths = Object.entries(carrier.auths).map(([name, auth]): [string, Shape] => [
    name,
    fieldsNamed(['token', ...(auth.kind === 'session' ? Object.keys(auth.save) : [])]),
  ]);
  return {
    ...declaredShapes({
      settings: Object.keys(carrier.settings),
      credentials: Object.keys(carrier.credentials),
      memo: carrier.memo,
    }),
    environment: fieldsNamed(['name', 'url', ...environments]),
    auths: new Map(auths),
    steps: fieldsNamed(stepsOf(carrier).map((step) => step.id)),
  };
};
