/** The driver's page: the token of the link, what the device knows, and which screen is seen. */
import type { App, Picture, Report } from './app.ts';
import { button, clock, el } from './dom.ts';
import { followPosition, lastPosition } from './position.ts';
import { outcomeScreen } from './outcome.ts';
import type { ReportedEvent } from '../../src/fleet/execution/events.ts';
import { withUnsent } from './route.ts';
import { routeScreen, unsentScreen } from './screens.ts';
import { stopScreen } from './stop.ts';
import { type Known, openStore, type Queued } from './store.ts';
import { type Reached, sync } from './sync.ts';

const AGAIN_MS = 20_000;
const TOKEN = /^drv_[\w-]{43}$/;

const root = document.querySelector('#root') as HTMLElement;
const store = await openStore();
let known: Known = {};
let queue: ReadonlyMap<number, Queued> = new Map();
let reached: Reached | undefined;
/** The link that was opened last is none. */
let isWrongLink = false;
let isSyncing = false;
let isWanted = false;

/** `#<token>` is the driver's link; it leaves the address, and the history, at once. */
const takeToken = async (): Promise<boolean> => {
  const { hash } = window.location;
  if (hash.length < 2 || hash.startsWith('#/')) return false;
  window.history.replaceState(undefined, '', '/driver');
  const token = hash.slice(1);
  // Whatever is opened on the way that is no link of a driver, the route that is driven stays.
  isWrongLink = !TOKEN.test(token);
  if (isWrongLink) return false;
  // Nothing of the driver before is shown to this one.
  await store.change((before) => (before.token === token ? before : { token }));
  reached = undefined;
  return true;
};

const read = async (): Promise<void> => {
  ({ known, queue } = await store.read());
};

const own = (): readonly (readonly [number, Queued])[] =>
  [...queue].filter(([, { driver }]) => driver === known.driver?.code);
const unsent = (): readonly ReportedEvent[] => own().flatMap(([, { event, refused }]) => (refused ? [] : [event]));

/** Once at a time, over all windows of the page; what is reported meanwhile goes right after. */
const syncNow = async (): Promise<void> => {
  isWanted = true;
  if (isSyncing || known.token === undefined) return;
  isSyncing = true;
  try {
    while (isWanted) {
      isWanted = false;
      reached = await navigator.locks.request('sync', async () => await sync(store));
      await read();
    }
  } finally {
    isSyncing = false;
    show(false);
  }
};

const enqueue = async (report: Report, proofs: readonly Picture[] = []): Promise<void> => {
  const { driver, aheadMs = 0 } = known;
  if (driver === undefined) return;
  const kept = proofs.map((proof) => ({
    ...proof,
    id: crypto.randomUUID(),
    stopId: report.stopId ?? '',
    driver: driver.code,
  }));
  const event: ReportedEvent = {
    ...lastPosition(),
    ...report,
    id: crypto.randomUUID(),
    at: new Date(Date.now() + aheadMs).toISOString(),
    ...(kept.length === 0 ? {} : { proofs: kept.map(({ id }) => id) }),
  };
  await store.add({ event, driver: driver.code }, kept);
  await read();
  show(false);
  void syncNow();
};

const app = (): App => ({
  known,
  queue: new Map(own()),
  route: known.route && withUnsent(known.route, unsent()),
  report: enqueue,
  noteScanned: async (stopId, item, isOn) => {
    await store.change(({ scanned = {}, ...before }) => {
      const others = (scanned[stopId] ?? []).filter((one) => one !== item);
      return { ...before, scanned: { ...scanned, [stopId]: isOn ? [...others, item] : others } };
    });
    await read();
    show(false);
  },
  dismiss: async (key) => {
    await store.settle(new Map([[key, undefined]]), (before) => before);
    await read();
    show(true);
  },
});

const header = (): HTMLElement => {
  const waiting = unsent().length;
  const refused = own().length - waiting;
  const others = queue.size - own().length;
  const state =
    reached === 'ended'
      ? 'This link is no longer valid: ask the dispatcher for a new one'
      : reached === 'unreachable'
        ? `No connection${known.readAt === undefined ? '' : ` since ${clock(new Date(known.readAt).toISOString())}`}`
        : 'Connected';
  const words = [
    ...(isWrongLink ? ['the link that was opened is not valid'] : []),
    waiting === 0 ? 'all sent' : `${waiting} not sent yet`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(others === 0 ? [] : [`${others} of another driver kept`]),
  ];
  return el(
    'header',
    { class: reached === 'reached' && refused === 0 && !isWrongLink ? '' : 'warn' },
    el('a', { href: '#/', class: 'name' }, known.driver?.name ?? 'Route'),
    el('span', { role: 'status' }, el('a', { href: '#/unsent' }, `${state} · ${words.join(', ')}`)),
  );
};

const noLink = (): HTMLElement =>
  el('main', {}, el('h1', {}, 'No route here yet'), el('p', {}, 'Scan the code that the dispatcher shows you.'));

const keep = (before: Element, within: Element): void => {
  const after = within.querySelector(`#${before.id}`);
  if (before instanceof HTMLInputElement && after instanceof HTMLInputElement) after.value = before.value;
  else after?.replaceChildren(...before.childNodes);
};

/** Between press and release nothing is drawn anew: what is pressed would be gone, and nothing have been pressed. */
let press: 'none' | 'held' | 'held, and to be drawn' = 'none';
/** A finger's click comes a little after it is lifted. */
const CLICK_WITHIN_MS = 50;
const release = (): void => {
  const isDue = press === 'held, and to be drawn';
  press = 'none';
  if (isDue) show(false);
};
window.addEventListener('pointerdown', () => (press = 'held'), true);
for (const name of ['pointerup', 'pointercancel'])
  window.addEventListener(name, () => setTimeout(release, CLICK_WITHIN_MS), true);

let shown = '';
/** Forms stay as they are until they are left: what comes meanwhile changes only the line above them. */
const show = (isOther: boolean): void => {
  const { hash } = window.location;
  if (press !== 'none' && !isOther && hash === shown) {
    press = 'held, and to be drawn';
    return;
  }
  followPosition(app().route?.state === 'started', (report) => void enqueue(report));
  const [, place = '', id = '', form] = hash.split('/');
  const isForm = place === 'stop' && form !== undefined;
  const current = root.querySelector('main');
  if (isForm && !isOther && hash === shown && current !== null)
    return root.querySelector('header')?.replaceWith(header());
  const scrolled = window.scrollY;
  const focused = document.activeElement?.id ?? '';
  const main =
    known.token === undefined
      ? noLink()
      : place === 'unsent'
        ? unsentScreen(app())
        : place === 'stop'
          ? form === undefined
            ? stopScreen(app(), id)
            : outcomeScreen(app(), id, form)
          : routeScreen(app());
  // What is being written, and what was said of it, stays.
  if (hash === shown) for (const kept of current?.querySelectorAll('[data-keep]') ?? []) keep(kept, main);
  root.replaceChildren(header(), main);
  const heading = main.querySelector('h1');
  document.title = heading?.textContent ?? 'Route';
  if (hash === shown) {
    window.scrollTo(0, scrolled);
    if (focused !== '') document.querySelector<HTMLElement>(`#${CSS.escape(focused)}`)?.focus();
    return;
  }
  shown = hash;
  window.scrollTo(0, 0);
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
};

const start = async (): Promise<void> => {
  await takeToken();
  await read();
  show(true);
  void navigator.storage?.persist?.();
  const go = async (): Promise<void> => {
    const isOther = await takeToken();
    await read();
    show(true);
    if (isOther) await syncNow();
  };
  window.addEventListener('hashchange', () => void go());
  for (const name of ['online', 'focus']) window.addEventListener(name, () => void syncNow());
  document.addEventListener('visibilitychange', () => void syncNow());
  setInterval(() => document.visibilityState === 'visible' && void syncNow(), AGAIN_MS);
  await syncNow();
  await navigator.serviceWorker?.register('/driver/sw.js', { scope: '/driver' });
};

start().catch((thrown: unknown) =>
  root.replaceChildren(
    el(
      'main',
      {},
      el('h1', {}, 'The page cannot start'),
      el('p', {}, String(thrown)),
      button('Try again', () => window.location.reload()),
    ),
  ),
);
