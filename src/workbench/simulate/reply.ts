/** The answer to a request: that of the case it is closest to, in the words of this request and of its shipment. */
import { closest, isTarget } from './choose.ts';
import { created } from './create.ts';
import { listsOf, textOf, withAt } from './document.ts';
import { saidBy, type SceneRequest, wordsOf } from './requests.ts';
import type { Scene } from './scenes.ts';
import { numbersOf, type Shipment } from './shipments.ts';
import { tracked } from './track.ts';
import { refused } from './refuse.ts';
import { answerOf, pairsOf, type SimulatedAnswer, wordsFor, type World } from './wording.ts';
import { isWord, othersFor, renamed } from './words.ts';

/** `wanted`: the case that is to answer, or any that refuses. undefined: no case shows such a request. */
export const answerTo = (
  asked: SceneRequest,
  world: World,
  wanted?: { readonly case: string | undefined },
): SimulatedAnswer | undefined => {
  const targets = world.scenes.scenes.filter((scene) => scene.answer !== undefined && isTarget(scene, asked));
  const words = wordsOf(asked);
  const byNumber = world.book.findByNumber(words);
  const shipment = byNumber ?? world.book.findByReference(words);
  if (wanted !== undefined) {
    const named = targets.filter((scene) => (wanted.case === undefined ? scene.isRefusal : scene.case === wanted.case));
    const plain = wanted.case === undefined ? named.filter(({ refuses }) => refuses === 'request') : [];
    const refusing = plain.length > 0 ? plain : named;
    const scene =
      closest(
        refusing.filter(({ isRefusal }) => isRefusal),
        asked,
      )[0] ?? closest(refusing, asked)[0];
    return scene && told(scene, asked, world, shipment);
  }
  const good = targets.filter(({ isGood }) => isGood);
  const naming = shipment === undefined ? [] : good.filter(byNumber === undefined ? isLookup : namesOne);
  const [scene] = closest(naming.length > 0 ? naming : good, asked);
  if (scene === undefined) return undefined;
  const creates = scene.gives.length > 0 && byNumber === undefined && !namesOne(scene) && scene.do !== 'lookup';
  if (creates) return created(scene, asked, world);
  if (shipment === undefined && (namesOne(scene) || isOfOne(scene)))
    return { ...unknown(targets, scene, asked, world), isUnknown: true };
  const [early] = closest(
    targets.filter((one) => one.isEarly && one.do === scene.do),
    asked,
  );
  if (early !== undefined && shipment !== undefined && !shipment.waitedFor.has(saidBy(asked))) {
    shipment.waitedFor.add(saidBy(asked));
    return told(early, asked, world, shipment);
  }
  if (scene.do === 'lookup' && shipment !== undefined)
    return lookedUp(good, asked, world, shipment) ?? told(scene, asked, world, shipment);
  if (scene.do === 'track' && shipment !== undefined) return tracked(targets, scene, asked, world);
  if (shipment !== undefined && (scene.do === 'cancel' || scene.do === 'update') && isUnderWay(shipment)) {
    const [refusal] = closest(
      targets.filter((one) => one.isRefusal && one.do === scene.do),
      asked,
    );
    if (refusal !== undefined) return told(refusal, asked, world, shipment);
  }
  if ((scene.do === 'cancel' || scene.do === 'undo') && shipment !== undefined) shipment.isCancelled = true;
  return told(scene, asked, world, shipment);
};

/** As the shipment is: cancelled or not, with the packages that calls of their own have made so far. */
const lookedUp = (
  good: readonly Scene[],
  asked: SceneRequest,
  world: World,
  shipment: Shipment,
): SimulatedAnswer | undefined => {
  const finding = closest(
    good.filter(({ finds }) => finds),
    asked,
  );
  const scenes = finding.filter((one) => (one.of === 'cancel') === shipment.isCancelled);
  const [first] = scenes.length > 0 ? scenes : finding;
  if (first === undefined) return undefined;
  if (shipment.parts.length === 0 && numbersOf(shipment).length > 0) return told(first, asked, world, shipment);
  const own = shipment.parts.length === 0 ? undefined : scenes.map((one) => ({ one, list: partListOf(one) }));
  const { one: scene = first, list = partListOf(first) } = own?.find((one) => one.list !== undefined) ?? {};
  const parts = shipment.parts.flatMap((words) => {
    const like = list?.list.find((entry) => words.has(numberIn(scene, entry) ?? ''));
    return like === undefined ? [] : [renamed(like, words)];
  });
  const words = wordsFor(scene.roles, shipment, pairsOf(scene, asked));
  return answerOf(scene, words, world, list && { tree: withAt(scene.answer?.body.tree, list.path, parts) });
};

const numberIn = ({ roles }: Scene, entry: unknown): string | undefined =>
  [...roles].find(([role, word]) => role.endsWith('.number') && textOf(entry).includes(word))?.[1];

/** The list of an answer that has an entry for each package. */
const partListOf = (scene: Scene) =>
  listsOf(scene.answer?.body.tree).findLast(
    ({ list }) => list.length > 0 && list.every((entry) => numberIn(scene, entry) !== undefined),
  );

/** What a carrier that knows a request by its reference, or its key, says when it comes again. */
export const repeated = (asked: SceneRequest, world: World): SimulatedAnswer | undefined => {
  const fitting = world.scenes.scenes.filter((scene) => scene.refuses === 'repeat' && isTarget(scene, asked));
  const known = fitting.filter(({ isRepeat }) => isRepeat);
  const byReference = world.scenes.carrier.operations.create?.idempotency.by === 'reference';
  const [scene] = closest(known.length > 0 || !byReference ? known : fitting, asked);
  const shipment = world.book.findByReference(wordsOf(asked));
  const words = scene && wordsFor(scene.roles, shipment, pairsOf(scene, asked));
  // Where the case knows one number only, that of its own create goes before.
  return scene && answerOf(scene, new Map([...(words ?? []), ...(shipment?.words ?? [])]), world, { asked });
};

const isLookup = ({ do: name }: Scene): boolean => name === 'lookup';

/** Whatever it names, it is about a shipment that is there. */
const isOfOne = ({ do: name }: Scene): boolean => name === 'lookup' || name === 'undo';

const BEFORE_PICKUP = new Set(['Order Created', 'Label Generated', 'Pickup Scheduled', 'No Change', 'Unmapped']);
const isUnderWay = ({ events }: Shipment): boolean =>
  [...events.values()].flat().some(({ sample }) => !BEFORE_PICKUP.has(sample.event.status));

/** The request names a shipment by what the carrier gave for it before. */
const namesOne = (scene: Scene): boolean => {
  const given = new Set(scene.gives);
  const names = [...scene.roles].flatMap(([role, word]) =>
    role.startsWith('order.') || given.has(word) ? [] : [word],
  );
  const asks = textOf(scene.request.said).split('\n');
  return names.some((name) => asks.some((text) => text === name || (isWord(name) && text.includes(name))));
};

const unknown = (targets: readonly Scene[], scene: Scene, asked: SceneRequest, world: World): SimulatedAnswer => {
  const fitting = targets.filter(
    (one) => one.do === scene.do && one.gives.length === 0 && !one.finds && saysUnknown(one),
  );
  const [found] = closest(fitting, asked);
  if (found !== undefined) return told(found, asked, world, undefined);
  const names = new Set(scene.roles.values());
  const meant = [...pairsOf(scene, asked)].flatMap(([word, own]) => (names.has(word) ? [own] : []));
  return refused('unknown', 404, `no shipment is named ${meant.join(' or ') || 'so'}`, asked, world);
};

const saysUnknown = ({ do: name, answer, events, isGood }: Scene): boolean =>
  answer?.status === 404 || (isGood && (name === 'lookup' || events?.length === 0));

const told = (scene: Scene, asked: SceneRequest, world: World, shipment: Shipment | undefined): SimulatedAnswer => {
  const pairs = pairsOf(scene, asked);
  const words = wordsFor(scene.roles, shipment, pairs);
  // A call of its own for each package makes another with each.
  const isMade = scene.do === 'create' && asked.method !== 'GET';
  const given = isMade ? scene.gives : scene.gives.filter((word) => !words.has(word));
  if (shipment !== undefined && scene.isGood && given.length > 0) {
    const own = othersFor(given, world.number);
    const at = numbersOf(shipment).length;
    for (const [word, other] of own) {
      words.set(word, other);
      shipment.words.set(shipment.words.has(word) ? `${word}#${at}` : word, other);
      for (const [role, one] of scene.roles) {
        const name = isMade ? role.replace(/^packages\.\d+/, `packages.${at}`) : role;
        if (one === word && !shipment.roles.has(name)) shipment.roles.set(name, other);
      }
    }
    if (isMade && numbersOf(shipment).length > at) shipment.parts.push(new Map([...pairs, ...own]));
    world.book.index(shipment);
  }
  return answerOf(scene, words, world, { asked });
};
