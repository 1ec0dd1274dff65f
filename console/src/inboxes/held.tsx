/** Dispatches whose outcome is unknown, or that failed: by reason and carrier, retried or resolved in bulk. */
import { useState } from 'react';
import { useList, useRead, withQuery } from '../api.ts';
import { Rehearsed } from '../rehearsed.tsx';
import { For, useMay } from '../session.tsx';
import { Table } from '../table.tsx';
import type { Held, Loaded } from '../types.ts';
import { Choice, ConsignmentLink, Section, Time, useFilters, whose } from '../ui.tsx';

const WHYS = {
  unknown_outcome: 'Outcome unknown',
  fail: 'Failed',
  config_error: 'Configuration error',
  undo_failed: 'Could not be undone',
  partial: 'Only some packages accepted',
} as const;
const wordsOf = (why: string): string => (WHYS as Readonly<Record<string, string>>)[why] ?? why.replaceAll('_', ' ');

export const HeldInbox = () => {
  const { values, set } = useFilters(['why', 'carrier']);
  const loaded = useRead<Loaded>('/admin/carriers');
  const list = useList<Held>(withQuery('/admin/dispatches/held', { ...values, limit: '500' }));
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const mayAct = useMay('operate');
  const ids = (list.entries ?? []).filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const isFiltered = values.why !== '' || values.carrier !== '';
  const done = (): void => {
    setChosen(new Set());
    list.reload();
  };
  const toggle = (id: number): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Section
      title="Held dispatches"
      aside={
        <For role="operate">
          <button
            type="button"
            disabled={(list.entries ?? []).length === 0}
            onClick={() => setChosen(new Set(ids.length > 0 ? [] : list.entries?.map(({ id }) => id)))}
          >
            {ids.length > 0 ? 'Clear selection' : 'Select all'}
          </button>
          <Rehearsed
            name={`Retry ${ids.length}`}
            path="/admin/dispatches/retry"
            ids={ids}
            disabled={ids.length === 0}
            onDone={done}
          >
            <p>
              They are attempted again. Where a carrier may already have processed the earlier attempt, it is asked
              first or sent the same idempotency key.
            </p>
          </Rehearsed>
          <ResolveMany ids={ids} onDone={done} />
        </For>
      }
    >
      <Groups entries={list.entries ?? []} onChoose={(why, carrier) => set({ why, carrier })} />
      <form className="filters">
        <label>
          Reason
          <select value={values.why} onChange={({ target }) => set({ why: target.value })}>
            <option value="">any</option>
            {Object.entries(WHYS).map(([why, words]) => (
              <option key={why} value={why}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Choice
          label="Carrier"
          value={values.carrier}
          among={loaded.reply?.carriers.map(({ code }) => code) ?? []}
          onChange={(carrier) => set({ carrier })}
        />
      </form>
      <Table
        what="Held dispatches"
        list={list}
        keyOf={({ id }) => String(id)}
        empty={
          <p>
            {isFiltered ? 'No held dispatch matches these filters.' : 'Nothing is held.'} A dispatch is held when its
            outcome at the carrier is unknown or it failed in a way that a retry will not fix.
          </p>
        }
        columns={[
          ...(mayAct
            ? [
                {
                  name: 'Select',
                  show: ({ id, referenceNumber }: Held) => (
                    <input
                      type="checkbox"
                      data-row=""
                      aria-label={`Select ${referenceNumber}`}
                      checked={chosen.has(id)}
                      onChange={() => toggle(id)}
                    />
                  ),
                },
              ]
            : []),
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => <ConsignmentLink number={referenceNumber} isRow={!mayAct} />,
          },
          { name: 'Shipper', show: ({ shipper, environment }) => whose(shipper, environment) },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Operation', show: ({ operation }) => operation },
          { name: 'Reason', show: ({ failure }) => wordsOf(failure.why) },
          { name: 'Messages', show: ({ failure }) => failure.messages.join('; ').slice(0, 300) },
          { name: 'Held', show: ({ heldAt }) => <Time at={heldAt} /> },
        ]}
      />
    </Section>
  );
};

/** How many there are of each reason and carrier. */
const Groups = ({
  entries,
  onChoose,
}: {
  readonly entries: readonly Held[];
  readonly onChoose: (why: string, carrier: string) => void;
}) => {
  const groups = Map.groupBy(entries, ({ failure, carrierCode }) => `${failure.why} ${carrierCode}`);
  if (groups.size < 2) return null;
  return (
    <ul className="chips" aria-label="By reason and carrier">
      {[...groups.values()].map((group) => {
        const [first] = group;
        if (first === undefined) return null;
        const { failure, carrierCode } = first;
        return (
          <li key={`${failure.why} ${carrierCode}`}>
            <button type="button" onClick={() => onChoose(failure.why, carrierCode)}>
              <b>{group.length}</b> {wordsOf(failure.why)} · {carrierCode}
            </button>
          </li>
        );
      })}
    </ul>
  );
};

const ResolveMany = ({ ids, onDone }: { readonly ids: readonly number[]; readonly onDone: () => void }) => {
  const [outcome, setOutcome] = useState('not_done');
  const [note, setNote] = useState('');
  return (
    <Rehearsed
      name={`Resolve ${ids.length}`}
      path="/admin/dispatches/resolve"
      ids={ids}
      body={{ outcome }}
      note={note}
      disabled={ids.length === 0}
      onDone={() => {
        setNote('');
        onDone();
      }}
    >
      <label>
        What the carrier’s own records show
        <select value={outcome} onChange={({ target }) => setOutcome(target.value)}>
          <option value="not_done">The carrier has nothing of them</option>
          <option value="rejected">They will not be done</option>
          <option value="done">The carrier has done them</option>
        </select>
      </label>
      <label>
        How you know
        <input required maxLength={1_000} value={note} onChange={({ target }) => setNote(target.value)} />
      </label>
      <p className="faint">Nothing is sent to the carrier. Shippers are notified by webhook.</p>
    </Rehearsed>
  );
};
