/** Statuses as the cases show the carrier telling them: which there are, and how one is told at another time. */
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { offsetAt } from '../../engine/time-zone.ts';
import { leavesOf, listsOf, mapLeaves } from './document.ts';
import type { Call, Scene, Scenes } from './scenes.ts';

/** One status: a part of an answer or of a call that tells it, and what we make of it. */
export interface Sample {
  readonly event: NormalisedEvent;
  readonly part: unknown;
  readonly from: Scene | Call;
  /** Of which its times without one may be. */
  readonly zones: readonly string[];
}

export interface Told {
  readonly sample: Sample;
  readonly atMs: number;
}

/** The list of a body that holds its events, each with its event; undefined: the whole body tells one. */
export const eventListOf = (tree: unknown, events: readonly NormalisedEvent[]) => {
  let best: { path: readonly string[]; parts: (readonly [part: unknown, event: NormalisedEvent])[] } | undefined;
  for (const { path, list } of listsOf(tree)) {
    const left = [...events];
    const parts = list.flatMap((part) => {
      const texts = new Set(leavesOf(part).map(({ text }) => text));
      const scores = left.map((event) => markOf(event, texts));
      const most = Math.max(0, ...scores);
      const [event] = most === 0 ? [] : left.splice(scores.indexOf(most), 1);
      return event === undefined ? [] : [[part, event] as const];
    });
    if (parts.length > 0 && parts.length >= (best?.parts.length ?? 1)) best = { path, parts };
  }
  return best;
};

/** How much of what an event says stands in these texts; its time counts least, as it may be written otherwise. */
const markOf = ({ update }: NormalisedEvent, texts: ReadonlySet<string>): number => {
  const { carrierStatus, carrierStatusCode, carrierStatusDescription, carrierSubStatusCode, statusReceivedAt } = update;
  const has = (value: string | number | undefined): number => (value !== undefined && texts.has(String(value)) ? 1 : 0);
  const said = has(carrierStatusCode) + has(carrierStatus) + has(carrierStatusDescription) + has(carrierSubStatusCode);
  return said === 0 ? 0 : said * 2 + has(statusReceivedAt);
};

/** Every status that the cases show, those asked for first. */
export const samplesOf = ({ scenes, calls, zones }: Scenes) => {
  const samplesIn = (from: Scene | Call, tree: unknown, events: readonly NormalisedEvent[] = []): readonly Sample[] => {
    const list = eventListOf(tree, events);
    if (list !== undefined) return list.parts.map(([part, event]) => ({ event, part, from, zones }));
    const [event, more] = events;
    return event === undefined || more !== undefined ? [] : [{ event, part: tree, from, zones }];
  };
  return {
    polled: scenes.flatMap((scene) => samplesIn(scene, scene.answer?.body.tree, scene.events)),
    called: calls.flatMap((call) => samplesIn(call, call.body.tree, call.events)),
  };
};

// Times ---------------------------------------------------------------------------------------------------------------

const two = (value: number): string => String(value).padStart(2, '0');

const localAt = (ms: number, zone: string): number => ms + offsetAt(ms, zone) * 60_000;
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?$/;

/** How times are written; each with digits that a time read from the same instant has, too. */
const writings = (ms: number): readonly string[] => {
  const at = new Date(ms);
  const [y, m, d] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()];
  const [h, min, s] = [at.getUTCHours(), two(at.getUTCMinutes()), two(at.getUTCSeconds())];
  const half = `${h % 12 || 12}:${min}:${s} ${h < 12 ? 'AM' : 'PM'}`;
  return [
    `${y}-${two(m)}-${two(d)}`,
    `${y}${two(m)}${two(d)}`,
    `${two(d)}/${two(m)}/${y}`,
    `${two(d)}.${two(m)}.${y}`,
    `${m}/${d}/${y}`,
    half,
    `${two(h)}:${min}:${s}`,
    `${two(h)}:${min}`,
    `${two(h)}${min}${s}`,
    `${h}${min}${s}`,
  ];
};

const QUARTER_MS = 900_000;

/** What tells of one instant, changed to tell of another, in whatever zones it does. */
export const retimed = ({ part, event, zones }: Sample, toMs: number): unknown => {
  const fromMs = event.occurredAtMs;
  const texts = leavesOf(part).map(({ text }) => text);
  const offsets = texts.flatMap((text) =>
    [...text.matchAll(/([+-])(\d\d):?(\d\d)$/g)].map(
      ([, sign, h, m]) => (sign === '-' ? -1 : 1) * (Number(h) * 60 + Number(m)) * 60_000,
    ),
  );
  // A time of a zone that nothing names: of a day, at some quarter of an hour from the instant.
  const apart = texts.flatMap((text) => {
    const ms = LOCAL.test(text) ? Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`) - fromMs : Number.NaN;
    return Math.abs(ms) <= 56 * QUARTER_MS && ms % QUARTER_MS === 0 ? [ms] : [];
  });
  // An offset of its own says nothing of another season.
  const own = event.eventTimezone;
  const named = own.includes('/') ? [own, ...zones] : [...zones, own];
  const views = [
    ...offsets.map((offset) => [fromMs + offset, toMs + offset] as const),
    ...named.map((zone) => [localAt(fromMs, zone), localAt(toMs, zone)] as const),
    [fromMs, toMs] as const,
    ...apart.map((offset) => [fromMs + offset, toMs + offset] as const),
  ];
  // A text is of the view whose time it holds: dates alone are many views'.
  const changes = views.map(([from, to]) => [writings(from), writings(to)] as const);
  const epochs = new Map([
    [String(fromMs), String(toMs)],
    [String(Math.floor(fromMs / 1_000)), String(Math.floor(toMs / 1_000))],
  ]);
  return mapLeaves(part, (text) => {
    if (!/\d{2}/.test(text)) return text;
    const epoch = epochs.get(text);
    if (epoch !== undefined) return epoch;
    const [old = [], now = []] =
      changes.find(([old]) => old.slice(5).some((time) => text.includes(time))) ??
      changes.find(([old]) => old.some((date) => text.includes(date))) ??
      [];
    if (old.length === 0) return text;
    const found = old.flatMap((one, at) => (text.includes(one) ? [[one, now[at] ?? one] as const] : []));
    const times = new Map(found.toSorted(([a], [b]) => b.length - a.length));
    return text.replace(
      new RegExp([...times.keys()].map((one) => one.replaceAll('.', String.raw`\.`)).join('|'), 'g'),
      (one) => times.get(one) ?? one,
    );
  });
};

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$)/;
const NEAR_MS = 400 * 86_400_000;

/** Instants of an answer moved with the clock: until when a login holds. `text` is one value. */
export const moved = (text: string, fromMs: number, toMs: number): string => {
  if (INSTANT.test(text)) {
    return text.replace(INSTANT, (at) => new Date(Date.parse(`${at}Z`) + toMs - fromMs).toISOString().slice(0, 19));
  }
  const isEpoch = /^1\d{12}$/.test(text) && Math.abs(Number(text) - fromMs) < NEAR_MS;
  return isEpoch ? String(Number(text) + toMs - fromMs) : text;
};
