/** One consignment: its numbers, what can be done about it, and all that happened on one timeline. */
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { call, useAction, useRead } from '../api.ts';
import { For } from '../session.tsx';
import type { Exchange, Story } from '../types.ts';
import { Rehearsed } from '../rehearsed.tsx';
import { Ask, Code, Copy, Facts, Page, Section, State, Time, Trouble } from '../ui.tsx';

const EVERY_MS = 5_000;

export const Consignment = ({ id }: { readonly id: string }) => {
  const { reply: story, error, reload } = useRead<Story>(`/admin/consignments/${encodeURIComponent(id)}`, EVERY_MS);
  if (story === undefined)
    return (
      <Page title="Consignment">
        {error === undefined ? <p className="faint">Loading …</p> : <Trouble error={error} />}
        <Link href="/consignments">All consignments</Link>
      </Page>
    );
  const held = story.dispatches.find(({ state }) => state === 'held');
  return (
    <Page
      title={story.referenceNumber}
      aside={
        <>
          <State word={story.acceptance} />
          <For role="operate">
            {held !== undefined && <Retry dispatchId={held.id} onDone={reload} />}
            {held !== undefined && <Resolve story={story} dispatch={held} onDone={reload} />}
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
          ['Shipper', `${story.shipper} · ${story.environment}`],
          ['Carrier', <Link href={`/carriers/${story.carrierCode}`}>{story.carrierCode}</Link>],
          ['Status', story.status],
          ['Order', story.orderNumber],
          ['Consignment number', story.consignmentNumber],
          ['Type', story.orderTypes.join(', ')],
          ['Created', <Time at={story.createdAt} full />],
        ]}
      />
      <Section title="Packages">
        <div className="scroll" role="region" aria-label="Packages" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {['Package', 'Tracking number', 'Status', 'Reason', 'Since', 'Label'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {story.packages.map(({ packageId, trackingNumber, status, reason, statusAt }) => (
                <tr key={packageId}>
                  <td>{packageId}</td>
                  <td>
                    {trackingNumber}{' '}
                    {trackingNumber !== undefined && <Copy text={trackingNumber} what="tracking number" />}
                  </td>
                  <td>{status}</td>
                  <td>{reason}</td>
                  <td>
                    <Time at={statusAt} />
                  </td>
                  <td>
                    {story.labels
                      .filter((label) => label.packageId === undefined || label.packageId === packageId)
                      .map((label) =>
                        label.url === undefined ? (
                          <span key={label.id} title={label.reason?.message}>
                            <State word={label.state} />
                          </span>
                        ) : (
                          <a key={label.id} href={new URL(label.url).pathname} target="_blank" rel="noreferrer">
                            {label.format ?? 'label'}
                          </a>
                        ),
                      )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section title="Timeline">
        {story.cut.length > 0 && <p className="faint">Only the newest of these are shown: {story.cut.join(', ')}.</p>}
        <ol className="timeline">
          {momentsOf(story).map(({ key, at, kind, title, detail }) => (
            <li key={key} className={kind}>
              <Time at={at} full />
              <span className="kind">{kind}</span>
              {detail === undefined ? (
                <div>{title}</div>
              ) : (
                <details>
                  <summary>{title}</summary>
                  {detail}
                </details>
              )}
            </li>
          ))}
        </ol>
      </Section>
    </Page>
  );
};

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly kind: 'order' | 'dispatch' | 'exchange' | 'event' | 'notice' | 'delivery' | 'audit';
  readonly title: ReactNode;
  readonly detail?: ReactNode;
}

/** All that the story tells, as it came about. */
const momentsOf = (story: Story): readonly Moment[] => {
  const moments: Moment[] = [
    {
      key: 'order',
      at: story.createdAt,
      kind: 'order',
      title: 'Order received',
      detail: <Code what="order" text={JSON.stringify(story.order)} />,
    },
    ...story.dispatches.flatMap((one): Moment[] => [
      { key: `dispatch ${one.id}`, at: one.createdAt, kind: 'dispatch', title: `Dispatch ${one.id}: ${one.operation}` },
      ...(one.finishedAt === undefined
        ? []
        : [
            {
              key: `dispatch ${one.id} end`,
              at: one.finishedAt,
              kind: 'dispatch' as const,
              title: (
                <>
                  Dispatch {one.id}: <State word={one.state} /> {one.failure?.code}
                </>
              ),
              ...(one.failure && {
                detail: (
                  <ul>
                    {one.failure.messages.map((message) => (
                      <li key={message}>{message}</li>
                    ))}
                  </ul>
                ),
              }),
            },
          ]),
    ]),
    ...story.exchanges.map((one): Moment => ({
      key: `exchange ${one.id}`,
      at: one.at,
      kind: 'exchange',
      title: (
        <>
          {one.request.method} {pathOf(one.request.url)} <b>{one.response?.status ?? 'no answer'}</b> {one.durationMs}{' '}
          ms · {one.outcome}
        </>
      ),
      detail: <ExchangeView exchange={one} />,
    })),
    ...story.events.map((one, at): Moment => ({
      key: `event ${at}`,
      at: one.occurredAt,
      kind: 'event',
      title: `${one.status}${one.reason === undefined ? '' : `: ${one.reason}`}${one.packageId === undefined ? '' : ` · ${one.packageId}`}`,
      detail: <Code what="status update" text={JSON.stringify(one.carrierStatus)} />,
    })),
    ...story.notices.map((one): Moment => ({
      key: `notice ${one.eventId}`,
      at: one.createdAt,
      kind: 'notice',
      title: `${one.event}, number ${one.sequence}`,
    })),
    ...story.deliveries.map((one): Moment => ({
      key: `delivery ${one.id}`,
      at: one.finishedAt ?? one.createdAt,
      kind: 'delivery',
      title: (
        <>
          {one.event} to a webhook: <State word={one.state} /> {one.lastTry?.status}
        </>
      ),
    })),
    ...story.audit.map((one, at): Moment => ({
      key: `audit ${at}`,
      at: one.at,
      kind: 'audit',
      title: `${one.actor}: ${one.action.replaceAll('_', ' ')}`,
      ...(one.detail === undefined ? {} : { detail: <p>{one.detail}</p> }),
    })),
  ];
  return moments.toSorted((one, other) => one.at.localeCompare(other.at));
};

const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/]+/, '').slice(0, 120);

const ExchangeView = ({ exchange: { request, response, message, outcome } }: { readonly exchange: Exchange }) => (
  <>
    <Facts
      of={[
        ['URL', request.url],
        ['Outcome', outcome],
        ['Why', message],
      ]}
    />
    <Copy what="request as curl" text={curlOf(request)} />
    <h3>Request</h3>
    <Headers of={request.headers} />
    {request.body !== null && <Code what="request body" text={request.body} />}
    <h3>Response {response?.status}</h3>
    <Headers of={response?.headers ?? null} />
    {typeof response?.body === 'string' && <Code what="response body" text={response.body} />}
  </>
);

const Headers = ({ of }: { readonly of: Readonly<Record<string, string>> | null }) =>
  of === null ? null : (
    <pre className="headers">
      {Object.entries(of)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}
    </pre>
  );

/** What was masked stays masked: it has to be filled in before it works. */
const curlOf = ({ method, url, headers, body, encoding }: Exchange['request']): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers ?? {}).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null || encoding !== 'utf8' ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ');
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const Retry = ({ dispatchId, onDone }: { readonly dispatchId: number; readonly onDone: () => void }) => (
  <Rehearsed name="Retry" path="/admin/dispatches/retry" ids={[dispatchId]} onDone={onDone}>
    <p>The dispatch is taken up again. What the carrier may have done already is looked up first, or not sent again.</p>
  </Rehearsed>
);

const Cancel = ({ id, onDone }: { readonly id: number; readonly onDone: () => void }) => (
  <Rehearsed name="Cancel" path="/admin/consignments/cancel" ids={[id]} onDone={onDone}>
    <p>The carrier is asked to cancel. Labels are revoked, and the shipper is told by webhook.</p>
  </Rehearsed>
);

const OUTCOMES = {
  done: 'The carrier has done it',
  not_done: 'Nothing of it is left at the carrier: it may be retried, changed or cancelled',
  rejected: 'It will not be done: a create frees its reference',
} as const;

/** Where only a look at the carrier can tell. */
const Resolve = ({
  story,
  dispatch: { id: dispatchId, operation },
  onDone,
}: {
  readonly story: Story;
  readonly dispatch: { readonly id: number; readonly operation: string };
  readonly onDone: () => void;
}) => {
  const [isOpen, setOpen] = useState(false);
  const [outcome, setOutcome] = useState<keyof typeof OUTCOMES>('not_done');
  const [note, setNote] = useState('');
  const [numbers, setNumbers] = useState<Readonly<Record<string, string>>>({});
  const asked = outcome === 'done' && operation !== 'cancel' ? story.packages : [];
  const shown = asked.map(({ packageId, trackingNumber = '' }) => ({
    packageId,
    trackingNumber: numbers[packageId] ?? trackingNumber,
  }));
  const act = useAction(async () => {
    const given = shown.filter(({ trackingNumber }) => trackingNumber !== '');
    await call('POST', `/admin/dispatches/${dispatchId}/resolve`, {
      outcome,
      note,
      ...(given.length > 0 && { trackingNumbers: given }),
    });
    setOpen(false);
    onDone();
  });
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Resolve …
      </button>
      <Ask
        open={isOpen}
        title={`What became of dispatch ${dispatchId}?`}
        confirm="Resolve"
        busy={act.busy}
        error={act.error}
        onConfirm={() => act.run()}
        onClose={() => setOpen(false)}
      >
        <fieldset>
          <legend>At the carrier</legend>
          {Object.entries(OUTCOMES).map(([one, words]) => (
            <label key={one} className="option">
              <input
                type="radio"
                name="outcome"
                checked={outcome === one}
                onChange={() => setOutcome(one as keyof typeof OUTCOMES)}
              />
              {words}
            </label>
          ))}
        </fieldset>
        {shown.map(({ packageId, trackingNumber }) => (
          <label key={packageId}>
            Tracking number of {packageId}
            <input
              value={trackingNumber}
              onChange={({ target }) => setNumbers({ ...numbers, [packageId]: target.value.trim() })}
            />
          </label>
        ))}
        <label>
          How you know
          <textarea required rows={2} maxLength={1_000} value={note} onChange={({ target }) => setNote(target.value)} />
        </label>
        <p className="faint">The shipper is told what follows by webhook; the note is kept in the audit log.</p>
      </Ask>
    </>
  );
};
