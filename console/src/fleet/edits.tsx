/** Changes by hand: what one costs is said before it is made. */
import { useEffect, useState } from 'react';
import { asRefused, call, type Refused, useAction, useRead } from '../api.ts';
import { Ask, type DialogProps } from '../ui.tsx';
import type { Board, Edit, Edited, Option, Resource, Route } from './shapes.ts';
import { clockOf } from './times.ts';

export type Wish =
  | { readonly kind: 'move' | 'unassign'; readonly taskId: string; readonly what: string }
  | { readonly kind: 'split'; readonly route: Route; readonly position: number }
  | { readonly kind: 'reassign'; readonly route: Route };

interface EditProps extends Pick<DialogProps, 'onClose'> {
  readonly onDone: () => Promise<void>;
  readonly board: Board;
  readonly wish: Wish;
}

const TITLES = { move: 'Move', unassign: 'Take off its route', split: 'Split', reassign: 'Reassign' } as const;

export const EditDialog = ({ board, wish, onClose, onDone }: EditProps) => {
  const [edit, setEdit] = useState<Edit | undefined>(
    wish.kind === 'unassign' ? { kind: 'unassign', taskId: wish.taskId } : undefined,
  );
  const { said, error, forget } = useCost(board, edit);
  const breaks = (said?.violations.length ?? 0) > 0;
  const act = useAction(async () => {
    await call('POST', '/fleet/v1/edits', { ...about(board), edit, ...(breaks ? { force: true } : {}) }).catch(
      (thrown: unknown) => {
        forget();
        throw thrown;
      },
    );
    await onDone();
  });
  return (
    <Ask
      open
      title={`${TITLES[wish.kind]}: ${'what' in wish ? wish.what : wish.route.vehicle}`}
      {...(said === undefined ? {} : { confirm: breaks ? `${TITLES[wish.kind]} all the same` : TITLES[wish.kind] })}
      busy={act.busy}
      error={act.error ?? error}
      onConfirm={() => said !== undefined && act.run()}
      onClose={onClose}
    >
      {wish.kind === 'move' && <Places board={board} taskId={wish.taskId} onEdit={setEdit} />}
      {(wish.kind === 'split' || wish.kind === 'reassign') && <Crew board={board} wish={wish} onEdit={setEdit} />}
      <div role="status">
        {said !== undefined && (
          <>
            <p>
              Cost {said.cost.before.toFixed(2)} → {said.cost.after.toFixed(2)} (
              {signed(said.cost.after - said.cost.before, 2)}
              ), {signed(said.cost.distanceKm - board.costs.distanceKm, 1)} km
            </p>
            {said.violations.map(({ message }) => (
              <p key={message} className="bad">
                {message}
              </p>
            ))}
          </>
        )}
      </div>
    </Ask>
  );
};

const signed = (value: number, digits: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
export const about = ({ depot: { code }, day, version }: Board) => ({ depot: code, day, version });

/** What it would cost, of the edit that was asked about last. */
const useCost = (board: Board, edit: Edit | undefined) => {
  const [state, setState] = useState<{ said?: Edited; error?: Refused }>({});
  const wanted = edit && JSON.stringify({ ...about(board), edit });
  useEffect(() => {
    setState({});
    if (wanted === undefined) return;
    const stop = new AbortController();
    const body = { ...(JSON.parse(wanted) as object), dryRun: true };
    call<Edited>('POST', '/fleet/v1/edits', body, { signal: stop.signal }).then(
      (said) => setState({ said }),
      (thrown: unknown) => stop.signal.aborted || setState({ error: asRefused(thrown) }),
    );
    return () => stop.abort();
  }, [wanted]);
  return { ...state, forget: () => setState({}) };
};

/** Where a task could go, the cheapest first, and why it cannot go elsewhere. */
const Places = ({
  board,
  taskId,
  onEdit,
}: {
  readonly board: Board;
  readonly taskId: string;
  readonly onEdit: (edit: Edit) => void;
}) => {
  const { reply, error } = useRead<{ why?: string; options: readonly Option[] }>(
    `/fleet/v1/tasks/${encodeURIComponent(taskId)}/explanation?day=${board.day}`,
  );
  const [routeId, setRouteId] = useState('');
  const [position, setPosition] = useState('');
  useEffect(() => {
    const best = reply?.options.find((option) => option.routeId === routeId)?.position;
    const place = position === '' ? best : Number(position) - 1;
    if (routeId !== '') onEdit({ kind: 'move', taskId, routeId, ...(place === undefined ? {} : { position: place }) });
  }, [reply, routeId, position, taskId, onEdit]);
  if (reply === undefined) return <p className="faint">{error?.message ?? 'Loading …'}</p>;
  const options = reply.options.toSorted((a, b) => (a.addedCost ?? Infinity) - (b.addedCost ?? Infinity));
  return (
    <>
      {reply.why !== undefined && <p>{reply.why}</p>}
      <fieldset>
        <legend>To which route</legend>
        {options.map(({ routeId: id, vehicle, driver, addedCost, addedKm, arrival, why, position: best }) => (
          <label key={driver} className="option">
            <input
              type="radio"
              name="route"
              checked={routeId === id}
              disabled={id === undefined}
              onChange={() => setRouteId(id ?? '')}
            />
            <span>
              <strong>{vehicle ?? 'No route yet'}</strong> {driver}:{' '}
              {why ??
                `+${(addedCost ?? 0).toFixed(2)}, +${(addedKm ?? 0).toFixed(1)} km as stop ${(best ?? 0) + 1}${arrival === undefined ? '' : ` at ${clockOf(board, arrival)}`}`}
            </span>
          </label>
        ))}
      </fieldset>
      <label>
        As which stop (empty: where it costs least)
        <input type="number" min={1} value={position} onChange={({ target }) => setPosition(target.value)} />
      </label>
    </>
  );
};

/** Who drives what. */
const Crew = ({
  board,
  wish,
  onEdit,
}: {
  readonly board: Board;
  readonly wish: Extract<Wish, { route: Route }>;
  readonly onEdit: (edit: Edit) => void;
}) => {
  const vehicles = useOf('vehicles', board);
  const drivers = useOf('drivers', board);
  const isSplit = wish.kind === 'split';
  const [vehicle, setVehicle] = useState(isSplit ? '' : wish.route.vehicle);
  const [driver, setDriver] = useState(isSplit ? '' : wish.route.driver);
  const { route } = wish;
  const position = wish.kind === 'split' ? wish.position : undefined;
  useEffect(() => {
    if (vehicle === '' || driver === '') return;
    if (position !== undefined) onEdit({ kind: 'split', routeId: route.id, position, vehicle, driver });
    else if (vehicle !== route.vehicle || driver !== route.driver)
      onEdit({ kind: 'reassign', routeId: route.id, vehicle, driver });
  }, [vehicle, driver, position, route, onEdit]);
  return (
    <>
      {isSplit && <p>Stop {wish.position + 1} and those after it go to a new route.</p>}
      <Pick label="Vehicle" value={vehicle} among={vehicles} onPick={setVehicle} />
      <Pick label="Driver" value={driver} among={drivers} onPick={setDriver} />
    </>
  );
};

const useOf = (kind: 'vehicles' | 'drivers', { depot }: Board): readonly Resource[] =>
  useRead<{ items: readonly Resource[] }>(`/fleet/v1/resources/${kind}`).reply?.items.filter(
    ({ data }) => data['depot'] === depot.code && data['active'] !== false,
  ) ?? [];

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly among: readonly Resource[];
  readonly onPick: (code: string) => void;
}
const Pick = ({ label, value, among, onPick }: PickProps) => (
  <label>
    {label}
    <select value={value} required onChange={({ target }) => onPick(target.value)}>
      <option value="">Choose …</option>
      {among.map(({ code, data }) => (
        <option key={code} value={code}>
          {[code, data['name'] ?? data['type']].join(' ')}
        </option>
      ))}
    </select>
  </label>
);
