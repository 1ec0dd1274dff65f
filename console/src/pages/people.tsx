/** Who may do what, and who did it: shippers, tokens, sessions, the audit log. */
import { useState } from 'react';
import { call, useAction, useList, withQuery } from '../api.ts';
import { For, type Role, useWho } from '../session.tsx';
import type { AuditEntry, SessionEntry, Shipper, TokenEntry } from '../types.ts';
import { Ask, Copy, Page, Section, State, Table, Time, Trouble, useFilters } from '../ui.tsx';

export const People = () => {
  const shippers = useList<Shipper>('/admin/shippers');
  return (
    <Page title="People">
      <Section title="Shippers">
        <Table
          what="Shippers"
          list={shippers}
          keyOf={({ code }) => code}
          empty={<p>There is no shipper yet: POST /admin/shippers makes one, with its token.</p>}
          columns={[
            { name: 'Shipper', show: ({ code }) => code },
            { name: 'Name', show: ({ name }) => name },
            { name: 'State', show: ({ state }) => <State word={state} /> },
          ]}
        />
      </Section>
      <Tokens />
      <Sessions />
      <Audit />
    </Page>
  );
};

const Tokens = () => {
  const list = useList<TokenEntry>('/admin/tokens');
  const [isNew, setNew] = useState(false);
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('read');
  const [issued, setIssued] = useState<string>();
  const issue = useAction(async () => {
    const { token } = await call<{ token: string }>('POST', `/admin/operators/${encodeURIComponent(name)}/tokens`, {
      role,
    });
    setIssued(token);
    list.reload();
  });
  const [leaving, setLeaving] = useState<TokenEntry>();
  const close = (): void => {
    setNew(false);
    setIssued(undefined);
  };
  return (
    <Section
      title="Tokens"
      aside={
        <For role="administer">
          <button type="button" onClick={() => setNew(true)}>
            New operator …
          </button>
        </For>
      }
    >
      <Table
        what="Tokens"
        list={list}
        keyOf={({ id }) => id}
        empty={<p>None was issued yet.</p>}
        columns={[
          { name: 'Of', show: ({ kind, code }) => `${kind} ${code}` },
          { name: 'Role or environment', show: ({ role, environment }) => role ?? environment },
          { name: 'State', show: ({ state }) => <State word={state} /> },
          { name: 'Issued', show: ({ createdAt }) => <Time at={createdAt} /> },
          { name: 'Until', show: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            name: 'Action',
            show: (token) =>
              token.state === 'valid' && (
                <For role="administer">
                  <button type="button" onClick={() => setLeaving(token)}>
                    Revoke …
                  </button>
                </For>
              ),
          },
        ]}
      />
      {leaving !== undefined && <Revoke token={leaving} onDone={list.reload} onClose={() => setLeaving(undefined)} />}
      <Ask
        open={isNew}
        title="New operator"
        busy={issue.busy}
        error={issue.error}
        onClose={close}
        {...(issued === undefined ? { confirm: 'Issue a token', onConfirm: () => issue.run() } : {})}
      >
        {issued === undefined ? (
          <>
            <label>
              Name, as the audit log has it
              <input required value={name} onChange={({ target }) => setName(target.value.trim())} />
            </label>
            <label>
              Role
              <select value={role} onChange={({ target }) => setRole(target.value as Role)}>
                <option value="read">read: sees everything but secrets</option>
                <option value="operate">operate: also acts on consignments, webhooks and limits</option>
                <option value="administer">administer: also manages shippers, accounts and tokens</option>
              </select>
            </label>
          </>
        ) : (
          <p>
            It is shown this once: <code className="token">{issued}</code> <Copy text={issued} what="token" />
          </p>
        )}
      </Ask>
    </Section>
  );
};

const Revoke = ({
  token: { id, kind, code },
  onDone,
  onClose,
}: {
  readonly token: TokenEntry;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const { run, busy, error } = useAction(async () => {
    await call('DELETE', `/admin/tokens/${encodeURIComponent(id)}`);
    onDone();
    onClose();
  });
  return (
    <Ask
      open
      title={`Revoke a token of ${kind} ${code}`}
      confirm="Revoke"
      busy={busy}
      error={error}
      onConfirm={() => run()}
      onClose={onClose}
    >
      <p>Whoever uses it gets 401 from now on, and sessions that were begun with it end. It does not come back.</p>
    </Ask>
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
    <Section title="Sessions in browsers">
      <Trouble error={end.error} />
      <Table
        what="Sessions"
        list={list}
        keyOf={({ id }) => id}
        empty={<p>Nobody is signed in.</p>}
        columns={[
          { name: 'Who', show: ({ id, actor }) => (id === own ? `${actor} (you)` : actor) },
          { name: 'Since', show: ({ createdAt }) => <Time at={createdAt} /> },
          { name: 'Until, if unused', show: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            name: 'Action',
            show: ({ id }) => (
              <For role="administer">
                <button type="button" disabled={end.busy} onClick={() => end.run(id)}>
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
  const { values, set } = useFilters(['actor', 'action', 'subject']);
  const list = useList<AuditEntry>(withQuery('/admin/audit', values));
  return (
    <Section title="Audit log">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        {(['actor', 'action', 'subject'] as const).map((name) => (
          <label key={name}>
            {name}
            <input
              type="search"
              defaultValue={values[name]}
              key={values[name]}
              onBlur={({ target }) => set({ [name]: target.value.trim() })}
              onKeyDown={({ key, currentTarget }) => key === 'Enter' && set({ [name]: currentTarget.value.trim() })}
            />
          </label>
        ))}
      </form>
      <Table
        what="Audit log"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={<p>Nothing fits.</p>}
        columns={[
          { name: 'When', show: ({ at }) => <Time at={at} /> },
          { name: 'Who', show: ({ actor }) => actor },
          { name: 'What', show: ({ action }) => action.replaceAll('_', ' ') },
          { name: 'Of', show: ({ subject }) => subject },
          { name: 'Detail', show: ({ detail }) => detail?.slice(0, 200) },
        ]}
      />
    </Section>
  );
};
