/** The answer to a create: with numbers that no shipment had before, and an entry for each package. */
import { packageListOf, packagesOf } from './choose.ts';
import { listsOf, textOf, withAt } from './document.ts';
import type { Roles } from './roles.ts';
import type { SceneRequest } from './requests.ts';
import type { Scene } from './scenes.ts';
import { answerOf, pairsIn, pairsOf, POSITION, type SimulatedAnswer, type World } from './wording.ts';
import { othersFor, renamed } from './words.ts';

export const created = (scene: Scene, asked: SceneRequest, world: World): SimulatedAnswer => {
  const pairs = pairsOf(scene, asked);
  const names = new Set(scene.roles.values());
  const given = othersFor(scene.gives, world.number);
  const words = new Map([...pairs, ...given]);
  if (!scene.gives.some((word) => names.has(word))) return answerOf(scene, pairs, world, { asked });
  const count = packagesOf(scene, asked);
  const roles = new Map<string, string>();
  for (const [role, word] of rolesGiven(scene)) {
    const own = role.startsWith('order.') ? (words.get(word) ?? word) : renamed(word, words);
    const [, at] = POSITION.exec(role) ?? [];
    if (at === undefined || Number(at) < count) roles.set(role, own);
  }
  const resized = withPackages(scene, asked, count, world.number);
  for (const [role, word] of resized.roles) roles.set(role, word);
  world.book.add(roles, new Map([...given, ...resized.words]));
  const body = scene.answer && { kind: scene.answer.body.kind, tree: resized.tree ?? scene.answer.body.tree };
  return answerOf({ ...scene, answer: scene.answer && body && { ...scene.answer, body } }, words, world, { asked });
};

/** Where each package has a call of its own, its shipment has that one package. */
const rolesGiven = ({ roles, gives }: Scene): Roles => {
  const given = new Set(gives);
  const isOwn = (word: string): boolean => given.has(word) || gives.some((one) => word.includes(one));
  const at = new Set([...roles].flatMap(([role, word]) => (isOwn(word) ? (POSITION.exec(role)?.[1] ?? []) : [])));
  const positions = [...at].map(Number).toSorted((a, b) => a - b);
  return new Map(
    [...roles].flatMap(([role, word]) => {
      if (role.startsWith('order.')) return [[role, word] as const];
      const [, position, rest] = POSITION.exec(role) ?? [];
      if (position === undefined) return isOwn(word) ? [[role, word] as const] : [];
      const place = positions.indexOf(Number(position));
      return place === -1 ? [] : [[`packages.${place}.${rest}`, word] as const];
    }),
  );
};

/** The answer with as many entries as there are packages: fewer of them, or more like the last, with numbers of their own. */
const withPackages = (scene: Scene, asked: SceneRequest, count: number, number: World['number']) => {
  const { packages, answer, gives, roles } = scene;
  const more = { tree: undefined as unknown, roles: new Map<string, string>(), words: new Map<string, string>() };
  if (count === packages || answer === undefined) return more;
  const own = [...roles].flatMap(([role, word]) =>
    role.startsWith(`packages.${packages - 1}.`) && gives.includes(word) ? [word] : [],
  );
  const list = packageListOf(scene, asked);
  const extra = Array.from(
    { length: Math.max(0, count - packages) },
    (_, at) => new Map([...pairsIn(list?.shown.at(-1), list?.seen[packages + at]), ...othersFor(own, number)]),
  );
  for (const [at, others] of extra.entries()) {
    for (const [role, word] of roles) {
      if (role.startsWith(`packages.${packages - 1}.`))
        more.roles.set(role.replace(`.${packages - 1}.`, `.${packages + at}.`), renamed(word, others));
    }
    for (const [word, other] of others) more.words.set(`${word}#${packages + at}`, other);
  }
  const lists = listsOf(answer.body.tree).filter(({ list }) => list.length === packages);
  const last = roles.get(`packages.${packages - 1}.number`) ?? '';
  const holds = (list: readonly unknown[]): boolean => textOf(list).includes(last);
  // Of lists of one entry, only those that hold nothing but the package; of XML they cannot be told.
  if (packages === 1 && answer.body.kind === 'xml') return more;
  const fitting =
    packages > 1
      ? lists
      : lists.filter(
          ({ list, path }) =>
            holds(list) &&
            !lists.some(
              (other) =>
                other.path.length > path.length &&
                holds(other.list) &&
                other.path.slice(0, path.length).join('/') === path.join('/'),
            ),
        );
  const numbers = Array.from({ length: packages }, (_, at) => roles.get(`packages.${at}.number`) ?? '');
  // In whatever order they are told.
  const packageOf = (entry: unknown, at: number): number => {
    const own = numbers.flatMap((one, index) => (one !== '' && textOf(entry).includes(one) ? [index] : []));
    // The number of the first may stand for all of them.
    return (own.length > 1 ? own.find((index) => index > 0) : own[0]) ?? at;
  };
  more.tree = fitting.reduceRight((tree, { path, list: entries }) => {
    const like = entries.find((entry, at) => packageOf(entry, at) === packages - 1);
    const kept = entries.filter((entry, at) => packageOf(entry, at) < count);
    return withAt(tree, path, [...kept, ...extra.map((others) => renamed(like, others))]);
  }, answer.body.tree);
  return more;
};
