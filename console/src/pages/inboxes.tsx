/** What waits for a person: held dispatches, failed labels, pushes and statuses that nobody understood. */
import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, Refused, useAction, useList, useRead, withQuery } from '../api.ts';
import { Rehearsed } from '../rehearsed.tsx';
import { For, useMay } from '../session.tsx';
import type { FailedLabel, Held, Loaded, Push, Unmapped } from '../types.ts';
import { Ask, Choice, Code, Page, Section, Table, Time, Trouble, useFilters } from '../ui.tsx';

const KINDS = [
  ['held', 'Held dispatches'],
  ['labels', 'Failed labels'],
  ['unmatched', 'Pushes'],
  ['unmapped', 'Unmapped statuses'],
] as const;

export const Inboxes = ({ kind }: { readonly kind: string }) => {
  const [, navigate] = useLocation();
  return (
    <Page title="Inboxes">
      <Tabs.Root value={kind} onValueChange={(value: string) => navigate(`/inboxes/${value}`)}>
        <Tabs.List className="tabs" aria-label="Inboxes">
          {KINDS.map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="held">
          <HeldInbox />
        </Tabs.Panel>
        <Tabs.Panel value="labels">
          <FailedLabels />
        </Tabs.Panel>
        <Tabs.Panel value="unmatched">
          <UnwellPushes />
        </Tabs.Panel>
        <Tabs.Panel value="unmapped">
          <UnmappedStatuses />
        </Tabs.Panel>
      </Tabs.Root>
    </Page>
  );
};

const WHYS = ['fail', 'config_error', 'unknown_outcome', 'undo_failed', 'partial'];

const HeldInbox = () => {
  const { values, set } = useFilters(['why', 'carrier']);
  const loaded = useRead<Loaded>('/admin/carriers');
  const list = useList<Held>(withQuery('/admin/dispatches/held', values));
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [outcome, setOutcome] = useState('not_done');
  const mayAct = useMay('operate');
  const [note, setNote] = useState('');
  const there = (list.entries ?? []).filter(({ id }) => chosen.has(id));
  const ids = there.map(({ id }) => id);
  const done = (): void => {
    setChosen(new Set());
    setNote('');
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
          <button type="button" onClick={() => setChosen(new Set(list.entries?.map(({ id }) => id)))}>
            Choose all shown
          </button>
          <Rehearsed
            name={`Retry ${ids.length}`}
            path="/admin/dispatches/retry"
            ids={ids}
            disabled={ids.length === 0}
            onDone={done}
          >
            <p>
              They are taken up again. What their carriers may have done already is looked up first, or not sent again.
            </p>
          </Rehearsed>
          <Rehearsed
            name={`Resolve ${ids.length}`}
            path="/admin/dispatches/resolve"
            ids={ids}
            body={{ outcome }}
            note={note}
            disabled={ids.length === 0}
            onDone={done}
          >
            <label>
              What became of them
              <select value={outcome} onChange={({ target }) => setOutcome(target.value)}>
                <option value="not_done">Nothing of them is left at the carrier</option>
                <option value="rejected">They will not be done</option>
                <option value="done">The carrier has done them</option>
              </select>
            </label>
            <label>
              How you know
              <input required maxLength={1_000} value={note} onChange={({ target }) => setNote(target.value)} />
            </label>
          </Rehearsed>
        </For>
      }
    >
      <form className="filters">
        <Choice label="Why" value={values.why} among={WHYS} onChange={(why) => set({ why })} />
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
        empty={<p>Nothing is held.</p>}
        columns={[
          ...(mayAct
            ? [
                {
                  name: 'Chosen',
                  show: ({ id, referenceNumber }: Held) => (
                    <input
                      type="checkbox"
                      data-row=""
                      aria-label={`Choose ${referenceNumber}`}
                      checked={chosen.has(id)}
                      onChange={() => toggle(id)}
                    />
                  ),
                },
              ]
            : []),
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => (
              <Link
                data-row={mayAct ? undefined : ''}
                href={`/consignments?number=${encodeURIComponent(referenceNumber)}`}
              >
                {referenceNumber}
              </Link>
            ),
          },
          {
            name: 'Shipper',
            show: ({ shipper, environment }) => (environment === 'sandbox' ? `${shipper} (sandbox)` : shipper),
          },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Operation', show: ({ operation }) => operation },
          { name: 'Why', show: ({ failure }) => failure.why.replaceAll('_', ' ') },
          { name: 'What it says', show: ({ failure }) => failure.messages.join('; ').slice(0, 300) },
          { name: 'Held', show: ({ heldAt }) => <Time at={heldAt} /> },
        ]}
      />
    </Section>
  );
};

const FailedLabels = () => {
  const list = useList<FailedLabel>('/admin/labels/failed');
  const { run, busy, error } = useAction(async (id: string) => {
    await call('POST', `/admin/labels/${encodeURIComponent(id)}/retry`);
    list.reload();
  });
  return (
    <Section title="Failed labels">
      <Trouble error={error} />
      <Table
        what="Failed labels"
        list={list}
        keyOf={({ id }) => id}
        empty={<p>No label failed.</p>}
        columns={[
          {
            name: 'Consignment',
            show: ({ referenceNumber }) => (
              <Link data-row="" href={`/consignments?number=${encodeURIComponent(referenceNumber)}`}>
                {referenceNumber}
              </Link>
            ),
          },
          { name: 'Package', show: ({ packageId }) => packageId },
          { name: 'Shipper', show: ({ shipper }) => shipper },
          { name: 'Carrier', show: ({ carrierCode }) => carrierCode },
          { name: 'Why', show: ({ reason }) => reason?.message ?? reason?.code },
          {
            name: 'Action',
            show: ({ id }) => (
              <For role="operate">
                <button type="button" disabled={busy} onClick={() => run(id)}>
                  Ask again
                </button>
              </For>
            ),
          },
        ]}
      />
    </Section>
  );
};

/** Why a push is not well. */
const REASONS = [
  ['unmatched', 'It fits no consignment'],
  ['ambiguous', 'It fits several'],
  ['failed', 'It could not be read'],
  ['unmapped', 'Its status is not known'],
] as const;

const UnwellPushes = () => {
  const { values, set } = useFilters(['reason']);
  const reason = values.reason === '' ? 'unmatched' : values.reason;
  const list = useList<Push>(withQuery('/admin/pushes', { reason }));
  const [open, setOpen] = useState<Push>();
  return (
    <Section title="Pushes that are not well">
      <form className="filters">
        <label>
          Why
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
        empty={<p>There is none.</p>}
        columns={[
          {
            name: 'Push',
            show: (push) => (
              <button type="button" className="quiet" data-row="" onClick={() => setOpen(push)}>
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
      {open !== undefined && (
        <Assign
          push={open}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined);
            list.reload();
          }}
        />
      )}
    </Section>
  );
};

interface Name {
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
}
interface WholePush {
  readonly environment?: string;
  readonly body: string;
  readonly events: readonly {
    readonly match: string;
    readonly status: string;
    readonly candidates: readonly Name[];
  }[];
}

const Assign = ({
  push,
  onClose,
  onDone,
}: {
  readonly push: Push;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) => {
  const { reply, error } = useRead<WholePush>(`/admin/pushes/${push.id}`);
  const mayAct = useMay('operate');
  const [shipper, setShipper] = useState('');
  const [referenceNumber, setReference] = useState('');
  const [chosen, setEnvironment] = useState<string>();
  const environment = chosen ?? reply?.environment ?? 'production';
  const [note, setNote] = useState('');
  const act = useAction(async () => {
    await call('POST', `/admin/pushes/${push.id}/assign`, { shipper, environment, referenceNumber, note });
    onDone();
  });
  const candidates = reply?.events.flatMap((event) => event.candidates) ?? [];
  return (
    <Ask
      open
      title={`Push ${push.id} of ${push.carrierCode}`}
      busy={act.busy}
      error={act.error ?? error}
      {...(mayAct ? { confirm: 'Assign', onConfirm: () => act.run() } : {})}
      onClose={onClose}
    >
      {reply !== undefined && <Code what="push" text={reply.body} />}
      {candidates.length > 0 && (
        <p>
          It may be of{' '}
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
      <For role="operate">
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
          referenceNumber
          <input required value={referenceNumber} onChange={({ target }) => setReference(target.value.trim())} />
        </label>
        <label>
          Why
          <input required value={note} onChange={({ target }) => setNote(target.value)} />
        </label>
      </For>
    </Ask>
  );
};

const UnmappedStatuses = () => {
  const { reply, error, reload } = useRead<{ data: readonly Unmapped[] }>('/admin/statuses/unmapped');
  const again = useAction(async () => {
    // A profile with errors keeps nobody from reading the pushes of the others.
    const refused = await call('POST', '/admin/reload').then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Refused && error.status === 422) return error;
        throw error;
      },
    );
    let before: number | undefined;
    do {
      const sent = { reason: 'unmapped', before };
      ({ nextBefore: before } = await call<{ readonly nextBefore?: number }>(
        'POST',
        '/admin/pushes/renormalise',
        sent,
      ));
    } while (before !== undefined);
    reload();
    if (refused !== undefined) throw refused;
  });
  return (
    <Section
      title="Statuses that no row of a table knows"
      aside={
        <For role="operate">
          <button type="button" disabled={again.busy} onClick={() => again.run()}>
            Reload profiles and read them again
          </button>
        </For>
      }
    >
      <Trouble error={again.error} />
      <p className="faint">
        Add a row to the carrier’s status table, then read these pushes again: shippers are told what follows.
      </p>
      <Table
        what="Unmapped statuses"
        list={{ entries: reply?.data, error, more: undefined }}
        keyOf={({ carrierCode, code, subCode, description }) => [carrierCode, code, subCode, description].join('/')}
        empty={<p>Every status is known.</p>}
        columns={[
          {
            name: 'Carrier',
            show: ({ carrierCode }) => (
              <Link data-row="" href={`/carriers/${carrierCode}`}>
                {carrierCode}
              </Link>
            ),
          },
          { name: 'Status', show: ({ code }) => code },
          { name: 'Sub-status', show: ({ subCode }) => subCode },
          { name: 'In its words', show: ({ description }) => description },
          { name: 'Times', show: ({ count }) => count },
          { name: 'Last', show: ({ lastSeen }) => <Time at={lastSeen} /> },
        ]}
      />
    </Section>
  );
};
