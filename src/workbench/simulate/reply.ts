/** The answer to a request: that of the case it is closest to, in the words of this request and of its shipment. */
import { closest, isTarget } from './choose.ts';
import { created } from './create.ts';
import { textOf } from './document.ts';
import { type Scene, type SceneRequest, wordsOf } from './scenes.ts';
import type { Shipment } from './shipments.ts';
import { tracked } from './track.ts';
import { answerOf, JSON_TYPE, pairsOf, type SimulatedAnswer, wordsFor, type World } from './wording.ts';
import { isWord, othersFor } from './words.ts';

/** `wanted`: the case that is to answer, or any that refuses. undefined: no case shows such a request. */
export const answerTo = (
  asked: SceneRequest,
  world: World,
  wanted?: { readonly case: string | undefined },
): SimulatedAnswer | undefined => {
  const targets = world.scenes.scenes.filter((scene) => scene.answer !== undefined && isTarget(scene, asked));
  const words = wordsOf(asked);
  if (wanted !== undefined) {
    const refusing = targets.filter((scene) =>
      wanted.case === undefined ? scene.isRefusal : scene.case === wanted.case,
    );
    const scene =
      closest(
        refusing.filter(({ isRefusal }) => isRefusal),
        asked,
      )[0] ?? closest(refusing, asked)[0];
    return scene && told(scene, asked, world, world.book.find(words));
  }
  const good = targets.filter(({ isGood }) => isGood);
  const byNumber = world.book.findByNumber(words);
  const shipment = byNumber ?? world.book.find(words);
  const naming = shipment === undefined ? [] : good.filter(byNumber === undefined ? isLookup : namesOne);
  const [scene] = closest(naming.length > 0 ? naming : good, asked);
  if (scene === undefined) return undefined;
  const creates = scene.gives.length > 0 && byNumber === undefined && !namesOne(scene) && scene.do !== 'lookup';
  if (creates) return created(scene, asked, world);
  if (shipment === undefined && (namesOne(scene) || scene.do === 'lookup'))
    return unknown(targets, scene, asked, world);
  if (scene.do === 'lookup' && scene.gives.length === 0) {
    const [finding = scene] = closest(
      good.filter((one) => one.do === 'lookup' && one.gives.length > 0),
      asked,
    );
    return told(finding, asked, world, shipment);
  }
  if (scene.do === 'track' && shipment !== undefined) return tracked(targets, scene, asked, world);
  if (shipment !== undefined && (scene.do === 'cancel' || scene.do === 'update') && isUnderWay(shipment)) {
    const [refusal] = closest(
      targets.filter((one) => one.isRefusal && one.do === scene.do),
      asked,
    );
    if (refusal !== undefined) return told(refusal, asked, world, shipment);
  }
  if (scene.do === 'cancel' && shipment !== undefined) shipment.isCancelled = true;
  return told(scene, asked, world, shipment);
};

const isLookup = ({ do: name }: Scene): boolean => name === 'lookup';

const BEFORE_PICKUP = new Set(['Order Created', 'Label Generated', 'Pickup Scheduled', 'No Change', 'Unmapped']);
const isUnderWay = ({ events }: Shipment): boolean =>
  [...events.values()].flat().some(({ sample }) => !BEFORE_PICKUP.has(sample.event.status));

/** The request names a shipment by what the carrier gave for it before. */
const namesOne = (scene: Scene): boolean => {
  const given = new Set(scene.gives);
  const names = [...scene.roles].flatMap(([role, word]) =>
    role.startsWith('order.') || given.has(word) ? [] : [word],
  );
  const asks = textOf([scene.request.segments, scene.request.query, scene.request.body.tree]).split('\n');
  return names.some((name) => asks.some((text) => text === name || (isWord(name) && text.includes(name))));
};

const unknown = (targets: readonly Scene[], scene: Scene, asked: SceneRequest, world: World): SimulatedAnswer => {
  const fitting = targets.filter((one) => one.do === scene.do && one.gives.length === 0 && saysUnknown(one));
  const [found] = closest(fitting, asked);
  if (found !== undefined) return told(found, asked, world, undefined);
  const error = 'no shipment of this simulator has that number';
  return { status: 404, headers: JSON_TYPE, body: { kind: 'json', tree: { error } }, from: error };
};

const saysUnknown = ({ do: name, answer, events, isGood }: Scene): boolean =>
  answer?.status === 404 || (isGood && (name === 'lookup' || events?.length === 0));

const told = (scene: Scene, asked: SceneRequest, world: World, shipment: Shipment | undefined): SimulatedAnswer => {
  const words = wordsFor(scene.roles, shipment, pairsOf(scene, asked));
  const given = scene.gives.filter((word) => !words.has(word));
  if (shipment !== undefined && scene.isGood && given.length > 0) {
    for (const [word, own] of othersFor(given, world.number)) {
      words.set(word, own);
      shipment.words.set(word, own);
      for (const [role, one] of scene.roles)
        if (one === word && !shipment.roles.has(role)) shipment.roles.set(role, own);
    }
    world.book.index(shipment);
  }
  return answerOf(scene, words, world, { asked });
};
