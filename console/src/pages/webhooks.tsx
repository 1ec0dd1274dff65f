/** Shippers' webhooks: subscriptions, the delivery log, redelivery, and checking a signature. */
import { useState } from 'react';
import { Link } from 'wouter';
import { call, useAction, useList } from '../api.ts';
import { For } from '../session.tsx';
import { Table } from '../table.tsx';
import type { AnyWebhook, WebhookTested } from '../types.ts';
import { Ask, Page, Section, State, Time, Trouble, whose } from '../ui.tsx';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { SignatureChecker } from '../webhooks/signature.tsx';

export const Webhooks = () => {
  const list = useList<AnyWebhook>('/admin/webhooks');
  const [asked, setAsked] = useState<{ readonly of: AnyWebhook; readonly word: 'pause' | 'resume' }>();
  const change = useAction(async ({ of, word }: NonNullable<typeof asked>) => {
    await call('POST', `/admin/webhooks/${encodeURIComponent(of.id)}/${word}`);
    setAsked(undefined);
    list.reload();
  });
  const [tested, setTested] = useState<{ readonly url: string; readonly result: WebhookTested }>();
  const test = useAction(async ({ id, url }: AnyWebhook) => {
    setTested(undefined);
    setTested({ url, result: await call('POST', `/admin/webhooks/${encodeURIComponent(id)}/test`) });
  });
  return (
    <Page title="Webhooks">
      <Section title="Subscriptions">
        <Trouble error={test.error} />
        <p role="status">{tested !== undefined && <Tested {...tested} />}</p>
        <Table
          what="Subscriptions"
          list={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/webhooks?webhookId=${encodeURIComponent(id)}`}
          empty={
            <p>
              No shipper has a webhook yet. A shipper creates one with <code>POST /v2/webhooks</code> and its own token;{' '}
              <Link href="/onboarding">Onboarding</Link> shows how.
            </p>
          }
          columns={[
            { name: 'URL', show: ({ url }) => url },
            { name: 'Shipper', show: ({ shipper, environment }) => whose(shipper, environment) },
            { name: 'Order types', show: ({ orderTypes }) => orderTypes.join(', ') },
            {
              name: 'State',
              show: ({ state, failingSince, pauseReason }) => (
                <>
                  <State word={state === 'active' && failingSince !== undefined ? 'failing' : state} />{' '}
                  <span className="faint">{pauseReason}</span>
                </>
              ),
            },
            { name: 'Failing since', show: ({ failingSince }) => <Time at={failingSince} /> },
            {
              name: 'Actions',
              show: (webhook) => (
                <For role="operate">
                  <button type="button" disabled={test.busy} onClick={() => test.run(webhook)}>
                    Send test event
                  </button>{' '}
                  <button
                    type="button"
                    onClick={() => setAsked({ of: webhook, word: webhook.state === 'paused' ? 'resume' : 'pause' })}
                  >
                    {webhook.state === 'paused' ? 'Resume …' : 'Pause …'}
                  </button>
                </For>
              ),
            },
          ]}
        />
      </Section>
      <Deliveries />
      <SignatureChecker />
      <Ask
        open={asked !== undefined}
        title={asked?.word === 'resume' ? 'Resume webhook' : 'Pause webhook'}
        confirm={asked?.word === 'resume' ? 'Resume' : 'Pause'}
        busy={change.busy}
        error={change.error}
        onConfirm={() => asked !== undefined && change.run(asked)}
        onClose={() => setAsked(undefined)}
      >
        <p>{asked?.of.url}</p>
        <p>
          {asked?.word === 'resume'
            ? 'What was kept back meanwhile is delivered now.'
            : 'Events are kept, and are delivered when it is resumed.'}
        </p>
      </Ask>
    </Page>
  );
};

const Tested = ({
  url,
  result: { delivered, status, outcome, message },
}: {
  readonly url: string;
  readonly result: WebhookTested;
}) => (
  <span className={delivered ? 'good' : 'bad'}>
    {delivered ? `${url} accepted the test event` : `${url} did not accept the test event`}
    {`: ${[status, message ?? outcome.replaceAll('_', ' ')].filter((part) => part !== undefined).join(' ')}`}
  </span>
);
