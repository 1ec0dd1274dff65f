/** Pushes that fit no consignment or several, or could not be read. */
import { useState } from 'react';
import { call, useAction, useList, useRead, withQuery } from '../api.ts';
import { For, useMay } from '../session.tsx';
import { Table } from '../table.tsx';
import type { Push, WholePush } from '../types.ts';
import { Ask, Code, type DialogProps, Section, Time, Trouble, useFilters } from '../ui.tsx';

const REASONS = [
  ['unmatched', 'Matches no consignment'],
  ['ambiguous', 'Matches several consignments'],
  ['failed', 'Could not be read'],
  ['unmapped', 'Has an unmapped status'],
] as const;

const REPAIRED = {
  rematch: 'Match again',
  renormalise: 'Read again',
} as const;

/** Page by page, until all were looked at; tells how many there were. */
export const repairAll = async (
  path: 'rematch' | 'renormalise',
  reason: string,
  onProgress: (count: number) => void = () => undefined,
): Promise<number> => {
  let before: number | undefined;
  let count = 0;
  do {
    const { data, nextBefore } = await call<{ readonly data: readonly unknown[]; readonly nextBefore?: number }>(
      'POST',
      `/admin/pushes/${path}`,
      { reason, ...(before !== undefined && { before }) },
    );
    count += data.length;
    onProgress(count);
    before = nextBefore;
  } while (before !== undefined);
  return count;
};

export const UnsettledPushes = () => {
  const { values, set } = useFilters(['reason', 'push']);
  const reason = values.reason === '' ? 'unmatched' : values.reason;
  const list = useList<Push>(withQuery('/admin/pushes', { reason }));
  const [count, setCount] = useState<number>();
  const word = reason === 'unmatched' || reason === 'ambiguous' ? 'rematch' : 'renormalise';
  const again = useAction(async () => {
    setCount(await repairAll(word, reason, setCount));
    list.reload();
  });
  return (
    <Section
      title="Pushes"
      aside={
        <For role="operate">
          <span role="status">{count !== undefined && `${count} looked at`}</span>
          <button type="button" disabled={again.busy} onClick={() => again.run()}>
            {again.busy ? 'Working …' : REPAIRED[word]}
          </button>
        </For>
      }
    >
      <Trouble error={again.error} />
      <form className="filters">
        <label>
          Problem
          <select value={reason} onChange={({ target }) => set({ reason: target.value })}>
            {REASONS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Table
        what="Pushes"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={<p>There are none. Status updates from carriers that need a person appear here.</p>}
        columns={[
          {
            name: 'Push',
            show: (push) => (
              <button type="button" className="quiet" data-row="" onClick={() => set({ push: String(push.id) })}>
                {push.id}
              </button>
            ),
          },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Source', show: ({ source }) => source },
          { name: 'Unmatched', show: ({ unmatched }) => unmatched },
          { name: 'Ambiguous', show: ({ ambiguous }) => ambiguous },
          { name: 'Unmapped', show: ({ unmapped }) => unmapped },
          { name: 'Failure', show: ({ failure }) => failure?.slice(0, 300) },
          { name: 'Received', show: ({ receivedAt }) => <Time at={receivedAt} /> },
        ]}
      />
      {values.push !== '' && (
        <Assign
          id={values.push}
          onClose={() => set({ push: '' })}
          onDone={() => {
            set({ push: '' });
            list.reload();
          }}
        />
      )}
    </Section>
  );
};

const Assign = ({ id, onClose, onDone }: DialogProps & { readonly id: string }) => {
  const { reply, error } = useRead<WholePush & Push>(`/admin/pushes/${encodeURIComponent(id)}`);
  const mayAct = useMay('operate');
  const [shipper, setShipper] = useState('');
  const [referenceNumber, setReference] = useState('');
  const [chosen, setEnvironment] = useState<string>();
  const environment = chosen ?? reply?.environment ?? 'production';
  const [note, setNote] = useState('');
  const act = useAction(async () => {
    await call('POST', `/admin/pushes/${encodeURIComponent(id)}/assign`, {
      shipper,
      environment,
      referenceNumber,
      note,
    });
    onDone();
  });
  const candidates = reply?.events.flatMap((event) => event.candidates) ?? [];
  const mayAssign = mayAct && reply !== undefined && reply.unmatched + reply.ambiguous > 0;
  return (
    <Ask
      open
      title={`Push ${id}${reply === undefined ? '' : ` from ${reply.carrierCode}`}`}
      busy={act.busy}
      error={act.error ?? error}
      {...(mayAssign ? { confirm: 'Assign', onConfirm: () => act.run() } : {})}
      onClose={onClose}
    >
      {reply !== undefined && <Code what="push" text={reply.body} />}
      {reply?.readNow.problems.map((problem) => (
        <p key={problem} className="note">
          {problem}
        </p>
      ))}
      {candidates.length > 0 && (
        <p>
          Candidates:{' '}
          {candidates.map((one) => (
            <button
              key={`${one.shipper}/${one.environment}/${one.referenceNumber}`}
              type="button"
              className="quiet"
              onClick={() => {
                setShipper(one.shipper);
                setEnvironment(one.environment);
                setReference(one.referenceNumber);
              }}
            >
              {one.shipper} {one.referenceNumber}
              {one.environment === 'sandbox' && ' (sandbox)'}
            </button>
          ))}
        </p>
      )}
      {mayAssign && (
        <>
          <p className="faint">
            Its events are recorded for the consignment, whose status follows, and the shipper is notified.
          </p>
          <label>
            Shipper
            <input required value={shipper} onChange={({ target }) => setShipper(target.value.trim())} />
          </label>
          <label>
            Environment
            <select value={environment} onChange={({ target }) => setEnvironment(target.value)}>
              <option>production</option>
              <option>sandbox</option>
            </select>
          </label>
          <label>
            Reference number
            <input required value={referenceNumber} onChange={({ target }) => setReference(target.value.trim())} />
          </label>
          <label>
            Why it belongs there
            <input required value={note} onChange={({ target }) => setNote(target.value)} />
          </label>
        </>
      )}
    </Ask>
  );
};
