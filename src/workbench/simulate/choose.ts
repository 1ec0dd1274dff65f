/** Which request of the cases another one is like. */
import { leavesOf, localName, textsBy } from './document.ts';
import type { SceneRequest } from './requests.ts';
import type { Scene } from './scenes.ts';
import { isWord } from './words.ts';

/** The same method and path, but for what names a shipment there. */
export const isTarget = (scene: Scene, { method, segments, headers }: SceneRequest): boolean => {
  const { request, roles } = scene;
  const action = request.headers['soapaction'];
  if (request.method !== method || request.segments.length !== segments.length) return false;
  if (action !== undefined && headers['soapaction'] !== undefined && action !== headers['soapaction']) return false;
  const names = new Set(roles.values());
  return request.segments.every(
    (segment, at) => segment === segments[at] || isWord(segment) || names.has(unquoted(segment)),
  );
};

const unquoted = (text: string): string => text.replaceAll('"', '');

/** The closest first. `scenes`: those of one target. */
export const closest = (scenes: readonly Scene[], asked: SceneRequest): readonly Scene[] => {
  const seen = describe(asked);
  const told = scenes.map((scene) => ({ scene, shown: describe(scene.request) }));
  const groups = Map.groupBy(told, ({ scene }) => scene.do);
  const valuesOf = [...groups].map(
    ([name, group]) => [name, textsBy(group.flatMap(({ shown }) => [...shown.leaves]))] as const,
  );
  const mark = ({ scene, shown }: (typeof told)[number]): number => {
    const own = valuesOf.find(([name]) => name === scene.do)?.[1];
    // What only requests of another operation say.
    const foreign = [...seen.leaves].filter(([shape, text]) => {
      const mine = own?.get(shape);
      if (mine === undefined || mine.size > 2 || mine.has(text)) return false;
      return valuesOf.some(([name, values]) => name !== scene.do && values.get(shape)?.has(text));
    });
    const same = [...shown.leaves].filter(([shape, text]) => seen.leaves.get(shape) === text).length;
    return (
      likeness(shown.shapes, seen.shapes) * 4 +
      same / Math.max(1, shown.leaves.size) -
      foreign.length * 2 -
      (fits(scene, asked) ? 0 : 0.6)
    );
  };
  return told
    .map((one) => ({ scene: one.scene, mark: mark(one), alike: likeness(one.shown.shapes, seen.shapes) }))
    .filter(({ alike }) => alike >= 0.3)
    .toSorted((a, b) => b.mark - a.mark)
    .map(({ scene }) => scene);
};

const describe = ({ said }: SceneRequest) => {
  const leaves = leavesOf(said);
  return {
    leaves: new Map(leaves.map(({ shape, text }) => [shape, text])),
    shapes: new Set(leaves.map(({ shape }) => shape)),
  };
};

const likeness = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const union = new Set([...one, ...other]).size;
  return union === 0 ? 1 : [...one].filter((shape) => other.has(shape)).length / union;
};

/** Whether it is one of that operation, as far as requests of the cases can be told from each other. */
export const isOf = (scenes: readonly Scene[], asked: SceneRequest, operation: string): boolean => {
  const targets = closest(
    scenes.filter((scene) => isTarget(scene, asked)),
    asked,
  );
  const { shapes } = describe(asked);
  const alike = (scene: Scene): number => likeness(describe(scene.request).shapes, shapes);
  const [best] = targets;
  return targets.some((one) => (one.do === operation || one.of === operation) && alike(one) >= alike(best ?? one));
};

/** It shows as many packages as are asked for, or more. */
const fits = (scene: Scene, asked: SceneRequest): boolean => packagesOf(scene, asked) <= scene.packages;

/** How many packages a request is for, by the list that has one entry for each in the case. */
export const packagesOf = (scene: Scene, asked: SceneRequest): number =>
  packageListOf(scene, asked)?.seen.length ?? scene.packages;

/** That list, as the case shows it and as it came. */
export const packageListOf = ({ request, packages }: Scene, { body }: SceneRequest) => {
  const lists = listsBeside(request.body.tree, body.tree).filter(({ shown }) => shown.length === packages);
  return lists.find(({ seen }) => seen.length !== packages) ?? lists[0];
};

interface Beside {
  readonly shown: readonly unknown[];
  readonly seen: readonly unknown[];
}

/** Lists that stand at the same place in both. */
const listsBeside = (shown: unknown, seen: unknown): readonly Beside[] => {
  if (Array.isArray(shown) && Array.isArray(seen)) return [{ shown, seen }, ...listsBeside(shown[0], seen[0])];
  if (typeof shown !== 'object' || typeof seen !== 'object' || shown === null || seen === null) return [];
  const there = new Map(Object.entries(seen).map(([key, value]) => [localName(key), value as unknown]));
  return Object.entries(shown).flatMap(([key, value]) => listsBeside(value, there.get(localName(key))));
};
