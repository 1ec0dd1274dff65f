/** One stop: whom, when and where, its packages, and what can be reported of it. */
import type { Stop, Task } from '../src/fleet/shapes.ts';
import { canScan, scan } from './scan.ts';
import { button, check, clock, el, field } from './dom.ts';
import type { App } from './app.ts';
import { isOver, namesOf } from '../src/fleet/times.ts';
import { isSettled } from './route.ts';
import { backToStops, stateOf, windowsOf } from './screens.ts';

export const stopScreen = (app: App, id: string): HTMLElement => {
  const stop = app.route?.stops.find((one) => one.id === id);
  if (stop === undefined) return goneScreen();
  const { position, latitude, longitude, tasks, eta, plannedArrival } = stop;
  const [first] = tasks;
  const phones = [...new Set(tasks.flatMap(({ customer }) => customer.phone ?? []))];
  const place = `${latitude},${longitude}`;
  // Where there is no app for geo: links, there is one for these.
  const isApple = /iPhone|iPad|Macintosh/.test(navigator.userAgent);
  const navigation = isApple
    ? `https://maps.apple.com/?daddr=${place}`
    : `geo:${place}?q=${place}(${encodeURIComponent(namesOf(stop))})`;
  return el(
    'main',
    {},
    backToStops(),
    el('h1', {}, `${position + 1} · ${namesOf(stop)}`),
    el('p', {}, ...(first?.customer.address ?? []).flatMap((line) => [line, el('br')])),
    el(
      'p',
      { class: 'times' },
      el('span', {}, `ETA ${clock(eta ?? plannedArrival)}`),
      windowsOf(stop) !== '' && el('span', {}, `Window ${windowsOf(stop)}`),
      stateOf(stop),
    ),
    el(
      'nav',
      { 'aria-label': 'Way and contact' },
      el('a', { href: navigation, class: 'button' }, 'Navigate'),
      el(
        'a',
        {
          href: `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=18/${latitude}/${longitude}`,
          class: 'button',
          target: '_blank',
          rel: 'noreferrer noopener',
        },
        'Map',
      ),
      ...phones.map((phone) =>
        el('a', { href: `tel:${phone.replaceAll(/[^+\d]/g, '')}`, class: 'button' }, `Call ${phone}`),
      ),
    ),
    ...tasks.map((task) => taskPart(task)),
    packagesPart(app, stop),
    el('footer', {}, ...stepsOf(app, stop)),
  );
};

export const goneScreen = (): HTMLElement =>
  el('main', {}, backToStops(), el('h1', {}, 'This stop is not on your route any more'));

const taskPart = ({ kind, orderNumber, instructions, cod, crew, vas, state }: Task): HTMLElement =>
  el(
    'section',
    { 'aria-label': `Order ${orderNumber}` },
    el('h2', {}, `${kind === 'PICKUP' ? 'Collect' : 'Deliver'} ${orderNumber}`),
    isSettled({ state }) && el('b', { class: 'state' }, state.replaceAll('_', ' ')),
    cod && el('p', { class: 'notice' }, `Cash on delivery: ${cod.amount.toFixed(2)} ${cod.currency}`),
    instructions !== undefined && el('p', { class: 'notice' }, instructions),
    crew > 1 && el('p', {}, `${crew} people are needed`),
    vas.length > 0 &&
      el(
        'ul',
        {},
        ...vas.map(({ vasCode, itemReferenceNumber, remark }) =>
          el('li', {}, [vasCode.replaceAll('_', ' '), itemReferenceNumber, remark].filter(Boolean).join(' · ')),
        ),
      ),
  );

/** The screen may have been drawn anew while the camera looked. */
const say = (text: string): void => document.querySelector('#said')?.replaceChildren(text);

/** Checked by hand, by a number typed (or sent by a scanner), or by the camera. */
const packagesPart = (app: App, { id, tasks }: Stop): HTMLElement => {
  const packages = tasks.flatMap((task) => task.packages);
  const scanned = new Set(app.known.scanned?.[id]);
  const take = async (text: string): Promise<void> => {
    const number = text.trim().toUpperCase();
    const found = packages.find(({ trackingNumber, itemReferenceNumber }) =>
      [trackingNumber, itemReferenceNumber].some((one) => one.toUpperCase() === number),
    );
    if (found === undefined) return say(`${text} is not a package of this stop`);
    say('');
    await app.noteScanned(id, found.itemReferenceNumber, true);
  };
  const input = el('input', {
    id: 'number',
    'data-keep': true,
    autocomplete: 'off',
    autocapitalize: 'characters',
    enterkeyhint: 'done',
  });
  const form = el(
    'form',
    {
      class: 'scan',
      submit: (event) => {
        event.preventDefault();
        const { value } = input;
        input.value = '';
        void take(value);
      },
    },
    field('Number of a package', input),
    canScan() && button('Scan', () => void scan((text) => void take(text))),
  );
  const rows = packages.map(({ itemReferenceNumber, trackingNumber, description }) => {
    const [label, box] = check(
      [trackingNumber, description].filter(Boolean).join(' · '),
      scanned.has(itemReferenceNumber),
    );
    box.id = `package-${itemReferenceNumber}`;
    box.addEventListener('change', () => void app.noteScanned(id, itemReferenceNumber, box.checked));
    return el('li', {}, label);
  });
  return el(
    'section',
    { 'aria-label': 'Packages' },
    el('h2', {}, `Packages: ${scanned.size} of ${packages.length} checked`),
    el('ul', { class: 'packages' }, ...rows),
    form,
    el('p', { role: 'status', id: 'said', 'data-keep': true }),
  );
};

const stepsOf = (app: App, stop: Stop): readonly HTMLElement[] => {
  const { id, state, tasks } = stop;
  if (app.route?.state !== 'started') return [el('p', {}, 'Start the route to report on this stop.')];
  const to = (form: string, text: string, kind = ''): HTMLElement =>
    el('a', { href: `#/stop/${id}/${form}`, class: `button ${kind}` }, text);
  const done = tasks.every(({ kind }) => kind === 'PICKUP') ? 'Collected' : 'Delivered';
  const outcomes = (kind: string): readonly HTMLElement[] => [
    to('delivered', done, kind),
    to('partly_delivered', 'Partly'),
    to('failed', 'Failed'),
  ];
  if (isOver(stop))
    return state === 'cancelled'
      ? [el('p', {}, 'This stop was cancelled.')]
      : [el('details', {}, el('summary', {}, 'Report something else'), ...outcomes(''))];
  const step = (type: 'en_route' | 'arrived', text: string, kind: string): HTMLElement =>
    button(text, () => void app.report({ type, stopId: id }), kind);
  const arrived = (kind: string): HTMLElement => step('arrived', 'Arrived', kind);
  if (state === 'pending') return [step('en_route', 'On my way', 'main'), arrived(''), to('delayed', 'Delayed')];
  if (state === 'en_route') return [arrived('main'), to('failed', 'Failed'), to('delayed', 'Delayed')];
  return outcomes('main');
};
