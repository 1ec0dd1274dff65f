/** What waits, what is not well, and where it is mended. */
import { Link } from 'wouter';
import { useList, useRead } from '../api.ts';
import type { AnyWebhook, Backlog, Breaker, Loaded } from '../types.ts';
import { Page, Section, State, Table, Time, Trouble } from '../ui.tsx';

const EVERY_MS = 5_000;

export const Overview = () => {
  const queues = useRead<{ data: readonly Backlog[] }>('/admin/queues', EVERY_MS);
  const breakers = useRead<{ data: readonly Breaker[] }>('/admin/breakers', EVERY_MS);
  const loaded = useRead<Loaded>('/admin/carriers', 4 * EVERY_MS);
  const held = useRead<Some>('/admin/dispatches/held?limit=50', EVERY_MS);
  const labels = useRead<Some>('/admin/labels/failed?limit=50', 4 * EVERY_MS);
  const pushes = useRead<Some>('/admin/pushes?reason=unmatched&limit=50', 4 * EVERY_MS);
  const webhooks = useList<AnyWebhook>('/admin/webhooks');
  const rows = queues.reply?.data;
  const waiting = (of?: string): number | undefined =>
    rows
      ?.filter(({ queue, carrier }) => queue === 'dispatches' && (of === undefined || carrier === of))
      .reduce((sum, { count }) => sum + count, 0);
  const failing = webhooks.entries?.filter(
    ({ state, failingSince }) => state === 'paused' || failingSince !== undefined,
  );
  return (
    <Page title="Overview">
      <Trouble
        error={
          [queues, breakers, loaded, held, labels, pushes, webhooks].find(({ error }) => error !== undefined)?.error
        }
      />
      <ul className="tiles">
        <Tile name="Held dispatches" count={held.reply?.data.length} most={50} href="/inboxes/held" isBad />
        <Tile name="Waiting dispatches" count={waiting()} href="/consignments?acceptance=pending" />
        <Tile name="Failed labels" count={labels.reply?.data.length} most={50} href="/inboxes/labels" isBad />
        <Tile
          name="Pushes that fit nothing"
          count={pushes.reply?.data.length}
          most={50}
          href="/inboxes/unmatched"
          isBad
        />
        <Tile name="Webhooks that fail or pause" count={failing?.length} href="/webhooks" isBad />
        <Tile name="Findings in profiles" count={loaded.reply?.findings.length} href="/carriers" isBad />
      </ul>
      <Section title="Carriers">
        <Table
          what="Carriers"
          list={{ entries: breakers.reply?.data, error: breakers.error, more: undefined }}
          keyOf={({ carrier, account }) => `${carrier}/${account ?? ''}`}
          hrefOf={({ carrier }) => `/carriers/${carrier}`}
          empty={
            <p>
              No carrier is loaded. <Link href="/carriers">What keeps them from loading</Link>
            </p>
          }
          columns={[
            {
              name: 'Carrier',
              show: ({ carrier, account }) => (account === undefined ? carrier : `${carrier}, account ${account}`),
            },
            { name: 'Circuit breaker', show: ({ state }) => <State word={state} /> },
            { name: 'Failures in a row', show: ({ failures }) => failures },
            { name: 'Last call', show: ({ lastCallAt }) => <Time at={lastCallAt} /> },
            { name: 'Last good call', show: ({ lastGoodCallAt }) => <Time at={lastGoodCallAt} /> },
            { name: 'Waiting', show: ({ carrier }) => waiting(carrier) },
          ]}
        />
      </Section>
      <Section title="Queues">
        <Table
          what="Queues"
          list={{ entries: rows, error: queues.error, more: undefined }}
          keyOf={({ queue, carrier, state }) => `${queue}/${carrier ?? ''}/${state}`}
          empty={<p>Nothing waits.</p>}
          columns={[
            { name: 'Queue', show: ({ queue }) => queue },
            { name: 'Carrier', show: ({ carrier }) => carrier },
            { name: 'State', show: ({ state }) => <State word={state} /> },
            { name: 'Count', show: ({ count }) => count },
            { name: 'Due now', show: ({ due }) => due },
            { name: 'Oldest due', show: ({ oldestDueAt }) => <Time at={oldestDueAt} /> },
          ]}
        />
      </Section>
    </Page>
  );
};

interface Some {
  readonly data: readonly unknown[];
}

const Tile = ({
  name,
  count,
  href,
  isBad = false,
  most,
}: {
  readonly name: string;
  readonly count: number | undefined;
  readonly href: string;
  readonly isBad?: boolean;
  readonly most?: number;
}) => (
  <li className={isBad && (count ?? 0) > 0 ? 'tile bad' : 'tile'}>
    <Link href={href}>
      <b>{count === undefined ? '…' : count === most ? `${count} +` : count}</b>
      {name}
    </Link>
  </li>
);
