/** Answers to who asks where shipments are: what was told of each so far, as the cases show it. */
import { closest } from './choose.ts';
import { leavesOf, listsOf, textOf, withAt } from './document.ts';
import { type SceneRequest, wordsOf } from './requests.ts';
import type { Scene } from './scenes.ts';
import { numbersOf, type Shipment } from './shipments.ts';
import { eventListOf, retimed, type Sample, type Told } from './tracking.ts';
import { answerOf, pairsOf, type SimulatedAnswer, wordsFor, type World } from './wording.ts';
import { renamed } from './words.ts';

/** Who is asked about by one word of a request, and what of it was told so far. */
interface Asked {
  readonly word: string;
  readonly shipment: Shipment;
  readonly numbers: readonly string[];
}

export const tracked = (
  targets: readonly Scene[],
  scene: Scene,
  asked: SceneRequest,
  world: World,
): SimulatedAnswer => {
  const all = askedAbout(asked, world);
  const good = targets.filter((one) => one.isGood && one.do === 'track' && one.events !== undefined);
  const told = all.flatMap(({ shipment, numbers }) => numbers.flatMap((number) => shipment.events.get(number) ?? []));
  const silent = closest(
    good.filter(({ events }) => events?.length === 0),
    asked,
  )[0];
  const lists = good.map((one) => ({ scene: one, list: eventListOf(one.answer?.body.tree, one.events ?? []) }));
  const [best] = lists.toSorted((a, b) => (b.list?.parts.length ?? 0) - (a.list?.parts.length ?? 0));
  const first = all[0];
  if (first === undefined) return answerOf(scene, pairsOf(scene, asked), world);
  if (told.length === 0 && silent !== undefined)
    return answerOf(silent, wordsAsked(silent, first), world, { tree: composed(silent, undefined, all) });
  if (best?.list === undefined) {
    const last = told.toSorted((a, b) => a.atMs - b.atMs).at(-1);
    const from = last && 'answer' in last.sample.from ? last.sample.from : scene;
    const tree = last && retimed(last.sample, last.atMs);
    return answerOf(from, wordsAsked(from, first), world, { tree });
  }
  return answerOf(best.scene, new Map(), world, { tree: composed(best.scene, best.list, all) });
};

/** One number may stand for several packages, and one request may ask about many. */
const askedAbout = (asked: SceneRequest, { book }: World): readonly Asked[] => {
  return wordsOf(asked).flatMap((word) => {
    const shipment = book.findByNumber([word]);
    if (shipment === undefined) return [];
    const numbers = numbersOf(shipment);
    return [{ word, shipment, numbers: numbers.includes(word) ? [word] : numbers }];
  });
};

/** The words of a case for those of the shipment, and the one by which it asks for that by which is asked now. */
const wordsAsked = ({ roles, request }: Scene, { word, shipment }: Asked): ReadonlyMap<string, string> => {
  const texts = new Set(wordsOf(request));
  const own = [...roles].find(([role, text]) => !role.startsWith('order.') && texts.has(text));
  return wordsFor(roles, shipment, new Map(own === undefined ? [] : [[own[1], word]]));
};

/** An entry for each who is asked about, and in it its events. */
const composed = (scene: Scene, list: ReturnType<typeof eventListOf>, all: readonly Asked[]): unknown => {
  const tree = scene.answer?.body.tree;
  const times = (list?.parts ?? []).map(([, { occurredAtMs }]) => occurredAtMs);
  const isNewestFirst = (times[0] ?? 0) > (times.at(-1) ?? 0);
  const partsOf = (one: Asked): readonly unknown[] => {
    const parts = one.numbers.flatMap((number, at) =>
      (one.shipment.events.get(number) ?? []).map((told) => ({
        told,
        part: partFor(told, one.shipment, number, one.numbers.length > 1 ? at : undefined),
      })),
    );
    const inOrder = parts.toSorted((a, b) => a.told.atMs - b.told.atMs).map(({ part }) => part);
    return isNewestFirst ? inOrder.toReversed() : inOrder;
  };
  const names = [...scene.roles].flatMap(([role, word]) => (role.startsWith('order.') ? [] : [word]));
  const holding = listsOf(tree).filter(({ path, list: held }) => {
    const isAround = list?.path.slice(0, path.length).join('\n') === path.join('\n');
    return (list === undefined || isAround) && names.some((name) => textOf(held).includes(name));
  });
  const isXml = scene.answer?.body.kind === 'xml';
  // Every element of XML is in a list: the entry is the one that says the number itself.
  const outer = holding.find(({ list: held }) =>
    held.every((entry) =>
      leavesOf(entry).some(({ path, text }) => names.includes(text) && (!isXml || path.split('\n').length <= CHILD)),
    ),
  );
  if (outer === undefined || outer.path.length === list?.path.length) {
    const [first] = all;
    const around = first === undefined ? tree : renamed(tree, wordsAsked(scene, first));
    return list === undefined ? around : withAt(around, list.path, all.flatMap(partsOf));
  }
  const [position = 0, ...below] = list?.path.slice(outer.path.length) ?? [];
  const unit = outer.list[Number(position)];
  const units = all.map((one) =>
    renamed(list === undefined ? unit : withAt(unit, below, partsOf(one)), wordsAsked(scene, one)),
  );
  return withAt(tree, outer.path, units);
};

/** How deep the text of an element's child stands: its name, 0, `#text`. */
const CHILD = 3;

/** How one event of a number is told. `position`: of its package, where one number asks about several. */
export const partFor = ({ sample, atMs }: Told, shipment: Shipment, number: string, position?: number): unknown => {
  const { from } = sample;
  const words = wordsFor(from.roles, shipment, numberPairs(sample, number));
  const changed = renamed(retimed(sample, atMs), words);
  return position === undefined ? changed : atPosition(changed, String(position + 1));
};

/** The number of the case for that of the shipment. */
const numberPairs = ({ from, event }: Sample, number: string): ReadonlyMap<string, string> => {
  const numbers = [...from.roles].filter(([role]) => /(^|\.)number$/.test(role)).map(([, word]) => word);
  const own = numbers.includes(event.update.value ?? '')
    ? event.update.value
    : (from.roles.get('packages.0.number') ?? numbers[0]);
  return own === undefined ? new Map() : new Map([[own, number]]);
};

/** The part of a shipment that an event is of, where it is told as 1, 2, 3. */
const atPosition = (part: unknown, position: string): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(
        Object.entries(part).map(([key, value]) => [
          key,
          /part|piece|parcel|package|item/i.test(key) && Number.isInteger(value) ? Number(position) : value,
        ]),
      )
    : part;
