/** Accounts whose credentials a carrier refuses. */
import { Link } from 'wouter';
import { useList } from '../api.ts';
import { Table } from '../table.tsx';
import type { RefusedLogin } from '../types.ts';
import { Section, Time, whose } from '../ui.tsx';

export const RefusedLogins = () => {
  const list = useList<RefusedLogin>('/admin/logins/refused');
  return (
    <Section title="Refused logins">
      <Table
        what="Refused logins"
        list={list}
        keyOf={({ account, auth }) => `${account} ${auth}`}
        empty={<p>Every carrier accepts the credentials it is given.</p>}
        columns={[
          {
            name: 'Account',
            show: ({ account, carrierCode }) => (
              <Link data-row="" href={`/carriers/${carrierCode}/accounts`}>
                {account}
              </Link>
            ),
          },
          { name: 'Shipper', show: ({ shipper, environment }) => whose(shipper, environment) },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Authentication', show: ({ auth }) => auth },
          { name: 'Code', show: ({ code }) => code },
          { name: 'Refused', show: ({ refusedAt }) => <Time at={refusedAt} /> },
        ]}
      />
    </Section>
  );
};
