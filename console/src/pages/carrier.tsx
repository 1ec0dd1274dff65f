/** One carrier: its profile for people, its accounts and tokens, and the versions of its profile. */
import { Tabs } from '@base-ui/react/tabs';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api.ts';
import { Accounts } from '../carriers/accounts.tsx';
import { Breakers } from '../carriers/breakers.tsx';
import { Operations } from '../carriers/operations.tsx';
import { CarrierTokens } from '../carriers/tokens.tsx';
import { Versions } from '../carriers/versions.tsx';
import { Table } from '../table.tsx';
import type { CarrierWhole } from '../types.ts';
import { Code, Facts, Page, Section, TextFilter, Trouble, useFilters } from '../ui.tsx';

const TABS = [
  ['profile', 'Profile'],
  ['operations', 'Operations'],
  ['statuses', 'Statuses'],
  ['accounts', 'Accounts'],
  ['tokens', 'Tokens'],
  ['versions', 'Versions'],
] as const;

export const Carrier = ({ code, tab }: { readonly code: string; readonly tab: string }) => {
  const { reply: carrier, error } = useRead<CarrierWhole>(`/admin/carriers/${encodeURIComponent(code)}`);
  const [, navigate] = useLocation();
  return (
    <Page title={carrier?.name ?? code}>
      <Trouble error={error} />
      {carrier === undefined && error === undefined && <p className="faint">Loading …</p>}
      {error !== undefined && <Link href="/carriers">All carriers, and why others are not loaded</Link>}
      {carrier !== undefined && (
        <Tabs.Root
          value={tab}
          onValueChange={(value: string) => navigate(`/carriers/${code}${value === 'profile' ? '' : `/${value}`}`)}
        >
          <Tabs.List className="tabs" aria-label="Carrier">
            {TABS.map(([value, name]) => (
              <Tabs.Tab key={value} value={value}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="profile">
            <Profile of={carrier} />
          </Tabs.Panel>
          <Tabs.Panel value="operations">
            <Operations of={carrier} />
          </Tabs.Panel>
          <Tabs.Panel value="statuses">
            <Statuses of={carrier} />
          </Tabs.Panel>
          <Tabs.Panel value="accounts">
            <Accounts of={carrier} />
          </Tabs.Panel>
          <Tabs.Panel value="tokens">
            <CarrierTokens code={carrier.code} />
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <Versions code={carrier.code} />
          </Tabs.Panel>
        </Tabs.Root>
      )}
    </Page>
  );
};

const Profile = ({ of: carrier }: { readonly of: CarrierWhole }) => {
  const { statuses } = carrier;
  return (
    <>
      <Section title="At a glance">
        <Facts
          of={[
            ['Code', carrier.code],
            ['Profile', <code>{carrier.place.replace(/:\d+$/, '')}</code>],
            ['Version', <code>{carrier.hash.slice(0, 12)}</code>],
            ['Environments', carrier.environments.map(({ name, url }) => `${name}: ${url}`).join(', ')],
            ['Operations', [...new Set(carrier.operations.map(({ name }) => name))].join(', ')],
            ['Label formats', carrier.labelFormats.join(', ')],
            [
              'Status updates',
              [
                `${statuses.rows.length} rows`,
                statuses.webhook && 'its own webhook',
                statuses.poll && 'polled',
                !statuses.webhook && !statuses.poll && 'pushed by the carrier contract',
              ]
                .filter(Boolean)
                .join(', '),
            ],
          ]}
        />
      </Section>
      <Section title="Lint">
        {carrier.findings.length === 0 ? (
          <p className="good">✓ No findings.</p>
        ) : (
          <ul className="findings">
            {carrier.findings.map((finding) => (
              <li key={finding}>{finding}</li>
            ))}
          </ul>
        )}
        <p className="faint">
          Coverage by cases: <code>npm run -s waybill -- test {carrier.code} --coverage</code>
        </p>
      </Section>
      <Breakers code={carrier.code} />
      <Section title="Services">
        <Table
          what="Services"
          list={{ entries: carrier.services, error: undefined, more: undefined }}
          keyOf={({ name, code }) => `${name} ${code}`}
          empty={<p>It takes the four service levels of the carrier contract: GROUND, EXPRESS, STANDARD, ECONOMY.</p>}
          columns={[
            { name: 'Service type of the order', show: ({ name }) => name },
            { name: 'Carrier’s code', show: ({ code }) => code },
            { name: 'Type of service', show: ({ typeOfService }) => typeOfService },
          ]}
        />
      </Section>
      <Section title="Capabilities">
        <Facts of={Object.entries(carrier.capabilities).map(([name, value]) => [wordsOf(name), textOf(value)])} />
      </Section>
      <Section title="Required beyond what every order has">
        <Table
          what="Requirements"
          list={{ entries: carrier.requires, error: undefined, more: undefined }}
          keyOf={({ fields, when }) => `${fields.join()} ${when}`}
          empty={<p>Nothing.</p>}
          columns={[
            { name: 'Fields', show: ({ fields }) => fields.join(', ') },
            { name: 'When', show: ({ when }) => (when === undefined ? 'always' : <code>{when}</code>) },
          ]}
        />
      </Section>
      <Section title="Limits">
        <Code what="limits" text={JSON.stringify(carrier.limits)} />
      </Section>
    </>
  );
};

const wordsOf = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
const textOf = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
};

const Statuses = ({ of: { code, statuses } }: { readonly of: CarrierWhole }) => {
  const { values, set } = useFilters(['find']);
  const shown = statuses.rows.filter(({ key, status, reason = '' }) =>
    `${key} ${status} ${reason}`.toLowerCase().includes(values.find.toLowerCase()),
  );
  return (
    <Section title="Status table">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter label="Find" value={values.find} onChange={(find) => set({ find })} />
      </form>
      <Table
        what="Status table"
        list={{ entries: shown, error: undefined, more: undefined }}
        keyOf={({ key, place, ofReturns }) => `${key} ${place} ${ofReturns}`}
        empty={
          values.find === '' ? (
            <p>
              The profile has no status table. <Link href={`/inboxes/unmapped?carrier=${code}`}>Unmapped statuses</Link>{' '}
              shows what the carrier has sent.
            </p>
          ) : (
            <p>No row matches.</p>
          )
        }
        columns={[
          { name: 'Carrier’s status', show: ({ key }) => <code>{key}</code> },
          { name: 'Normalised status', show: ({ status }) => status },
          { name: 'Reason', show: ({ reason }) => reason },
          { name: 'For', show: ({ ofReturns }) => (ofReturns ? 'returns' : 'all') },
          { name: 'Where', show: ({ place }) => <code>{place}</code> },
        ]}
      />
    </Section>
  );
};
