/** Carriers as they are loaded, what is wrong with those that are not, and shippers' accounts with them. */
import { useState } from 'react';
import { Link } from 'wouter';
import { call, Refused, useAction, useList, useRead } from '../api.ts';
import { For } from '../session.tsx';
import type { Account, AccountField, Breaker, Checked, Loaded } from '../types.ts';
import { Code, Facts, Page, Section, State, Table, Time, Trouble } from '../ui.tsx';

export const Carriers = () => {
  const { reply, error, reload } = useRead<Loaded>('/admin/carriers');
  const again = useAction(async () => {
    await call('POST', '/admin/reload').finally(reload);
  });
  return (
    <Page
      title="Carriers"
      aside={
        <For role="operate">
          <button type="button" disabled={again.busy} onClick={() => again.run()}>
            Reload profiles
          </button>
        </For>
      }
    >
      <Trouble error={again.error} />
      {reply !== undefined && reply.findings.length > 0 && (
        <Section title="Findings">
          <ul className="findings">
            {reply.findings.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      )}
      <Table
        what="Carriers"
        list={{ entries: reply?.carriers, error, more: undefined }}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => `/carriers/${code}`}
        empty={<p>No carrier is loaded.</p>}
        columns={[
          { name: 'Carrier', show: ({ code }) => code },
          { name: 'Name', show: ({ name }) => name },
          { name: 'Services', show: ({ services }) => services?.length },
          { name: 'Operations', show: ({ operations }) => operations.join(', ') },
          { name: 'Environments', show: ({ environments }) => environments.join(', ') },
          { name: 'Statuses', show: ({ statuses }) => statuses.rows },
        ]}
      />
    </Page>
  );
};

export const Carrier = ({ code }: { readonly code: string }) => {
  const { reply, error } = useRead<Loaded>('/admin/carriers');
  const breakers = useRead<{ data: readonly Breaker[] }>('/admin/breakers', 5_000);
  const accounts = useList<Account>(`/admin/accounts?carrier=${encodeURIComponent(code)}`);
  const carrier = reply?.carriers.find((one) => one.code === code);
  const own = breakers.reply?.data.filter((one) => one.carrier === code);
  const turn = useAction(async (word: 'open' | 'close', account: number | undefined) => {
    await call('POST', `/admin/breakers/${encodeURIComponent(code)}/${word}`, account === undefined ? {} : { account });
    breakers.reload();
  });
  const [accepted, setAccepted] = useState<number>();
  const check = useAction(async (id: number) => {
    setAccepted(undefined);
    const { result, code, messages = [] } = await call<Checked>('POST', `/admin/accounts/${id}/check`);
    if (result !== 'accepted') throw new Refused(0, `Account ${id}: ${code ?? result}`, messages);
    setAccepted(id);
  });
  return (
    <Page title={carrier?.name ?? code}>
      <Trouble error={error ?? turn.error ?? check.error} />
      {reply !== undefined && carrier === undefined && (
        <p>
          No carrier of this code is loaded. <Link href="/carriers">All carriers, and what is wrong with profiles</Link>
        </p>
      )}
      {carrier !== undefined && (
        <>
          <Facts
            of={[
              ['Code', carrier.code],
              ['Profile', carrier.hash.slice(0, 12)],
              ['Operations', carrier.operations.join(', ')],
              ['Environments', carrier.environments.join(', ')],
              ['Label formats', carrier.labelFormats.join(', ')],
              [
                'Statuses',
                `${carrier.statuses.rows} rows${carrier.statuses.webhook ? ', carrier webhook' : ''}${carrier.statuses.poll ? ', polled' : ''}`,
              ],
            ]}
          />
          <Section title="Circuit breaker">
            <Table
              what="Circuit breakers"
              list={{ entries: own, error: breakers.error, more: undefined }}
              keyOf={({ account }) => String(account ?? '')}
              empty={<p>It has none yet: it is limited by account, and there is none.</p>}
              columns={[
                { name: 'Of', show: ({ account }) => (account === undefined ? 'the carrier' : `account ${account}`) },
                { name: 'State', show: ({ state }) => <State word={state} /> },
                { name: 'Failures in a row', show: ({ failures }) => failures },
                { name: 'Last good call', show: ({ lastGoodCallAt }) => <Time at={lastGoodCallAt} /> },
                {
                  name: 'Action',
                  show: ({ state, account }) => (
                    <For role="operate">
                      <button
                        type="button"
                        disabled={turn.busy}
                        onClick={() => turn.run(state === 'closed' ? 'open' : 'close', account)}
                      >
                        {state === 'closed' ? 'Ask it nothing for an hour' : 'Ask it again'}
                      </button>
                    </For>
                  ),
                },
              ]}
            />
          </Section>
          <Section title="Accounts">
            <p role="status">
              {accepted !== undefined && `The carrier accepts the credentials of account ${accepted}.`}
            </p>
            <Table
              what="Accounts"
              list={accounts}
              keyOf={({ id }) => String(id)}
              empty={<p>No shipper has an account with it: PUT /admin/accounts makes one.</p>}
              columns={[
                { name: 'Account', show: ({ id }) => id },
                { name: 'Shipper', show: ({ shipper }) => shipper },
                { name: 'Environment', show: ({ environment }) => environment },
                { name: 'State', show: ({ state }) => <State word={state} /> },
                {
                  name: 'Action',
                  show: ({ id }) => (
                    <For role="operate">
                      <button type="button" disabled={check.busy} onClick={() => check.run(id)}>
                        Check credentials
                      </button>
                    </For>
                  ),
                },
              ]}
            />
          </Section>
          <Section title="What an account supplies">
            <Table
              what="Fields of an account"
              list={{ entries: [...carrier.credentials, ...carrier.settings], error: undefined, more: undefined }}
              keyOf={({ name }) => name}
              empty={<p>Nothing: it has no credentials or settings.</p>}
              columns={[
                { name: 'Field', show: ({ name }: AccountField) => name },
                { name: 'Type', show: ({ type }) => type },
                { name: 'Secret', show: ({ secret }) => (secret ? 'yes' : 'no') },
                { name: 'Needed', show: ({ optional }) => (optional ? 'no' : 'yes') },
                { name: 'What it is', show: ({ title }) => title },
              ]}
            />
          </Section>
          <Section title="Services">
            <Table
              what="Services"
              list={{ entries: carrier.services ?? [], error: undefined, more: undefined }}
              keyOf={({ code }) => code}
              empty={<p>It has one service, without a name.</p>}
              columns={[
                { name: 'Service', show: ({ code }) => code },
                { name: 'Name', show: ({ name }) => name },
              ]}
            />
          </Section>
          <Section title="Capabilities">
            <Code what="capabilities" text={JSON.stringify(carrier.capabilities ?? {})} />
          </Section>
        </>
      )}
    </Page>
  );
};
