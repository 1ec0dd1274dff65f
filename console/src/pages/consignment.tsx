/** One consignment: its numbers, what can be done about it, and all that happened on one timeline. */
import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api.ts';
import { Explanation } from '../explanation.tsx';
import { Label } from '../label.tsx';
import { For } from '../session.tsx';
import { Cancel, Resolve, Retry, RetryLabel, SendNow } from '../story/actions.tsx';
import { Timeline } from '../story/timeline.tsx';
import { Table } from '../table.tsx';
import type { Story } from '../types.ts';
import { Code, Copy, Facts, Page, Section, State, Time, Trouble, useFilters, whose } from '../ui.tsx';

const EVERY_MS = 5_000;

export const Consignment = ({ id }: { readonly id: string }) => {
  const { reply: story, error, reload } = useRead<Story>(`/admin/consignments/${encodeURIComponent(id)}`, EVERY_MS);
  const { values, set } = useFilters(['explain']);
  if (story === undefined)
    return (
      <Page title="Consignment">
        {error === undefined ? <p className="faint">Loading …</p> : <Trouble error={error} />}
        <Link href="/consignments">All consignments</Link>
      </Page>
    );
  const held = story.dispatches.find(({ state }) => state === 'held');
  const waiting = story.dispatches.find(({ state }) => state === 'waiting');
  return (
    <Page
      title={story.referenceNumber}
      aside={
        <>
          <Copy text={story.referenceNumber} what="reference number" />
          <State word={story.acceptance} />
          <For role="operate">
            {held !== undefined && <Retry dispatchId={held.id} onDone={reload} />}
            {held !== undefined && <Resolve story={story} dispatch={held} onDone={reload} />}
            {waiting !== undefined && <SendNow dispatchId={waiting.id} onDone={reload} />}
            {story.acceptance !== 'cancelled' && story.acceptance !== 'rejected' && (
              <Cancel id={story.id} onDone={reload} />
            )}
          </For>
        </>
      }
    >
      <Trouble error={error} />
      {story.reason !== undefined && (
        <p className="trouble">
          <strong>{story.reason.message}</strong> <code>{story.reason.code}</code>
        </p>
      )}
      <Facts
        of={[
          ['Shipper', whose(story.shipper, story.environment)],
          ['Carrier', <Link href={`/carriers/${story.carrierCode}`}>{story.carrierCode}</Link>],
          ['Status', story.status],
          ['Order number', story.orderNumber],
          ['Consignment number', story.consignmentNumber],
          ['Order types', story.orderTypes.join(', ')],
          ['Created', <Time at={story.createdAt} full />],
        ]}
      />
      <div className="columns">
        <Section title="Timeline">
          {story.cut.length > 0 && <p className="faint">Only the newest of these are shown: {story.cut.join(', ')}.</p>}
          <Timeline story={story} onExplain={(dispatchId) => set({ explain: String(dispatchId) })} onDone={reload} />
        </Section>
        <div>
          <Packages story={story} />
          <Labels story={story} onDone={reload} />
          <Section title="Order">
            <details>
              <summary>As the shipper sent it</summary>
              <Code what="order" text={JSON.stringify(story.order)} />
            </details>
            <details>
              <summary>In the canonical form that mappings read</summary>
              <Code what="canonical consignment" text={JSON.stringify(story.canonical)} />
            </details>
          </Section>
        </div>
      </div>
      {values.explain !== '' && (
        <Explanation dispatchId={Number(values.explain)} onClose={() => set({ explain: '' })} />
      )}
    </Page>
  );
};

const Packages = ({ story }: { readonly story: Story }) => (
  <Section title="Packages">
    <Table
      what="Packages"
      list={{ entries: story.packages, error: undefined, more: undefined }}
      keyOf={({ packageId }) => packageId}
      empty={<p>There are none.</p>}
      columns={[
        { name: 'Package', show: ({ packageId }) => packageId },
        {
          name: 'Tracking number',
          show: ({ trackingNumber }) =>
            trackingNumber === undefined ? (
              <span className="faint">–</span>
            ) : (
              <span>
                {trackingNumber} <Copy text={trackingNumber} what="tracking number" />
              </span>
            ),
        },
        {
          name: 'Status',
          show: ({ status, reason }) => (
            <span>
              {status} <span className="faint">{reason}</span>
            </span>
          ),
        },
        { name: 'Since', show: ({ statusAt }) => <Time at={statusAt} /> },
      ]}
    />
  </Section>
);

const Labels = ({ story, onDone }: { readonly story: Story; readonly onDone: () => void }) => {
  const [open, setOpen] = useState<string>();
  return (
    <Section title="Labels">
      {story.labels.length === 0 && <p className="faint">The carrier has given no label.</p>}
      <ul className="items">
        {story.labels.map(({ id, url, format, state, packageId, reason }) => {
          const name = `Label of ${packageId ?? 'all packages'}`;
          const place = url === undefined ? undefined : new URL(url).pathname;
          return (
            <li key={id}>
              {name} {format !== undefined && <code>{format}</code>} <State word={state} /> {reason?.message}{' '}
              {place !== undefined && (
                <>
                  <button
                    type="button"
                    aria-expanded={open === id}
                    aria-label={`${open === id ? 'Hide' : 'Show'} ${name}`}
                    onClick={() => setOpen(open === id ? undefined : id)}
                  >
                    {open === id ? 'Hide' : 'Show'}
                  </button>{' '}
                  <a
                    href={place}
                    download={`${story.referenceNumber}-${packageId ?? 'label'}.${(format ?? 'bin').toLowerCase()}`}
                  >
                    Download
                  </a>
                </>
              )}
              {state === 'failed' && (
                <For role="operate">
                  <RetryLabel id={id} onDone={onDone} />
                </For>
              )}
              {open === id && place !== undefined && <Label url={place} name={name} />}
            </li>
          );
        })}
      </ul>
    </Section>
  );
};
