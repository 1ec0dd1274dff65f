/** Labels that could not be fetched. */
import { useList } from '../api.ts';
import { For } from '../session.tsx';
import { RetryLabel } from '../story/actions.tsx';
import { Table } from '../table.tsx';
import type { FailedLabel } from '../types.ts';
import { ConsignmentLink, Section } from '../ui.tsx';

export const FailedLabels = () => {
  const list = useList<FailedLabel>('/admin/labels/failed');
  return (
    <Section title="Failed labels">
      <Table
        what="Failed labels"
        list={list}
        keyOf={({ id }) => id}
        empty={<p>No label has failed. Labels that a carrier did not deliver in time appear here.</p>}
        columns={[
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => <ConsignmentLink number={referenceNumber} isRow />,
          },
          { name: 'Package', show: ({ packageId }) => packageId },
          { name: 'Shipper', show: ({ shipper }) => shipper },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Reason', show: ({ reason }) => reason?.message ?? reason?.code },
          {
            name: 'Action',
            show: ({ id }) => (
              <For role="operate">
                <RetryLabel id={id} onDone={list.reload} />
              </For>
            ),
          },
        ]}
      />
    </Section>
  );
};
