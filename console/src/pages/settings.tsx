/** The server as it is: version, configuration, retention, documentation. */
import { useRead } from '../api.ts';
import { Table } from '../table.tsx';
import type { Settings as Shown } from '../types.ts';
import { Code, Facts, Page, Section, State, Trouble } from '../ui.tsx';

const RETENTION = `npm run -s waybill -- retain --older-than 3mo          # counts what would be deleted
npm run -s waybill -- retain --older-than 3mo --apply  # deletes it`;

export const Settings = () => {
  const { reply, error } = useRead<Shown>('/admin/settings');
  return (
    <Page title="Settings">
      <Trouble error={error} />
      <Facts
        of={[
          ['Version', reply?.version],
          ['Node.js', reply?.node],
        ]}
      />
      <Section title="Documentation">
        <ul>
          <li>
            <a href="/docs">Guide and API reference</a>
          </li>
          <li>
            <a href="/docs/carriers">Guide for carriers that implement the contract</a>
          </li>
          <li>
            <a href="/openapi.json">OpenAPI description</a>
          </li>
          <li>
            <a href="/metrics">Metrics</a>, without those of single carriers and shippers
          </li>
        </ul>
      </Section>
      <Section title="Retention">
        <p>
          Nothing is deleted by itself. Consignments and their events are kept; exchanges, raw responses, labels, pushes
          and webhook attempts are deleted by age from the command line:
        </p>
        <Code what="commands" text={RETENTION} />
      </Section>
      <Section title="Configuration">
        <p className="faint">Of the process that answered, as it was started. Secrets are not shown.</p>
        <Table
          what="Configuration"
          list={{ entries: reply?.settings, error: undefined, more: undefined }}
          keyOf={({ variable }) => variable}
          empty={<p>There is none.</p>}
          columns={[
            { name: 'Variable', show: ({ variable }) => <code>{variable}</code> },
            {
              name: 'Value',
              show: ({ value, state }) =>
                value === undefined ? (
                  <span className="faint">{state === 'set' ? 'set, not shown' : 'not set'}</span>
                ) : (
                  <code>{value}</code>
                ),
            },
            { name: 'From', show: ({ state }) => <State word={state === 'set' ? 'environment' : 'default'} /> },
            { name: 'Meaning', show: ({ description }) => description.replaceAll('`', '') },
          ]}
        />
      </Section>
    </Page>
  );
};
