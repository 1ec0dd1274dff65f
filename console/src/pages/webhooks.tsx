/** Shippers' webhooks, what was sent to them, and sending it again. */
import { useState } from 'react';
import { Link } from 'wouter';
import { call, useAction, useList, useRead, withQuery } from '../api.ts';
import { For } from '../session.tsx';
import type { AnyWebhook, DeliveryEntry, DeliveryWhole, Shipper } from '../types.ts';
import { Ask, Choice, Code, Page, Section, State, Table, Time, Trouble, useFilters } from '../ui.tsx';

export const Webhooks = () => {
  const list = useList<AnyWebhook>('/admin/webhooks');
  const change = useAction(async (id: string, word: 'pause' | 'resume') => {
    await call('POST', `/admin/webhooks/${encodeURIComponent(id)}/${word}`);
    list.reload();
  });
  return (
    <Page title="Webhooks">
      <Section title="Subscriptions">
        <Trouble error={change.error} />
        <Table
          what="Subscriptions"
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/webhooks?webhookId=${encodeURIComponent(id)}`}
          empty={<p>No shipper has a webhook yet: it is made with POST /v2/webhooks and the shipper’s token.</p>}
          columns={[
            { name: 'Address', show: ({ url }) => url },
            {
              name: 'Shipper',
              show: ({ shipper, environment }) => (environment === 'sandbox' ? `${shipper} (sandbox)` : shipper),
            },
            {
              name: 'State',
              show: ({ state, failingSince }) => <State word={failingSince === undefined ? state : 'failing'} />,
            },
            { name: 'Why', show: ({ pauseReason }) => pauseReason },
            { name: 'Failing since', show: ({ failingSince }) => <Time at={failingSince} /> },
            {
              name: 'Action',
              show: ({ id, state }) => (
                <For role="operate">
                  <button
                    type="button"
                    disabled={change.busy}
                    onClick={() => change.run(id, state === 'paused' ? 'resume' : 'pause')}
                  >
                    {state === 'paused' ? 'Resume' : 'Pause'}
                  </button>
                </For>
              ),
            },
          ]}
        />
      </Section>
      <Deliveries />
    </Page>
  );
};

const STATES = ['pending', 'sending', 'waiting', 'delivered', 'failed'];

const Deliveries = () => {
  const { values, set } = useFilters(['state', 'shipper', 'environment', 'referenceNumber', 'webhookId']);
  const shippers = useList<Shipper>('/admin/shippers?limit=500');
  const list = useList<DeliveryEntry>(withQuery('/admin/webhooks/deliveries', values));
  const [open, setOpen] = useState<number>();
  const environment = values.environment === '' ? 'production' : values.environment;
  const [isAsking, setAsking] = useState(false);
  const all = useAction(async () => {
    const filters = Object.entries({ ...values, environment, state: 'failed' }).filter(([, value]) => value !== '');
    await call('POST', '/admin/webhooks/redeliveries', Object.fromEntries(filters));
    setAsking(false);
    list.reload();
  });
  return (
    <Section
      title="Deliveries"
      aside={
        <For role="operate">
          <button
            type="button"
            disabled={values.shipper === ''}
            title={values.shipper === '' ? 'Choose a shipper first' : undefined}
            onClick={() => setAsking(true)}
          >
            Send failed ones again …
          </button>
        </For>
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="State" value={values.state} among={STATES} onChange={(state) => set({ state })} />
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
        <label>
          referenceNumber
          <input
            type="search"
            defaultValue={values.referenceNumber}
            key={values.referenceNumber}
            onBlur={({ target }) => set({ referenceNumber: target.value.trim() })}
            onKeyDown={({ key, currentTarget }) =>
              key === 'Enter' && set({ referenceNumber: currentTarget.value.trim() })
            }
          />
        </label>
        {values.webhookId !== '' && (
          <button type="button" onClick={() => set({ webhookId: '' })}>
            Of all subscriptions
          </button>
        )}
      </form>
      <Table
        what="Deliveries"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={<p>Nothing was sent that fits.</p>}
        columns={[
          {
            name: 'Delivery',
            show: ({ id }) => (
              <button type="button" className="quiet" data-row="" onClick={() => setOpen(id)}>
                {id}
              </button>
            ),
          },
          { name: 'Event', show: ({ event }) => event },
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => (
              <Link href={`/consignments?number=${encodeURIComponent(referenceNumber)}`}>{referenceNumber}</Link>
            ),
          },
          { name: 'State', show: ({ state }) => <State word={state} /> },
          { name: 'Tries', show: ({ attempts }) => attempts },
          {
            name: 'Last answer',
            show: ({ lastTry }) => lastTry && `${lastTry.status ?? ''} ${lastTry.message ?? lastTry.outcome}`.trim(),
          },
          { name: 'Next', show: ({ dueAt }) => <Time at={dueAt} /> },
          { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      {open !== undefined && <Delivery id={open} onClose={() => setOpen(undefined)} onDone={list.reload} />}
      <Ask
        open={isAsking}
        title={`Send failed deliveries of ${values.shipper} in ${environment} again`}
        confirm="Send again"
        busy={all.busy}
        error={all.error}
        onConfirm={() => all.run()}
        onClose={() => setAsking(false)}
      >
        <p>
          All of them that failed{values.referenceNumber !== '' && `, of ${values.referenceNumber}`}
          {values.webhookId !== '' && ', to the subscription that is chosen'} go out once more, under the webhook-id
          they had, so that a receiver knows them again.
        </p>
      </Ask>
    </Section>
  );
};

const Delivery = ({
  id,
  onClose,
  onDone,
}: {
  readonly id: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) => {
  const { reply, error, reload } = useRead<DeliveryWhole>(`/admin/webhooks/deliveries/${id}`);
  const again = useAction(async () => {
    await call('POST', `/admin/webhooks/deliveries/${id}/redeliver`);
    reload();
    onDone();
  });
  return (
    <Ask open title={`Delivery ${id}`} busy={again.busy} error={again.error ?? error} onClose={onClose}>
      {reply !== undefined && (
        <>
          <ul>
            {reply.tries.map(({ attempt, at, status, durationMs, outcome, message }) => (
              <li key={attempt}>
                <Time at={at} full /> · {status ?? outcome} · {Math.round(durationMs)} ms {message}
              </li>
            ))}
          </ul>
          <Code what="body" text={JSON.stringify(reply.body)} />
          <For role="operate">
            <button type="button" disabled={again.busy} onClick={() => again.run()}>
              Send it again
            </button>
          </For>
        </>
      )}
    </Ask>
  );
};
