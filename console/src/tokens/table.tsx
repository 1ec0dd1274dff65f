/** Tokens without their secrets, and revoking one. */
import { useState } from 'react';
import { call, type List, useAction } from '../api.ts';
import { For } from '../session.tsx';
import { Table } from '../table.tsx';
import type { TokenEntry } from '../types.ts';
import { Ask, State, Time } from '../ui.tsx';

export const TokenTable = ({ list, empty }: { readonly list: List<TokenEntry>; readonly empty: string }) => {
  const [leaving, setLeaving] = useState<TokenEntry>();
  const revoke = useAction(async ({ id }: TokenEntry) => {
    await call('DELETE', `/admin/tokens/${encodeURIComponent(id)}`);
    setLeaving(undefined);
    list.reload();
  });
  return (
    <>
      <Table
        what="Tokens"
        list={list}
        keyOf={({ id }) => id}
        empty={<p>{empty}</p>}
        columns={[
          { name: 'Owner', show: ({ kind, code }) => `${kind} ${code}` },
          { name: 'Scope', show: ({ role, environment }) => role ?? environment ?? 'both environments' },
          { name: 'State', show: ({ state }) => <State word={state} /> },
          { name: 'Id', show: ({ id }) => <code>{id}</code> },
          { name: 'Issued', show: ({ createdAt }) => <Time at={createdAt} /> },
          { name: 'Expires', show: ({ expiresAt }) => <Time at={expiresAt} /> },
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
      <Ask
        open={leaving !== undefined}
        title={`Revoke a token of ${leaving?.kind} ${leaving?.code}`}
        confirm="Revoke"
        busy={revoke.busy}
        error={revoke.error}
        onConfirm={() => leaving !== undefined && revoke.run(leaving)}
        onClose={() => setLeaving(undefined)}
      >
        <p>Requests with it get 401 from now on, and sessions that it began end. This cannot be undone.</p>
      </Ask>
    </>
  );
};
