/** An action on one or many, after a dry run that says what would become of each. */
import { type ReactNode, useEffect, useState } from 'react';
import { asRefused, call, Refused, useAction } from './api.ts';
import type { Many } from './types.ts';
import { Ask } from './ui.tsx';

interface Props {
  readonly name: string;
  readonly path: string;
  readonly ids: readonly number[];
  /** What else is sent; when it changes, the dry run is repeated. */
  readonly body?: object;
  /** For the audit log, where it takes one. */
  readonly note?: string;
  readonly disabled?: boolean;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

export const Rehearsed = (props: Props) => {
  const { name, ids, disabled = false } = props;
  // The dialog keeps what was chosen when it opened, whatever changes behind it.
  const [asked, setAsked] = useState<Pick<Props, 'name' | 'ids'>>();
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => setAsked({ name, ids })}>
        {name} …
      </button>
      {asked !== undefined && <Rehearsal {...props} {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
};

const Rehearsal = ({
  name,
  path,
  ids,
  body,
  note,
  onDone,
  onClose,
  children,
}: Props & { readonly onClose: () => void }) => {
  const [seen, setSeen] = useState<{ readonly of: string; readonly would?: Many; readonly error?: Refused }>();
  const [isOver, setOver] = useState(false);
  const wanted = JSON.stringify({ ids, ...body });
  const isNoted = note !== undefined;
  useEffect(() => {
    const stop = new AbortController();
    // A dry run records no note, but the route requires one.
    const sent = { ...(JSON.parse(wanted) as object), dryRun: true, ...(isNoted && { note: 'rehearsal' }) };
    call<Many>('POST', path, sent, { signal: stop.signal }).then(
      (would) => stop.signal.aborted || setSeen({ of: wanted, would }),
      (error: unknown) => stop.signal.aborted || setSeen({ of: wanted, error: asRefused(error) }),
    );
    return () => stop.abort();
  }, [path, wanted, isNoted]);
  const act = useAction(async () => {
    const { data, refusedCount } = await call<Many>('POST', path, { ids, ...body, ...(isNoted && { note }) });
    onDone();
    if (refusedCount === 0) return onClose();
    setOver(true);
    throw new Refused(0, `${refusedCount} could not be done`, reasonsOf(data));
  });
  const { would, error } = seen?.of === wanted ? seen : {};
  const isPossible = !isOver && would !== undefined && would.doneCount > 0;
  return (
    <Ask
      open
      title={name}
      busy={act.busy}
      error={act.error ?? error}
      onClose={onClose}
      {...(isPossible ? { confirm: name, onConfirm: () => act.run() } : {})}
    >
      {children}
      {would !== undefined && !isOver && (
        <div role="status">
          <p>
            Dry run: {would.doneCount} of {would.data.length} can be done now.
          </p>
          {would.refusedCount > 0 && (
            <ul>
              {reasonsOf(would.data).map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Ask>
  );
};

const reasonsOf = (data: Many['data']): readonly string[] => [
  ...new Set(data.flatMap(({ result, message, code }) => (result === 'done' ? [] : [message ?? code ?? result]))),
];
