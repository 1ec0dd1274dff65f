/** Consignments of all shippers, found by any of their numbers or by filters. */
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { NORMALISED_STATUSES } from '../../../src/engine/statuses/status.ts';
import { useList, useRead, withQuery } from '../api.ts';
import { Table } from '../table.tsx';
import type { Listed, Loaded } from '../types.ts';
import { Choice, Page, State, TextFilter, Time, useFilters, whose } from '../ui.tsx';

const NAMES = ['number', 'shipper', 'carrier', 'acceptance', 'status', 'environment', 'createdFrom'] as const;

export const Consignments = () => {
  const { values, set } = useFilters(NAMES);
  const [, navigate] = useLocation();
  const list = useList<Listed>(withQuery('/admin/consignments', values));
  const loaded = useRead<Loaded>('/admin/carriers');
  const isFiltered = Object.values(values).some((value) => value !== '');
  const only =
    values.number !== '' && list.entries?.length === 1 && list.more === undefined ? list.entries[0] : undefined;
  useEffect(() => {
    if (only !== undefined) navigate(`/consignments/${only.id}`, { replace: true });
  }, [only, navigate]);
  return (
    <Page title="Consignments">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter label="Number" value={values.number} onChange={(number) => set({ number })} />
        <TextFilter label="Shipper" value={values.shipper} onChange={(shipper) => set({ shipper })} />
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
          label="Status"
          value={values.status}
          among={NORMALISED_STATUSES}
          onChange={(status) => set({ status })}
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
        {isFiltered && (
          <button
            type="button"
            className="quiet"
            onClick={() => set(Object.fromEntries(NAMES.map((name) => [name, ''])))}
          >
            Clear filters
          </button>
        )}
      </form>
      <Table
        what="Consignments"
        list={list}
        keyOf={({ id }) => String(id)}
        hrefOf={({ id }) => `/consignments/${id}`}
        empty={
          isFiltered ? (
            <p>
              Nothing matches. Numbers are matched in full: a tracking number, reference number, order number or
              consignment number.
            </p>
          ) : (
            <p>
              There are no consignments yet. <Link href="/onboarding">Set up a shipper and a carrier</Link>, then send
              an order with <code>POST /v2/consignments</code>.
            </p>
          )
        }
        columns={[
          { name: 'Reference', show: ({ referenceNumber }) => referenceNumber },
          { name: 'Shipper', show: ({ shipper, environment }) => whose(shipper, environment) },
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
