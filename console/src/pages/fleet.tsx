/** The own fleet: a day of a depot, and what the fleet has. */
import { useState } from 'react';
import { useRead } from '../api.ts';
import { EditDialog, type Wish } from '../fleet/edits.tsx';
import { Map } from '../fleet/map.tsx';
import { PlanPart } from '../fleet/plan.tsx';
import { Resources } from '../fleet/resources.tsx';
import { RoutePart, StopPart } from '../fleet/route.tsx';
import { Timeline } from '../fleet/timeline.tsx';
import type { Board, Resource } from '../fleet/shapes.ts';
import { For } from '../session.tsx';
import { Facts, Page, Section, Trouble, useFilters } from '../ui.tsx';

const BOARD_EVERY_MS = 15_000;
/** At the depot. */
const today = (timeZone: unknown): string =>
  new Date().toLocaleDateString('sv-SE', typeof timeZone === 'string' ? { timeZone } : {});

export const Fleet = () => {
  const depots = useRead<{ items: readonly Resource[] }>('/fleet/v1/resources/depots');
  const { values, set } = useFilters(['depot', 'day', 'plan', 'route', 'stop', 'kind']);
  const items = depots.reply?.items ?? [];
  const depot = values.depot === '' ? (items[0]?.code ?? '') : values.depot;
  const day = values.day === '' ? today(items.find(({ code }) => code === depot)?.data['timeZone']) : values.day;
  return (
    <Page
      title="Fleet"
      aside={
        <button type="button" onClick={() => set({ kind: values.kind === '' ? 'depots' : '' })}>
          {values.kind === '' ? 'Resources' : 'Routes of the day'}
        </button>
      }
    >
      <Trouble error={depots.error} />
      {values.kind !== '' ? (
        <Resources kind={values.kind} onKind={(kind) => set({ kind })} />
      ) : (
        <>
          <div className="filters">
            <label>
              Depot
              <select
                value={depot}
                onChange={({ target }) => set({ depot: target.value, plan: '', route: '', stop: '' })}
              >
                {items.map(({ code, data }) => (
                  <option key={code} value={code}>
                    {String(data['name'])}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Day
              <input
                type="date"
                value={day}
                onChange={({ target }) => set({ day: target.value, plan: '', route: '', stop: '' })}
              />
            </label>
          </div>
          {depots.reply !== undefined && items.length === 0 && (
            <p className="empty">There is no depot yet: import depots, vehicles and drivers under Resources.</p>
          )}
          {depot !== '' && (
            <Day
              depot={depot}
              day={day}
              plan={values.plan}
              route={values.route}
              stop={values.stop}
              onSelect={(route, stop) => set({ route, stop })}
              onPlan={(plan) => set({ plan })}
            />
          )}
        </>
      )}
    </Page>
  );
};

interface DayProps {
  readonly depot: string;
  readonly day: string;
  readonly plan: string;
  readonly route: string;
  readonly stop: string;
  readonly onSelect: (route: string, stop: string) => void;
  readonly onPlan: (plan: string) => void;
}

const Day = ({ depot, day, plan, onPlan, onSelect, ...asked }: DayProps) => {
  const {
    reply: board,
    error,
    reload,
    reloaded,
  } = useRead<Board>(`/fleet/v1/board?${new URLSearchParams({ depot, day })}`, BOARD_EVERY_MS);
  const [wish, setWish] = useState<Wish>();
  // A stop stays selected when it comes to another route.
  const route =
    board?.routes.find(({ stops }) => stops.some(({ id }) => id === asked.stop)) ??
    board?.routes.find(({ id }) => id === asked.route);
  const stop = route?.stops.find(({ id }) => id === asked.stop);
  const selected = { route: route?.id ?? '', stop: stop?.id ?? '' };
  const stops = board?.routes.flatMap((one) => one.stops) ?? [];
  return (
    <>
      <For role="operate">
        <PlanPart depot={depot} day={day} plan={plan} onPlan={onPlan} onAdopted={reload} />
      </For>
      <Trouble error={error} />
      {board !== undefined && (
        <>
          <Facts
            of={[
              ['Routes', board.routes.length],
              ['Stops', `${stops.filter(({ state }) => state === 'done').length} of ${stops.length} done`],
              ['Without a route', board.unassigned.length],
              ['Distance', `${Math.round(board.costs.distanceKm)} km`],
              ['Cost', board.costs.cost.toFixed(2)],
            ]}
          />
          <Section title="Routes">
            {board.routes.length === 0 ? (
              <p className="empty">No routes yet: plan the day, then adopt the plan.</p>
            ) : (
              <Timeline board={board} selected={selected} onSelect={onSelect} />
            )}
          </Section>
          <div className="fleet-halves">
            <div>
              {stop !== undefined && route !== undefined && (
                <StopPart board={board} route={route} stop={stop} onWish={setWish} onChanged={reloaded} />
              )}
              {route !== undefined && (
                <RoutePart board={board} route={route} onSelect={onSelect} onWish={setWish} onChanged={reloaded} />
              )}
              <Unassigned board={board} onWish={setWish} />
            </div>
            <Map board={board} selected={selected} onSelect={onSelect} />
          </div>
          {wish !== undefined && (
            <EditDialog
              board={board}
              wish={wish}
              onClose={() => setWish(undefined)}
              onDone={async () => {
                await reloaded();
                setWish((now) => (now === wish ? undefined : now));
              }}
            />
          )}
        </>
      )}
    </>
  );
};

const Unassigned = ({ board, onWish }: { readonly board: Board; readonly onWish: (wish: Wish) => void }) => (
  <Section title="Without a route">
    {board.unassigned.length === 0 && <p className="faint">Every task of the day has a route.</p>}
    {board.left > 0 && <p className="bad">{board.left} more are open than a day can plan: plan them on another day.</p>}
    <ul className="fleet-list">
      {board.unassigned.map(({ task, why }) => (
        <li key={task.id}>
          <strong>{task.orderNumber}</strong> {task.customer.name}, {task.customer.address.join(', ')}
          <p>{why ?? 'Not planned yet'}</p>
          <For role="operate">
            <button type="button" onClick={() => onWish({ kind: 'move', taskId: task.id, what: task.orderNumber })}>
              Assign {task.orderNumber} …
            </button>
          </For>
        </li>
      ))}
    </ul>
  </Section>
);
