import { isMap } from '../../../src/engine/value.ts';
import type { Roots } from '../../../src/engine/mapping/mapping.ts';
import type { Random } from '../../support/random.ts';

/** What carriers, shippers and mistakes put where something else was expected. */
const STRANGE: readonly unknown[] = [
  null,
  '',
  'x',
  ' ',
  '0',
  '12.50',
  'Łódź — Straße 5, a line that is longer than any carrier takes on its label, by far',
  '2026-05-02T05:48:00Z',
  0,
  -1,
  2.345,
  1e21,
  true,
  false,
  [],
  {},
  [[]],
  ['a', 'b'],
  [null],
  { a: 1 },
];

type Container = Record<string, unknown> | unknown[];

/** All maps and lists within, with the way they hold their parts. */
const containersOf = (value: unknown, found: Container[] = []): Container[] => {
  if (Array.isArray(value)) {
    found.push(value);
    for (const item of value) containersOf(item, found);
  } else if (isMap(value)) {
    found.push(value);
    for (const item of Object.values(value)) containersOf(item, found);
  }
  return found;
};

const change = (random: Random, container: Container): void => {
  if (Array.isArray(container)) {
    const at = random.below(Math.max(1, container.length));
    const deed = random.below(5);
    if (deed === 0) container.splice(at, 1);
    else if (deed === 1) container.splice(at, 0, structuredClone(container[at] ?? null));
    else if (deed === 2) container.splice(0);
    else if (deed === 3) container.splice(1);
    else container[at] = structuredClone(random.pick(STRANGE));
    return;
  }
  const key = random.pick(Object.keys(container));
  if (key === undefined) return;
  const deed = random.below(5);
  if (deed === 0) delete container[key];
  else if (deed === 1) container[key] = [container[key]];
  else if (deed === 2 && Array.isArray(container[key])) container[key] = (container[key] as unknown[])[0];
  else if (deed === 3) container[random.pick(['length', 'constructor', 'toString', 'keep'])] = container[key];
  else container[key] = structuredClone(random.pick(STRANGE));
};

/** A copy with one to four things changed inside the roots that a text names. The roots themselves stay: they are ours. */
export const mutated = (random: Random, roots: Roots, text: string): Roots => {
  const copy = structuredClone(roots);
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const containers = Object.entries(copy).flatMap(([name, root]) => (text.includes(name) ? containersOf(root) : []));
    if (containers.length > 0) change(random, random.pick(containers));
  }
  return copy;
};
