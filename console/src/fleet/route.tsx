/** One route, or one stop of it, and what a dispatcher may do with it. */
import { useState } from 'react';
import { call, useAction } from '../api.ts';
import { For } from '../session.tsx';
import { Ask, type DialogProps, Facts, Section, State, Trouble } from '../ui.tsx';
import { DriverLink } from './driver-link.tsx';
import { about, type Wish } from './edits.tsx';
import type { Board, Route, Stop } from './shapes.ts';
import { clockOf, isLate, namesOf, windowOf, wordsOf } from './times.ts';

interface RouteProps {
  readonly board: Board;
  readonly route: Route;
  readonly onWish: (wish: Wish) => void;
  /** Resolves once the board is what it has become. */
  readonly onChanged: () => Promise<void>;
}

export const RoutePart = ({
  board,
  route,
  onSelect,
  onWish,
  onChanged,
}: RouteProps & { readonly onSelect: (route: string, stop: string) => void }) => {
  const [isBreaking, setBreaking] = useState(false);
  const { id, vehicle, plate, driver, driverName, state, load, stops, violations } = route;
  return (
    <Section
      title={`Route of ${vehicle}`}
      aside={
        <>
          <a href={`/fleet/v1/routes/${encodeURIComponent(id)}/manifest`} download={`manifest-${id}.pdf`}>
            Manifest
          </a>
          <For role="operate">
            <button type="button" onClick={() => onWish({ kind: 'reassign', route })}>
              Reassign …
            </button>
            {(state === 'planned' || state === 'started') && (
              <button type="button" onClick={() => setBreaking(true)}>
                Broken down …
              </button>
            )}
          </For>
          <For role="administer">
            <DriverLink driver={driver} />
          </For>
        </>
      }
    >
      <Facts
        of={[
          ['State', <State key="state" word={state} />],
          ['Driver', `${driverName} (${driver})`],
          ['Plate', plate],
          [
            'Hours',
            route.startsAt && route.endsAt && `${clockOf(board, route.startsAt)}–${clockOf(board, route.endsAt)}`,
          ],
          ['Load', `${Math.round(load.weightKg ?? 0)} kg · ${(load.volumeM3 ?? 0).toFixed(1)} m³`],
          ['Distance, cost', `${route.distanceKm.toFixed(1)} km · ${route.cost.toFixed(2)}`],
        ]}
      />
      {violations.map(({ message }) => (
        <p key={message} className="bad">
          {message}
        </p>
      ))}
      <ol className="fleet-list">
        {stops.map((stop) => (
          <li key={stop.id}>
            <button type="button" className="quiet" onClick={() => onSelect(id, stop.id)}>
              {wordsOf(board, stop)}
            </button>
          </li>
        ))}
      </ol>
      {isBreaking && (
        <BreakDown
          route={route}
          onClose={() => setBreaking(false)}
          onDone={async () => {
            await onChanged();
            setBreaking(false);
          }}
        />
      )}
    </Section>
  );
};

interface BreakDownProps extends Pick<DialogProps, 'onClose'> {
  readonly route: Route;
  readonly onDone: () => Promise<void>;
}
const BreakDown = ({ route, onClose, onDone }: BreakDownProps) => {
  const [comment, setComment] = useState('');
  const act = useAction(async () => {
    await call(
      'POST',
      `/fleet/v1/routes/${encodeURIComponent(route.id)}/break-down`,
      comment === '' ? {} : { comment },
    );
    await onDone();
  });
  return (
    <Ask
      open
      title={`${route.vehicle} has broken down`}
      confirm="Give the route up"
      busy={act.busy}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    >
      <p>What is not done becomes open again and can be planned anew; its shippers are told that it is delayed.</p>
      <label>
        What happened
        <input value={comment} maxLength={500} onChange={({ target }) => setComment(target.value)} />
      </label>
    </Ask>
  );
};

export const StopPart = ({ board, route, stop, onWish, onChanged }: RouteProps & { readonly stop: Stop }) => {
  const { id, position, tasks, locked, state } = stop;
  const [first] = tasks;
  const lock = useAction(async () => {
    const edit = { kind: locked ? 'unlock' : 'lock', stopIds: [id] };
    try {
      await call('POST', '/fleet/v1/edits', { ...about(board), edit });
    } finally {
      await onChanged();
    }
  });
  const what = tasks.map(({ orderNumber }) => orderNumber).join(', ');
  return (
    <Section
      title={`Stop ${position + 1}, ${namesOf(stop)}`}
      aside={
        <For role="operate">
          <button type="button" disabled={lock.busy} onClick={() => lock.run()}>
            {locked ? 'Unlock' : 'Lock'}
          </button>
          {state === 'pending' && first !== undefined && (
            <>
              <button type="button" onClick={() => onWish({ kind: 'move', taskId: first.id, what })}>
                Move …
              </button>
              <button type="button" onClick={() => onWish({ kind: 'unassign', taskId: first.id, what })}>
                Take off …
              </button>
              {position > 0 && (
                <button type="button" onClick={() => onWish({ kind: 'split', route, position })}>
                  Split here …
                </button>
              )}
            </>
          )}
        </For>
      }
    >
      <Trouble error={lock.error} />
      <Facts
        of={[
          ['State', <State key="state" word={isLate(stop) ? `${state}, late` : state} />],
          ['Expected', clockOf(board, stop.doneAt ?? stop.eta ?? stop.plannedArrival)],
          ['Planned', `${clockOf(board, stop.plannedArrival)}–${clockOf(board, stop.plannedDeparture)}`],
          ['Window', windowOf(board, stop)],
          ['Orders', what],
          ['Address', first?.customer.address.join(', ')],
          ['Weight', `${tasks.reduce((sum, { weightKg }) => sum + weightKg, 0)} kg`],
          ['Skills', tasks.flatMap(({ skills }) => skills).join(', ')],
          ['Reason', stop.reason],
        ]}
      />
    </Section>
  );
};
