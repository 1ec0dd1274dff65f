/** What was sent to webhooks, and sending it again: one, or all that match. */
import { useEffect, useState } from 'react';
import { call, useAction, useList, useRead, withQuery } from '../api.ts';
import { For } from '../session.tsx';
import { Redeliver } from '../story/actions.tsx';
import { Table } from '../table.tsx';
import type { DeliveryEntry, DeliveryWhole, RedeliveryView, Shipper } from '../types.ts';
import {
  Ask,
  Choice,
  Code,
  ConsignmentLink,
  type DialogProps,
  Facts,
  Section,
  State,
  TextFilter,
  Time,
  useFilters,
} from '../ui.tsx';

const STATES = ['pending', 'sending', 'waiting', 'delivered', 'failed'];
const EVENTS = [
  'consignment.status',
  'consignment.tracking',
  'consignment.label',
  'consignment.rejected',
  'consignment.held',
];
const FILTERS = ['state', 'event', 'shipper', 'environment', 'referenceNumber', 'webhookId', 'since'] as const;

export const Deliveries = () => {
  const { values, set } = useFilters([...FILTERS, 'delivery']);
  const { delivery, ...filters } = values;
  const shippers = useList<Shipper>('/admin/shippers?limit=500');
  const list = useList<DeliveryEntry>(withQuery('/admin/webhooks/deliveries', filters));
  return (
    <Section
      title="Deliveries"
      aside={
        <For role="operate">
          <RedeliverMany filters={filters} onDone={list.reload} />
        </For>
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="State" value={values.state} among={STATES} onChange={(state) => set({ state })} />
        <Choice label="Event" value={values.event} among={EVENTS} onChange={(event) => set({ event })} />
        <Choice
          label="Shipper"
          value={values.shipper}
          among={shippers.entries?.map(({ code }) => code) ?? []}
          onChange={(shipper) => set({ shipper })}
        />
        <Choice
          label="Environment"
          value={values.environment}
          among={['production', 'sandbox']}
          onChange={(one) => set({ environment: one })}
        />
        <TextFilter
          label="Reference number"
          value={values.referenceNumber}
          onChange={(referenceNumber) => set({ referenceNumber })}
        />
        <label>
          Created since
          <input type="date" value={values.since} onChange={({ target }) => set({ since: target.value })} />
        </label>
        {values.webhookId !== '' && (
          <button type="button" onClick={() => set({ webhookId: '' })}>
            All subscriptions
          </button>
        )}
      </form>
      <Table
        what="Deliveries"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={
          Object.values(filters).some((value) => value !== '') ? (
            <p>No delivery matches these filters.</p>
          ) : (
            <p>Nothing has been delivered yet. Events are delivered to the subscriptions of their shipper.</p>
          )
        }
        columns={[
          {
            name: 'Delivery',
            show: ({ id }) => (
              <button type="button" className="quiet" data-row="" onClick={() => set({ delivery: String(id) })}>
                {id}
              </button>
            ),
          },
          { name: 'Event', show: ({ event }) => event },
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => <ConsignmentLink number={referenceNumber} />,
          },
          { name: 'State', show: ({ state }) => <State word={state} /> },
          { name: 'Attempts', show: ({ attempts }) => attempts },
          {
            name: 'Last response',
            show: ({ lastTry }) => lastTry && (lastTry.message ?? lastTry.status ?? lastTry.outcome),
          },
          { name: 'Next attempt', show: ({ dueAt }) => <Time at={dueAt} /> },
          { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      {delivery !== '' && <Delivery id={delivery} onClose={() => set({ delivery: '' })} onDone={list.reload} />}
    </Section>
  );
};

const Delivery = ({ id, onClose, onDone }: DialogProps & { readonly id: string }) => {
  const { reply, error, reload } = useRead<DeliveryWhole>(`/admin/webhooks/deliveries/${encodeURIComponent(id)}`);
  return (
    <Ask open wide title={`Delivery ${id}`} error={error} onClose={onClose}>
      {reply !== undefined && (
        <>
          <Facts
            of={[
              ['Event', reply.event],
              ['Consignment', reply.referenceNumber],
              ['webhook-id', reply.eventId],
              ['Webhook', reply.webhookId],
              ['State', <State word={reply.state} />],
            ]}
          />
          <h3>Attempts</h3>
          {reply.tries.length === 0 && <p className="faint">None yet.</p>}
          <ol>
            {reply.tries.map(({ attempt, at, status, durationMs, outcome, message }) => (
              <li key={attempt}>
                <Time at={at} full /> · <b>{status ?? outcome.replaceAll('_', ' ')}</b> · {Math.round(durationMs)} ms{' '}
                {message}
              </li>
            ))}
          </ol>
          <h3>Payload</h3>
          <Code what="payload" text={JSON.stringify(reply.body)} />
          <For role="operate">
            <Redeliver
              id={reply.id}
              event={reply.event}
              onDone={() => {
                reload();
                onDone();
              }}
            />
          </For>
        </>
      )}
    </Ask>
  );
};

type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;
const EVERY_MS = 1_000;

/** Of one shipper and environment, as the route has it. */
const RedeliverMany = ({ filters, onDone }: { readonly filters: Filters; readonly onDone: () => void }) => {
  const [isAsking, setAsking] = useState(false);
  const [begun, setBegun] = useState<RedeliveryView>();
  const environment = filters.environment === '' ? 'production' : filters.environment;
  const wanted = { ...filters, environment, state: filters.state === '' ? 'failed' : filters.state };
  const begin = useAction(async () => {
    const given = Object.entries(wanted).filter(([, value]) => value !== '');
    setBegun(await call('POST', '/admin/webhooks/redeliveries', Object.fromEntries(given)));
  });
  const close = (): void => {
    setAsking(false);
    setBegun(undefined);
    onDone();
  };
  return (
    <>
      <button
        type="button"
        disabled={filters.shipper === ''}
        title={filters.shipper === '' ? 'Choose a shipper first' : undefined}
        onClick={() => setAsking(true)}
      >
        Redeliver all that match …
      </button>
      <Ask
        open={isAsking}
        title={`Redeliver to ${filters.shipper}`}
        busy={begin.busy}
        error={begin.error}
        onClose={close}
        {...(begun === undefined ? { confirm: 'Redeliver', onConfirm: () => begin.run() } : {})}
      >
        {begun === undefined ? (
          <>
            <p>
              Every delivery that matches is sent again in the background, with the <code>webhook-id</code> it had, by
              which receivers recognise duplicates:
            </p>
            <ul>
              {Object.entries(wanted)
                .filter(([, value]) => value !== '')
                .map(([name, value]) => (
                  <li key={name}>
                    {name}: <b>{value}</b>
                  </li>
                ))}
            </ul>
          </>
        ) : (
          <Progress begun={begun} />
        )}
      </Ask>
    </>
  );
};

const Progress = ({ begun }: { readonly begun: RedeliveryView }) => {
  const [isDone, setDone] = useState(begun.state === 'done');
  const { reply = begun } = useRead<RedeliveryView>(
    `/admin/webhooks/redeliveries/${begun.id}`,
    isDone ? undefined : EVERY_MS,
  );
  useEffect(() => setDone(reply.state === 'done'), [reply.state]);
  return (
    <p role="status">
      <progress value={reply.redelivered} max={Math.max(1, reply.matching)} aria-label="Redelivered" />{' '}
      {reply.redelivered} of {reply.matching} {reply.state === 'done' ? 'are sent again.' : '…'}
    </p>
  );
};
