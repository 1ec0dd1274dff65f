/** All that happened to a consignment, in order: order, dispatches, exchanges, events, notices, deliveries, actions. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { For } from '../session.tsx';
import type { Story } from '../types.ts';
import { Code, Facts, State, Time } from '../ui.tsx';
import { Redeliver } from './actions.tsx';
import { ExchangeView } from './exchange.tsx';

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly zone?: string | undefined;
  readonly kind: 'order' | 'dispatch' | 'exchange' | 'event' | 'notice' | 'delivery' | 'action';
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly detail?: ReactNode;
}

interface Props {
  readonly story: Story;
  readonly onExplain: (dispatchId: number) => void;
  readonly onDone: () => void;
}

export const Timeline = (props: Props) => (
  <ol className="timeline">
    {momentsOf(props).map(({ key, at, zone, kind, title, aside, detail }) => (
      <li key={key} className={kind}>
        <Time at={at} full zone={zone} />
        <span className="kind">{kind}</span>
        <div>
          {detail === undefined ? (
            title
          ) : (
            <details>
              <summary>{title}</summary>
              {detail}
            </details>
          )}{' '}
          {aside}
        </div>
      </li>
    ))}
  </ol>
);

const momentsOf = ({ story, onExplain, onDone }: Props): readonly Moment[] => {
  const explain = (dispatchId: number) => (
    <button type="button" className="quiet" onClick={() => onExplain(dispatchId)}>
      Where from?
    </button>
  );
  const moments: Moment[] = [
    {
      key: 'order',
      at: story.createdAt,
      kind: 'order',
      title: `Order received from ${story.shipper}`,
      detail: <Code what="order" text={JSON.stringify(story.order)} />,
    },
    ...story.dispatches.flatMap((one) => dispatchMoments(one, explain(one.id))),
    ...story.exchanges.map((one): Moment => ({
      key: `exchange ${one.id}`,
      at: one.at,
      kind: 'exchange',
      title: (
        <>
          {one.request.method} {pathOf(one.request.url)} <b>{one.response?.status ?? 'no response'}</b> {one.durationMs}{' '}
          ms <State word={one.outcome} />
          {one.attempt !== undefined && one.attempt > 1 && ` attempt ${one.attempt}`}
        </>
      ),
      detail: (
        <ExchangeView exchange={one} aside={one.dispatchId === undefined ? undefined : explain(one.dispatchId)} />
      ),
    })),
    ...story.events.map((one, at) => eventMoment(one, at)),
    ...story.notices.map((one): Moment => ({
      key: `notice ${one.eventId}`,
      at: one.createdAt,
      kind: 'notice',
      title: (
        <>
          <code>{one.event}</code> for webhooks, number {one.sequence}
        </>
      ),
    })),
    ...story.deliveries.map((one): Moment => ({
      key: `delivery ${one.id}`,
      at: one.finishedAt ?? one.createdAt,
      kind: 'delivery',
      title: (
        <>
          <code>{one.event}</code> <State word={one.state} /> {one.lastTry?.message ?? one.lastTry?.status}{' '}
          {one.attempts > 1 && `${one.attempts} attempts`}
        </>
      ),
      aside: (
        <>
          <Link href={`/webhooks?delivery=${one.id}`}>Payload and attempts</Link>{' '}
          {(one.state === 'failed' || one.state === 'delivered') && (
            <For role="operate">
              <Redeliver id={one.id} event={one.event} onDone={onDone} />
            </For>
          )}
        </>
      ),
    })),
    ...story.audit.map((one, at): Moment => ({
      key: `action ${at}`,
      at: one.at,
      kind: 'action',
      title: `${one.actor}: ${one.action.replaceAll('_', ' ')}`,
      ...(one.detail === undefined ? {} : { detail: <Code what="detail" text={one.detail} /> }),
    })),
  ];
  return moments.toSorted((one, other) => one.at.localeCompare(other.at));
};

const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/]+/, '').slice(0, 120);

const dispatchMoments = (one: Story['dispatches'][number], explain: ReactNode): readonly Moment[] => {
  const begun: Moment = {
    key: `dispatch ${one.id}`,
    at: one.createdAt,
    kind: 'dispatch',
    title: (
      <>
        Dispatch {one.id}: <b>{one.operation}</b> {one.finishedAt === undefined && <State word={one.state} />}{' '}
        {one.dueAt !== undefined && (
          <>
            due <Time at={one.dueAt} />
          </>
        )}
      </>
    ),
    aside: explain,
  };
  if (one.finishedAt === undefined) return [begun];
  const ended: Moment = {
    key: `dispatch ${one.id} end`,
    at: one.finishedAt,
    kind: 'dispatch',
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
  };
  return [begun, ended];
};

const eventMoment = (
  {
    occurredAt,
    receivedAt,
    eventTimezone,
    status,
    reason,
    packageId,
    row,
    warnings,
    carrierStatus,
  }: Story['events'][number],
  at: number,
): Moment => ({
  key: `event ${at}`,
  at: occurredAt,
  zone: eventTimezone,
  kind: 'event',
  title: (
    <>
      <b>{status}</b>
      {reason !== undefined && ` (${reason})`}
      {packageId !== undefined && ` · ${packageId}`}
    </>
  ),
  detail: (
    <>
      <Facts
        of={[
          ['Received', <Time at={receivedAt} full />],
          ['Time zone', eventTimezone],
          [
            'Status row',
            row === undefined ? (
              'no row of the status table matches'
            ) : (
              <>
                <code>{row.key}</code> → {row.status} <code>{row.place}</code>
              </>
            ),
          ],
        ]}
      />
      {warnings.map((warning) => (
        <p key={warning} className="note">
          {warning}
        </p>
      ))}
      <Code what="status update" text={JSON.stringify(carrierStatus)} />
    </>
  ),
});
