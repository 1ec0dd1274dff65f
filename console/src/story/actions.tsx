/** What can be done about a consignment; each says what it will do before it does it. */
import { type ReactNode, useState } from 'react';
import { call, useAction } from '../api.ts';
import { Rehearsed } from '../rehearsed.tsx';
import type { Story } from '../types.ts';
import { Ask } from '../ui.tsx';

interface Done {
  readonly onDone: () => void;
}

export const Retry = ({ dispatchId, onDone }: Done & { readonly dispatchId: number }) => (
  <Rehearsed name="Retry" path="/admin/dispatches/retry" ids={[dispatchId]} onDone={onDone}>
    <p>
      The dispatch is attempted again. Where the carrier may already have processed the earlier attempt, it is asked
      first or sent the same idempotency key, so that nothing is shipped twice.
    </p>
  </Rehearsed>
);

export const Cancel = ({ id, onDone }: Done & { readonly id: number }) => (
  <Rehearsed name="Cancel consignment" path="/admin/consignments/cancel" ids={[id]} onDone={onDone}>
    <p>
      The carrier is asked to cancel. When it has, the labels are revoked and the shipper is notified by webhook. This
      cannot be undone.
    </p>
  </Rehearsed>
);

export const SendNow = ({ dispatchId, onDone }: Done & { readonly dispatchId: number }) => {
  const [isOpen, setOpen] = useState(false);
  const act = useAction(async () => {
    await call('POST', `/admin/dispatches/${dispatchId}/send`);
    setOpen(false);
    onDone();
  });
  return (
    <Asking name="Send now" isOpen={isOpen} setOpen={setOpen} act={act}>
      <p>
        Dispatch {dispatchId} is waiting for its next attempt, and is attempted at once. The limits and the circuit
        breaker of its carrier still apply.
      </p>
    </Asking>
  );
};

export const RetryLabel = ({ id, onDone }: Done & { readonly id: string }) => {
  const [isOpen, setOpen] = useState(false);
  const act = useAction(async () => {
    await call('POST', `/admin/labels/${encodeURIComponent(id)}/retry`);
    setOpen(false);
    onDone();
  });
  return (
    <Asking name="Fetch again" isOpen={isOpen} setOpen={setOpen} act={act}>
      <p>The carrier is asked for the label again. The shipper is notified when it arrives.</p>
    </Asking>
  );
};

export const Redeliver = ({ id, event, onDone }: Done & { readonly id: number; readonly event: string }) => {
  const [isOpen, setOpen] = useState(false);
  const act = useAction(async () => {
    await call('POST', `/admin/webhooks/deliveries/${id}/redeliver`);
    setOpen(false);
    onDone();
  });
  return (
    <Asking name="Redeliver" isOpen={isOpen} setOpen={setOpen} act={act}>
      <p>
        <code>{event}</code> is sent to the webhook again with the same <code>webhook-id</code>, by which the receiver
        recognises a duplicate.
      </p>
    </Asking>
  );
};

const Asking = ({
  name,
  isOpen,
  setOpen,
  act,
  children,
}: {
  readonly name: string;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly act: ReturnType<typeof useAction<readonly []>>;
  readonly children: ReactNode;
}) => (
  <>
    <button type="button" onClick={() => setOpen(true)}>
      {name} …
    </button>
    <Ask
      open={isOpen}
      title={name}
      confirm={name}
      busy={act.busy}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={() => setOpen(false)}
    >
      {children}
    </Ask>
  </>
);

const OUTCOMES = {
  done: 'The carrier has done it',
  not_done: 'The carrier has nothing of it: it may be retried, changed or cancelled',
  rejected: 'It will not be done: a create frees its reference number',
} as const;

/** Where only a look at the carrier's side can tell. */
export const Resolve = ({
  story,
  dispatch: { id: dispatchId, operation, failure },
  onDone,
}: Done & { readonly story: Story; readonly dispatch: Story['dispatches'][number] }) => {
  const [isOpen, setOpen] = useState(false);
  const [outcome, setOutcome] = useState<keyof typeof OUTCOMES>('not_done');
  const [note, setNote] = useState('');
  const [numbers, setNumbers] = useState<Readonly<Record<string, string>>>({});
  const asked = outcome === 'done' && operation !== 'cancel' ? story.packages : [];
  const shown = asked.map(({ packageId, trackingNumber = '' }) => ({
    packageId,
    trackingNumber: numbers[packageId] ?? trackingNumber,
  }));
  const act = useAction(async () => {
    const given = shown.filter(({ trackingNumber }) => trackingNumber !== '');
    await call('POST', `/admin/dispatches/${dispatchId}/resolve`, {
      outcome,
      note,
      ...(given.length > 0 && { trackingNumbers: given }),
    });
    setOpen(false);
    onDone();
  });
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Resolve …
      </button>
      <Ask
        open={isOpen}
        title={`Resolve dispatch ${dispatchId}`}
        confirm="Resolve"
        busy={act.busy}
        error={act.error}
        onConfirm={() => act.run()}
        onClose={() => setOpen(false)}
      >
        {failure !== undefined && <Why messages={failure.messages} operation={operation} />}
        <fieldset>
          <legend>What the carrier’s own records show</legend>
          {Object.entries(OUTCOMES).map(([one, words]) => (
            <label key={one} className="option">
              <input
                type="radio"
                name="outcome"
                checked={outcome === one}
                onChange={() => setOutcome(one as keyof typeof OUTCOMES)}
              />
              {words}
            </label>
          ))}
        </fieldset>
        {shown.map(({ packageId, trackingNumber }) => (
          <label key={packageId}>
            Tracking number of {packageId}
            <input
              value={trackingNumber}
              onChange={({ target }) => setNumbers({ ...numbers, [packageId]: target.value.trim() })}
            />
          </label>
        ))}
        <label>
          How you know
          <textarea required rows={2} maxLength={1_000} value={note} onChange={({ target }) => setNote(target.value)} />
        </label>
        <p className="faint">
          Nothing is sent to the carrier. The shipper is notified by webhook; your note is kept in the audit log.
        </p>
      </Ask>
    </>
  );
};

const Why = ({ messages, operation }: { readonly messages: readonly string[]; readonly operation: string }) => (
  <p className="note">
    The {operation} is held: {messages.join('; ')}
  </p>
);
