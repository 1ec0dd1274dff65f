/** What needs attention, how carriers are doing, and what is queued; kept up to date while it is looked at. */
import { Link } from 'wouter';
import { useList, useRead } from '../api.ts';
import { Table } from '../table.tsx';
import type { Activity, AnyWebhook, Backlog, Breaker, Loaded } from '../types.ts';
import { Page, Section, State, Time, Trouble } from '../ui.tsx';

const EVERY_MS = 5_000;

export const Overview = () => {
  const activity = useRead<Activity>('/admin/activity', EVERY_MS);
  const queues = useRead<{ data: readonly Backlog[] }>('/admin/queues', EVERY_MS);
  const breakers = useRead<{ data: readonly Breaker[] }>('/admin/breakers', EVERY_MS);
  const loaded = useRead<Loaded>('/admin/carriers', 4 * EVERY_MS);
  const webhooks = useList<AnyWebhook>('/admin/webhooks');
  const failing = webhooks.entries?.filter(
    ({ state, failingSince }) => state === 'paused' || failingSince !== undefined,
  );
  const { heldDispatches, failedLabels, pushes, carriers } = activity.reply ?? {};
  const waiting = (queue: string): number | undefined =>
    queues.reply?.data.filter((one) => one.queue === queue).reduce((sum, { count }) => sum + count, 0);
  const called = carriers?.filter((one) => one.held + one.succeeded + one.rejected + one.failed > 0) ?? [];
  const idle = carriers?.filter((one) => !called.includes(one)) ?? [];
  const stateOf = (code: string): Breaker['state'] | undefined => {
    const own = breakers.reply?.data.filter(({ carrier }) => carrier === code);
    return own?.find(({ state }) => state !== 'closed')?.state ?? own?.[0]?.state;
  };
  return (
    <Page title="Overview">
      <Trouble error={[activity, queues, breakers, loaded, webhooks].find(({ error }) => error !== undefined)?.error} />
      <ul className="tiles" aria-label="Needs attention">
        <Tile name="Held dispatches" count={heldDispatches} href="/inboxes/held" isBad />
        <Tile name="Unmatched pushes" count={pushes?.unmatched} href="/inboxes/unmatched" isBad />
        <Tile
          name="Ambiguous pushes"
          count={pushes?.ambiguous}
          href="/inboxes/unmatched?reason=ambiguous"
          isBad
          isRare
        />
        <Tile name="Unreadable pushes" count={pushes?.failed} href="/inboxes/unmatched?reason=failed" isBad isRare />
        <Tile name="Unmapped statuses" count={pushes?.unmapped} href="/inboxes/unmapped" isBad />
        <Tile name="Failed labels" count={failedLabels} href="/inboxes/labels" isBad />
        <Tile name="Failing or paused webhooks" count={failing?.length} href="/webhooks" isBad />
        <Tile name="Profile findings" count={loaded.reply?.findings.length} href="/carriers" isBad />
        <Tile name="Queued dispatches" count={waiting('dispatches')} href="/inboxes/waiting" />
        <Tile name="Queued deliveries" count={waiting('deliveries')} href="/webhooks?state=waiting" />
      </ul>
      <Section title="Carriers, last 24 hours">
        {carriers !== undefined && called.length === 0 && (
          <div className="empty">
            <p>
              No carrier was called in the last 24 hours. <Link href="/onboarding">Set up a shipper and a carrier</Link>
              , then send the first order.
            </p>
          </div>
        )}
        <ul className="cards">
          {called.map((one) => (
            <CarrierCard key={one.carrier} of={one} breaker={stateOf(one.carrier)} />
          ))}
        </ul>
        {idle.length > 0 && (
          <p className="faint">
            Not called:{' '}
            {idle.map(({ carrier, name }, at) => (
              <span key={carrier}>
                {at > 0 && ', '}
                <Link href={`/carriers/${carrier}`}>{name}</Link>
              </span>
            ))}
          </p>
        )}
      </Section>
      <Section title="Queues">
        <Table
          what="Queues"
          list={{ entries: queues.reply?.data, error: queues.error, more: undefined }}
          keyOf={({ queue, carrier, state }) => `${queue}/${carrier ?? ''}/${state}`}
          empty={<p>The queues are empty.</p>}
          columns={[
            { name: 'Queue', show: ({ queue }) => queue },
            {
              name: 'Carrier',
              show: ({ carrier }) => carrier !== undefined && <Link href={`/carriers/${carrier}`}>{carrier}</Link>,
            },
            { name: 'State', show: ({ state }) => <State word={state} /> },
            { name: 'Count', show: ({ count }) => count.toLocaleString() },
            { name: 'Due now', show: ({ due }) => due.toLocaleString() },
            { name: 'Oldest due', show: ({ oldestDueAt }) => <Time at={oldestDueAt} /> },
          ]}
        />
      </Section>
    </Page>
  );
};

type Card = Activity['carriers'][number];

const CarrierCard = ({ of, breaker }: { readonly of: Card; readonly breaker: Breaker['state'] | undefined }) => {
  const { carrier, name, succeeded, rejected, failed, held, p95Ms, lastFailure, hours } = of;
  const calls = succeeded + rejected + failed;
  return (
    <li className="card">
      <header>
        <h3>
          <Link href={`/carriers/${carrier}`}>{name}</Link>
        </h3>
        {breaker !== undefined && (
          <span className="faint">
            breaker <State word={breaker} />
          </span>
        )}
      </header>
      <dl className="figures">
        <Figure name="Success" value={calls === 0 ? '–' : percent(succeeded, calls)} />
        <Figure name="Rejected" value={rejected.toLocaleString()} />
        <Figure name="Failed" value={failed.toLocaleString()} isBad={failed > 0} />
        <div>
          <dt>Held</dt>
          <dd>
            {held === 0 ? (
              0
            ) : (
              <Link className="bad" href={`/inboxes/held?carrier=${encodeURIComponent(carrier)}`}>
                {held.toLocaleString()}
              </Link>
            )}
          </dd>
        </div>
        <Figure name="p95" value={p95Ms === undefined ? '–' : durationOf(p95Ms)} />
        <Figure name="Calls" value={calls.toLocaleString()} />
      </dl>
      <Trend hours={hours} />
      {lastFailure !== undefined && (
        <p className="last">
          <span className="faint">Last error </span>
          {lastFailure.consignmentId === undefined ? (
            <Time at={lastFailure.at} />
          ) : (
            <Link href={`/consignments/${lastFailure.consignmentId}`}>
              <Time at={lastFailure.at} />
            </Link>
          )}{' '}
          {lastFailure.status} {lastFailure.message ?? lastFailure.outcome.replaceAll('_', ' ')}
        </p>
      )}
    </li>
  );
};

const percent = (part: number, whole: number): string => {
  const share = (part * 100) / whole;
  return `${share === 100 || share === 0 ? share : share.toFixed(1)}%`;
};
const durationOf = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

const Figure = ({
  name,
  value,
  isBad = false,
}: {
  readonly name: string;
  readonly value: string;
  readonly isBad?: boolean;
}) => (
  <div>
    <dt>{name}</dt>
    <dd className={isBad ? 'bad' : undefined}>{value}</dd>
  </div>
);

const HEIGHT = 36;
const BAR = 10;

/** A bar an hour: what succeeded, above it what was rejected, above that what failed. */
const Trend = ({ hours }: { readonly hours: Card['hours'] }) => {
  const most = Math.max(1, ...hours.map(({ succeeded, rejected, failed }) => succeeded + rejected + failed));
  const total = hours.reduce((sum, { failed }) => sum + failed, 0);
  return (
    <svg
      className="trend"
      viewBox={`0 0 ${hours.length * BAR} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Calls by hour, at most ${most}; ${total} failed`}
    >
      {hours.map(({ succeeded, rejected, failed }, at) => {
        let top = HEIGHT;
        return (['good', 'busy', 'bad'] as const).map((kind, part) => {
          const height = (([succeeded, rejected, failed][part] ?? 0) / most) * HEIGHT;
          top -= height;
          return height === 0 ? null : (
            <rect key={`${at} ${kind}`} className={kind} x={at * BAR + 1} y={top} width={BAR - 2} height={height} />
          );
        });
      })}
    </svg>
  );
};

const Tile = ({
  name,
  count,
  href,
  isBad = false,
  isRare = false,
}: {
  readonly name: string;
  readonly count: number | undefined;
  readonly href: string;
  readonly isBad?: boolean;
  /** Shown only where there is something. */
  readonly isRare?: boolean;
}) =>
  isRare && (count ?? 0) === 0 ? null : (
    <li className={isBad && (count ?? 0) > 0 ? 'tile bad' : 'tile'}>
      <Link href={href}>
        <b>{count === undefined ? '…' : count.toLocaleString()}</b>
        {name}
      </Link>
    </li>
  );
