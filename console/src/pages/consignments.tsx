/** Consignments of all shippers, by any of their numbers or by what they are. */
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useList, useRead, withQuery } from '../api.ts';
import type { Listed, Loaded } from '../types.ts';
import { Choice, Page, State, Table, Time, useFilters } from '../ui.tsx';

const NAMES = ['number', 'shipper', 'carrier', 'acceptance', 'environment', 'createdFrom'] as const;

export const Consignments = () => {
  const { values, set } = useFilters(NAMES);
  const [, navigate] = useLocation();
  const list = useList<Listed>(withQuery('/admin/consignments', values));
  const loaded = useRead<Loaded>('/admin/carriers');
  const only =
    values.number !== '' && list.entries?.length === 1 && list.more === undefined ? list.entries[0] : undefined;
  useEffect(() => {
    if (only !== undefined) navigate(`/consignments/${only.id}`, { replace: true });
  }, [only, navigate]);
  return (
    <Page title="Consignments">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Any number
          <input
            type="search"
            defaultValue={values.number}
            key={values.number}
            onBlur={({ target }) => set({ number: target.value.trim() })}
            onKeyDown={({ key, currentTarget }) => key === 'Enter' && set({ number: currentTarget.value.trim() })}
          />
        </label>
        <label>
          Shipper
          <input
            defaultValue={values.shipper}
            key={values.shipper}
            onBlur={({ target }) => set({ shipper: target.value.trim() })}
            onKeyDown={({ key, currentTarget }) => key === 'Enter' && set({ shipper: currentTarget.value.trim() })}
          />
        </label>
        <Choice
          label="Carrier"
          value={values.carrier}
          among={loaded.reply?.carriers.map(({ code }) => code) ?? []}
          onChange={(carrier) => set({ carrier })}
        />
        <Choice
          label="Acceptance"
          value={values.acceptance}
          among={['pending', 'accepted', 'rejected', 'held', 'partial', 'cancelled']}
          onChange={(acceptance) => set({ acceptance })}
        />
        <Choice
          label="Environment"
          value={values.environment}
          among={['production', 'sandbox']}
          onChange={(environment) => set({ environment })}
        />
        <label>
          Created since
          <input type="date" value={values.createdFrom} onChange={({ target }) => set({ createdFrom: target.value })} />
        </label>
      </form>
      <Table
        what="Consignments"
        list={list}
        keyOf={({ id }) => String(id)}
        hrefOf={({ id }) => `/consignments/${id}`}
        empty={
          <p>
            None fits. A number has to be whole: a tracking number, referenceNumber, orderNumber or consignmentNumber.
          </p>
        }
        columns={[
          { name: 'Reference', show: ({ referenceNumber }) => referenceNumber },
          {
            name: 'Shipper',
            show: ({ shipper, environment }) => (environment === 'sandbox' ? `${shipper} (sandbox)` : shipper),
          },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Acceptance', show: ({ acceptance }) => <State word={acceptance} /> },
          { name: 'Status', show: ({ status }) => status },
          {
            name: 'Tracking',
            show: ({ packages }) =>
              packages
                .map(({ trackingNumber }) => trackingNumber)
                .filter(Boolean)
                .slice(0, 3)
                .join(', '),
          },
          { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </Page>
  );
};
