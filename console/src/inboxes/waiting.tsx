/** Dispatches that will be attempted again by themselves. */
import { useList } from '../api.ts';
import { For } from '../session.tsx';
import { SendNow } from '../story/actions.tsx';
import { Table } from '../table.tsx';
import type { Waiting } from '../types.ts';
import { ConsignmentLink, Section, Time, whose } from '../ui.tsx';

export const WaitingDispatches = () => {
  const list = useList<Waiting>('/admin/dispatches/waiting');
  return (
    <Section title="Waiting dispatches">
      <Table
        what="Waiting dispatches"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={<p>Nothing waits for another attempt.</p>}
        columns={[
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => <ConsignmentLink number={referenceNumber} isRow />,
          },
          { name: 'Shipper', show: ({ shipper, environment }) => whose(shipper, environment) },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Operation', show: ({ operation }) => operation },
          { name: 'Attempts', show: ({ attempts }) => attempts },
          { name: 'Reason', show: ({ failure }) => failure.messages.join('; ').slice(0, 300) },
          { name: 'Carrier away', show: ({ awaySince }) => <Time at={awaySince} /> },
          { name: 'Next attempt', show: ({ nextTryAt }) => <Time at={nextTryAt} /> },
          {
            name: 'Action',
            show: ({ id }) => (
              <For role="operate">
                <SendNow dispatchId={id} onDone={list.reload} />
              </For>
            ),
          },
        ]}
      />
    </Section>
  );
};
