/** An action on some of many that says beforehand what would become of each. */
import { type ReactNode, useState } from 'react';
import { call, Refused, useAction } from './api.ts';
import type { Many } from './types.ts';
import { Ask } from './ui.tsx';

interface Props {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  readonly disabled?: boolean;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

export const Rehearsed = ({ name, path, body, disabled = false, onDone, children }: Props) => {
  const [isOpen, setOpen] = useState(false);
  const [would, setWould] = useState<Many>();
  const look = useAction(async () => setWould(await call<Many>('POST', path, { ...body, dryRun: true })));
  const act = useAction(async () => {
    const { data, refusedCount } = await call<Many>('POST', path, body);
    onDone();
    if (refusedCount > 0) throw new Refused(0, `${refusedCount} could not be done`, reasonsOf(data));
    setOpen(false);
  });
  const isPossible = (would?.doneCount ?? 0) > 0;
  return (
    <>
      <button
        type="button"
        disabled={disabled}
        onClick={() => {
          setWould(undefined);
          setOpen(true);
          look.run();
        }}
      >
        {name} …
      </button>
      <Ask
        open={isOpen}
        title={name}
        busy={act.busy}
        error={act.error ?? look.error}
        onClose={() => setOpen(false)}
        {...(isPossible ? { confirm: name, onConfirm: () => act.run() } : {})}
      >
        {children}
        {would !== undefined && (
          <div role="status">
            <p>
              {would.doneCount} of {would.data.length} can be done now.
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
    </>
  );
};

const reasonsOf = (data: Many['data']): readonly string[] => [
  ...new Set(data.flatMap(({ result, message, code }) => (result === 'done' ? [] : [message ?? code ?? result]))),
];
