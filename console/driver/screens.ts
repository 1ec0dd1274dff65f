/** The list of stops, and what was not sent or was refused. */
import { button, clock, el } from './dom.ts';
import type { App } from './app.ts';
import { goesBack } from './route.ts';
import type { Stop } from '../src/fleet/shapes.ts';
import { isLate, isOver, namesOf } from '../src/fleet/times.ts';

const STATES: Readonly<Record<Stop['state'], string>> = {
  pending: '',
  en_route: 'On the way',
  arrived: 'Arrived',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const windowsOf = ({ tasks }: Stop): string =>
  [...new Set(tasks.flatMap(({ window }) => (window ? [`${clock(window.from)}–${clock(window.to)}`] : [])))].join(', ');
export const stateOf = (stop: Stop): HTMLElement | undefined => {
  const word = isLate(stop) ? [STATES[stop.state], 'Late'].filter(Boolean).join(', ') : STATES[stop.state];
  return word === '' ? undefined : el('b', { class: `state ${isLate(stop) ? 'late' : stop.state}` }, word);
};

const row = (stop: Stop, isNext: boolean): HTMLElement =>
  el(
    'li',
    { class: `${isOver(stop) ? 'over' : ''} ${isNext ? 'next' : ''}` },
    el(
      'a',
      { href: `#/stop/${stop.id}`, id: `stop-${stop.id}` },
      el('span', { class: 'number' }, String(stop.position + 1)),
      el(
        'span',
        { class: 'what' },
        el('strong', {}, namesOf(stop)),
        el('span', {}, stop.tasks[0]?.customer.address.join(', ')),
        el('span', { class: 'faint' }, [windowsOf(stop), kindsOf(stop)].filter(Boolean).join(' · ')),
      ),
      el('span', { class: 'when' }, clock(stop.doneAt ?? stop.eta ?? stop.plannedArrival), stateOf(stop)),
    ),
  );
const kindsOf = ({ tasks }: Stop): string =>
  tasks.map(({ kind, packages }) => `${kind === 'PICKUP' ? 'collect' : 'deliver'} ${packages.length}`).join(', ');

export const backToStops = (): HTMLElement => el('a', { href: '#/', class: 'back' }, '‹ All stops');

export const routeScreen = (app: App): HTMLElement => {
  const { route, known } = app;
  if (route === undefined)
    return el(
      'main',
      {},
      el('h1', {}, known.readAt === undefined ? 'Your route is being fetched' : 'No route today'),
      el(
        'p',
        {},
        known.readAt === undefined ? 'This needs a connection once.' : 'The dispatcher has planned none for you.',
      ),
    );
  const open = route.stops.filter((stop) => !isOver(stop));
  return el(
    'main',
    {},
    el('h1', {}, `${route.stops.length - open.length} of ${route.stops.length} stops done`),
    el('progress', { value: route.stops.length - open.length, max: route.stops.length, 'aria-label': 'Stops done' }),
    el(
      'p',
      { class: 'faint' },
      [
        route.plate ?? route.vehicle,
        `${route.stops.flatMap(({ tasks }) => tasks.flatMap(({ packages }) => packages)).length} packages`,
      ].join(' · '),
    ),
    el('ol', { class: 'stops' }, ...route.stops.map((stop) => row(stop, stop === open[0]))),
    el('footer', {}, ...stepsOf(app, open)),
  );
};

const stepsOf = (app: App, open: readonly Stop[]): readonly HTMLElement[] => {
  const { route } = app;
  if (route?.state === 'planned')
    return [button('Start the route', () => void app.report({ type: 'route_started' }), 'main')];
  if (route?.state !== 'started')
    return [el('p', {}, route?.state === 'finished' ? 'This route is finished.' : 'This route was broken off.')];
  const [next] = open;
  if (next !== undefined)
    return [el('a', { href: `#/stop/${next.id}`, class: 'main button' }, `Next: ${namesOf(next)}`)];
  const finish = async (): Promise<void> => {
    for (const stop of route.stops) {
      const taskIds = stop.tasks.filter(goesBack).map(({ id }) => id);
      if (taskIds.length > 0) await app.report({ type: 'returned_to_depot', stopId: stop.id, taskIds });
    }
    await app.report({ type: 'route_finished' });
  };
  return [button('Back at the depot, finish', () => void finish(), 'main')];
};
export const unsentScreen = (app: App): HTMLElement => {
  const nameOf = (stopId: string | undefined): string => {
    const stop = app.route?.stops.find(({ id }) => id === stopId);
    return stop === undefined ? '' : `${stop.position + 1} ${namesOf(stop)}`;
  };
  return el(
    'main',
    {},
    backToStops(),
    el('h1', {}, 'Not sent yet'),
    app.queue.size === 0
      ? el('p', {}, 'The server has all that was reported.')
      : el('p', { class: 'faint' }, 'It is kept on this device, and sent by itself as soon as there is a connection.'),
    el(
      'ul',
      { class: 'unsent' },
      ...[...app.queue].map(([key, { event, refused }]) =>
        el(
          'li',
          { class: refused === undefined ? '' : 'refused' },
          el('strong', {}, `${clock(event.at)} ${event.type.replaceAll('_', ' ')}`),
          el('span', {}, nameOf(event.stopId)),
          ...(refused ?? []).map((why) => el('span', { class: 'bad' }, why)),
          refused !== undefined && button('Dismiss', () => void app.dismiss(key)),
        ),
      ),
    ),
  );
};
