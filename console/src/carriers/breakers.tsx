/** The circuit breakers of a carrier, opened and closed by hand. */
import { useState } from 'react';
import { call, useAction, useRead } from '../api.ts';
import { For } from '../session.tsx';
import { Table } from '../table.tsx';
import type { Breaker } from '../types.ts';
import { Ask, Section, State, Time } from '../ui.tsx';

export const Breakers = ({ code }: { readonly code: string }) => {
  const breakers = useRead<{ data: readonly Breaker[] }>('/admin/breakers', 5_000);
  const own = breakers.reply?.data.filter((one) => one.carrier === code);
  const [asked, setAsked] = useState<Breaker>();
  const isOpening = asked?.state === 'closed';
  const turn = useAction(async ({ account, state }: Breaker) => {
    const word = state === 'closed' ? 'open' : 'close';
    await call('POST', `/admin/breakers/${encodeURIComponent(code)}/${word}`, account === undefined ? {} : { account });
    setAsked(undefined);
    breakers.reload();
  });
  return (
    <Section title="Circuit breaker">
      <Table
        what="Circuit breakers"
        list={{ entries: own, error: breakers.error, more: undefined }}
        keyOf={({ account }) => String(account ?? '')}
        empty={<p>Calls are limited by account, and no shipper has an account yet.</p>}
        columns={[
          { name: 'For', show: ({ account }) => (account === undefined ? 'the carrier' : `account ${account}`) },
          { name: 'State', show: ({ state }) => <State word={state} /> },
          { name: 'Consecutive failures', show: ({ failures }) => failures },
          { name: 'Last call', show: ({ lastCallAt }) => <Time at={lastCallAt} /> },
          { name: 'Last good call', show: ({ lastGoodCallAt }) => <Time at={lastGoodCallAt} /> },
          {
            name: 'Action',
            show: (breaker) => (
              <For role="operate">
                <button type="button" onClick={() => setAsked(breaker)}>
                  {breaker.state === 'closed' ? 'Stop calls …' : 'Resume calls …'}
                </button>
              </For>
            ),
          },
        ]}
      />
      <Ask
        open={asked !== undefined}
        title={isOpening ? 'Stop calls to the carrier' : 'Resume calls to the carrier'}
        confirm={isOpening ? 'Stop calls' : 'Resume calls'}
        busy={turn.busy}
        error={turn.error}
        onConfirm={() => asked !== undefined && turn.run(asked)}
        onClose={() => setAsked(undefined)}
      >
        <p>
          {isOpening
            ? 'For an hour nothing is sent to the carrier; dispatches wait meanwhile. Calls under way are completed.'
            : 'Calls are made again at once, as if none had failed.'}
        </p>
      </Ask>
    </Section>
  );
};
