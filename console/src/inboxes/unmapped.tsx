/** Statuses that no row of a status table matches, and giving them a meaning. */
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { NO_CHANGE, NORMALISED_STATUSES, REASONS } from '../../../src/engine/statuses/status.ts';
import { asRefused, call, Refused, useAction, useRead } from '../api.ts';
import { Diff, download, patchOf } from '../diff.tsx';
import { For, useMay } from '../session.tsx';
import { Table } from '../table.tsx';
import type { ProfileChange, Unmapped } from '../types.ts';
import { Ask, Choice, Section, Time, Trouble, useFilters } from '../ui.tsx';
import { repairAll } from './pushes.tsx';

/** Reads profiles anew, then the pushes with unmapped statuses. */
const applyProfiles = async (): Promise<number> => {
  // A profile with errors does not keep the pushes of other carriers from being read.
  const refused = await call('POST', '/admin/reload').then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Refused && error.status === 422) return error;
      throw error;
    },
  );
  const count = await repairAll('renormalise', 'unmapped');
  if (refused !== undefined) throw refused;
  return count;
};

export const UnmappedStatuses = () => {
  const { values, set } = useFilters(['carrier']);
  const { reply, error, reload } = useRead<{ data: readonly Unmapped[] }>('/admin/statuses/unmapped');
  const [count, setCount] = useState<number>();
  const again = useAction(async () => {
    setCount(await applyProfiles().finally(reload));
  });
  const [open, setOpen] = useState<Unmapped>();
  const shown = reply?.data.filter(({ carrierCode }) => values.carrier === '' || carrierCode === values.carrier);
  return (
    <Section
      title="Unmapped statuses"
      aside={
        <For role="operate">
          <span role="status">{count !== undefined && `${count} pushes were read again`}</span>
          <button type="button" disabled={again.busy} onClick={() => again.run()}>
            {again.busy ? 'Working …' : 'Reload profiles and read pushes again'}
          </button>
        </For>
      }
    >
      <Trouble error={again.error} />
      <p className="faint">
        Give each a meaning: it becomes a row of the carrier’s status table. Then the pushes that said it are read again
        and shippers are notified.
      </p>
      {(reply?.data.length ?? 0) > 0 && (
        <form className="filters">
          <Choice
            label="Carrier"
            value={values.carrier}
            among={[...new Set(reply?.data.map(({ carrierCode }) => carrierCode))]}
            onChange={(carrier) => set({ carrier })}
          />
        </form>
      )}
      <Table
        what="Unmapped statuses"
        list={{ entries: shown, error, more: undefined }}
        keyOf={({ carrierCode, code, subCode, description }) => [carrierCode, code, subCode, description].join('/')}
        empty={<p>Every status that carriers have sent is mapped.</p>}
        columns={[
          {
            name: 'Status',
            show: (one) => (
              <button type="button" className="quiet" data-row="" onClick={() => setOpen(one)}>
                {[one.code, one.subCode].filter(Boolean).join(' / ')}
              </button>
            ),
          },
          {
            name: 'Carrier',
            show: ({ carrierCode }) => <Link href={`/carriers/${carrierCode}/statuses`}>{carrierCode}</Link>,
          },
          { name: 'Description', show: ({ description }) => description },
          { name: 'Count', show: ({ count: times }) => times.toLocaleString() },
          { name: 'Last seen', show: ({ lastSeen }) => <Time at={lastSeen} /> },
        ]}
      />
      {open !== undefined && (
        <MapStatus
          of={open}
          onClose={() => setOpen(undefined)}
          onDone={(read) => {
            setCount(read);
            setOpen(undefined);
            reload();
          }}
        />
      )}
    </Section>
  );
};

interface Seen {
  readonly of: string | undefined;
  readonly change?: ProfileChange;
  readonly error?: Refused;
}

const MapStatus = ({
  of: { carrierCode, code, subCode, description },
  onClose,
  onDone,
}: {
  readonly of: Unmapped;
  readonly onClose: () => void;
  readonly onDone: (count: number) => void;
}) => {
  const [status, setStatus] = useState('');
  const [reason, setReason] = useState('');
  const [seen, setSeen] = useState<Seen>();
  const mayWrite = useMay('administer');
  const path = `/admin/carriers/${encodeURIComponent(carrierCode)}/statuses`;
  const row = {
    code,
    status,
    ...(subCode === undefined || subCode === '' ? {} : { subCode }),
    ...(description === undefined || description === '' ? {} : { description: description.slice(0, 500) }),
    ...(reason === '' ? {} : { reason }),
  };
  const wanted = status === '' ? undefined : JSON.stringify({ rows: [row] });
  useEffect(() => {
    if (wanted === undefined) return undefined;
    const stop = new AbortController();
    call<ProfileChange>('POST', `${path}/preview`, JSON.parse(wanted), { signal: stop.signal }).then(
      (change) => setSeen({ of: wanted, change }),
      (error: unknown) => stop.signal.aborted || setSeen({ of: wanted, error: asRefused(error) }),
    );
    return () => stop.abort();
  }, [path, wanted]);
  const { change, error }: Partial<Seen> = seen !== undefined && seen.of === wanted ? seen : {};
  const patch = change === undefined ? '' : patchOf(change.file, change.before, change.after);
  const save = useAction(async () => {
    await call('POST', path, wanted === undefined ? undefined : JSON.parse(wanted));
    onDone(await applyProfiles());
  });
  const maySave = mayWrite && change?.writable === true;
  return (
    <Ask
      open
      wide
      title={`What does ${[code, subCode].filter(Boolean).join(' / ')} of ${carrierCode} mean?`}
      busy={save.busy}
      error={save.error ?? error}
      {...(maySave ? { confirm: 'Save and read pushes again', onConfirm: () => save.run() } : {})}
      onClose={onClose}
    >
      {description !== undefined && description !== '' && (
        <p>
          The carrier’s description: <q>{description}</q>
        </p>
      )}
      <label>
        Normalised status
        <select required value={status} onChange={({ target }) => setStatus(target.value)}>
          <option value="">choose one</option>
          {[...NORMALISED_STATUSES, NO_CHANGE]
            .filter((one) => one !== 'Unmapped')
            .map((one) => (
              <option key={one}>{one}</option>
            ))}
        </select>
      </label>
      <label>
        Reason, for a failure
        <select value={reason} onChange={({ target }) => setReason(target.value)}>
          <option value="">none</option>
          {REASONS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {change !== undefined && (
        <>
          <h3>Change to {change.file}</h3>
          {patch === '' ? (
            <p>The profile already has this row: reload profiles and read the pushes again.</p>
          ) : (
            <Diff patch={patch} what="change of the profile" />
          )}
          {patch !== '' && (
            <p>
              <button type="button" onClick={() => download(`${carrierCode}-statuses.patch`, patch)}>
                Download the patch
              </button>
            </p>
          )}
          {!maySave && (
            <p className="faint">
              {change.writable
                ? 'Only an administrator saves it here. Download the patch instead.'
                : 'This server may not write its profiles. Apply the patch where they come from, deploy it, then reload.'}
            </p>
          )}
        </>
      )}
    </Ask>
  );
};
