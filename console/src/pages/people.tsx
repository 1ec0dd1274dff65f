/** Who may do what, and who did it: shippers, operators, tokens, sessions, the audit log. */
import { useState } from 'react';
import { call, useAction, useList, withQuery } from '../api.ts';
import { For, useWho } from '../session.tsx';
import { Table } from '../table.tsx';
import { IssueToken, Once } from '../tokens/issue.tsx';
import { TokenTable } from '../tokens/table.tsx';
import type { AuditEntry, SessionEntry, Shipper, TokenEntry } from '../types.ts';
import { Ask, Choice, Page, Section, State, TextFilter, Time, Trouble, useFilters } from '../ui.tsx';

export const People = () => {
  const { values, set } = useFilters(['kind']);
  const tokens = useList<TokenEntry>(withQuery('/admin/tokens', values));
  return (
    <Page title="People">
      <Shippers onDone={tokens.reload} />
      <Section
        title="Operators and tokens"
        aside={
          <For role="administer">
            <IssueToken of={{ kind: 'operator' }} onDone={tokens.reload} />
          </For>
        }
      >
        <form className="filters">
          <Choice
            label="Owner"
            value={values.kind}
            among={['operator', 'shipper', 'carrier']}
            onChange={(kind) => set({ kind })}
          />
        </form>
        <TokenTable list={tokens} empty="No token has been issued yet." />
      </Section>
      <Sessions />
      <Audit />
    </Page>
  );
};

const Shippers = ({ onDone }: { readonly onDone: () => void }) => {
  const list = useList<Shipper>('/admin/shippers');
  const [asked, setAsked] = useState<Shipper>();
  const word = asked?.state === 'active' ? 'disable' : 'enable';
  const change = useAction(async ({ code }: Shipper) => {
    await call('POST', `/admin/shippers/${encodeURIComponent(code)}/${word}`);
    setAsked(undefined);
    list.reload();
  });
  return (
    <Section
      title="Shippers"
      aside={
        <For role="administer">
          <NewShipper
            onDone={() => {
              list.reload();
              onDone();
            }}
          />
        </For>
      }
    >
      <Table
        what="Shippers"
        list={list}
        keyOf={({ code }) => code}
        empty={<p>There is no shipper yet. An administrator creates one here, with its first token.</p>}
        columns={[
          { name: 'Shipper', show: ({ code }) => <code>{code}</code> },
          { name: 'Name', show: ({ name }) => name },
          { name: 'State', show: ({ state }) => <State word={state} /> },
          {
            name: 'Actions',
            show: (shipper) => (
              <For role="administer">
                <IssueToken of={{ kind: 'shipper', code: shipper.code }} onDone={onDone} />{' '}
                <button type="button" onClick={() => setAsked(shipper)}>
                  {shipper.state === 'active' ? 'Disable …' : 'Enable …'}
                </button>
              </For>
            ),
          },
        ]}
      />
      <Ask
        open={asked !== undefined}
        title={`${word === 'disable' ? 'Disable' : 'Enable'} shipper ${asked?.code}`}
        confirm={word === 'disable' ? 'Disable' : 'Enable'}
        busy={change.busy}
        error={change.error}
        onConfirm={() => asked !== undefined && change.run(asked)}
        onClose={() => setAsked(undefined)}
      >
        <p>
          {word === 'disable'
            ? 'Its tokens get 403 and it cannot create orders. What carriers have already taken goes on, and the shipper can be enabled again.'
            : 'Its tokens work again.'}
        </p>
      </Ask>
    </Section>
  );
};

const NewShipper = ({ onDone }: { readonly onDone: () => void }) => {
  const [isOpen, setOpen] = useState(false);
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [issued, setIssued] = useState<string>();
  const save = useAction(async () => {
    const { token } = await call<{ token: string }>('POST', '/admin/shippers', { code, name });
    setIssued(token);
    onDone();
  });
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        New shipper …
      </button>
      <Ask
        open={isOpen}
        title="New shipper"
        busy={save.busy}
        error={save.error}
        onClose={() => {
          setOpen(false);
          setIssued(undefined);
        }}
        {...(issued === undefined ? { confirm: 'Create', onConfirm: () => save.run() } : {})}
      >
        {issued === undefined ? (
          <>
            <label>
              Code
              <input required value={code} onChange={({ target }) => setCode(target.value.trim())} />
            </label>
            <label>
              Name
              <input required value={name} onChange={({ target }) => setName(target.value)} />
            </label>
            <p className="faint">A token for production is issued with it.</p>
          </>
        ) : (
          <Once token={issued} />
        )}
      </Ask>
    </>
  );
};

const Sessions = () => {
  const list = useList<SessionEntry>('/admin/sessions');
  const own = useWho().id;
  const end = useAction(async (id: string) => {
    await call('DELETE', `/admin/sessions/${encodeURIComponent(id)}`);
    list.reload();
  });
  return (
    <Section title="Browser sessions">
      <Trouble error={end.error} />
      <Table
        what="Sessions"
        list={list}
        keyOf={({ id }) => id}
        empty={<p>Nobody is signed in.</p>}
        columns={[
          { name: 'Operator', show: ({ id, actor }) => (id === own ? `${actor} (you)` : actor) },
          { name: 'Began', show: ({ createdAt }) => <Time at={createdAt} /> },
          { name: 'Expires if unused', show: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            name: 'Action',
            show: ({ id, actor }) => (
              <For role="administer">
                <button
                  type="button"
                  disabled={end.busy}
                  aria-label={`End session of ${actor}`}
                  onClick={() => end.run(id)}
                >
                  End
                </button>
              </For>
            ),
          },
        ]}
      />
    </Section>
  );
};

const Audit = () => {
  const { values, set } = useFilters(['actor', 'action', 'subject', 'since']);
  const list = useList<AuditEntry>(withQuery('/admin/audit', values));
  return (
    <Section title="Audit log">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter label="Actor" value={values.actor} onChange={(actor) => set({ actor })} />
        <TextFilter label="Action" value={values.action} onChange={(action) => set({ action })} />
        <TextFilter label="Subject" value={values.subject} onChange={(subject) => set({ subject })} />
        <label>
          Since
          <input type="date" value={values.since} onChange={({ target }) => set({ since: target.value })} />
        </label>
      </form>
      <Table
        what="Audit log"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={<p>Nothing matches.</p>}
        columns={[
          { name: 'When', show: ({ at }) => <Time at={at} /> },
          { name: 'Actor', show: ({ actor }) => actor },
          { name: 'Action', show: ({ action }) => action.replaceAll('_', ' ') },
          { name: 'Subject', show: ({ subject }) => subject },
          { name: 'Detail', show: ({ detail }) => detail?.slice(0, 200) },
        ]}
      />
    </Section>
  );
};
