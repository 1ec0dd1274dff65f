/** Times of a board, by the clock of its depot. */
import type { Board, Stop } from './shapes.ts';

export const clockOf = ({ depot: { timeZone } }: Board, at: string | number): string =>
  new Date(at).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });

export const windowOf = (board: Board, { tasks }: Stop): string =>
  tasks
    .flatMap(({ window }) => (window ? [`${clockOf(board, window.from)}–${clockOf(board, window.to)}`] : []))
    .join(', ');

export const isOver = ({ state }: Stop): boolean => state === 'done' || state === 'failed' || state === 'cancelled';

export const isLate = (stop: Stop): boolean =>
  !isOver(stop) &&
  stop.tasks.some(({ window }) => window && Date.parse(window.to) < Date.parse(stop.eta ?? stop.plannedArrival));

export const namesOf = ({ tasks }: Stop): string => [...new Set(tasks.map(({ customer }) => customer.name))].join(', ');

/** What is seen of a stop, in words, too: its colour repeats them. */
export const wordsOf = (board: Board, stop: Stop): string =>
  [
    `Stop ${stop.position + 1}`,
    namesOf(stop),
    clockOf(board, stop.doneAt ?? stop.eta ?? stop.plannedArrival),
    stop.state.replace('_', ' '),
    ...(isLate(stop) ? ['late'] : []),
    ...(stop.locked ? ['locked'] : []),
  ].join(', ');
