/** Carriers as they are loaded, and what is wrong with those that are not. */
import { call, useAction, useRead } from '../api.ts';
import { For } from '../session.tsx';
import { Table } from '../table.tsx';
import type { Loaded } from '../types.ts';
import { Page, Section, Trouble } from '../ui.tsx';

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
            {again.busy ? 'Reloading …' : 'Reload profiles'}
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
        empty={
          <p>
            No carrier is loaded. Put a profile into <code>carriers/</code> of the server’s home, then reload.
          </p>
        }
        columns={[
          { name: 'Carrier', show: ({ name }) => name },
          { name: 'Code', show: ({ code }) => <code>{code}</code> },
          { name: 'Services', show: ({ services }) => services?.length ?? 4 },
          { name: 'Operations', show: ({ operations }) => operations.join(', ') },
          { name: 'Environments', show: ({ environments }) => environments.join(', ') },
          { name: 'Status rows', show: ({ statuses }) => statuses.rows },
        ]}
      />
    </Page>
  );
};
