/** What all pages are made of. */
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { List, Refused } from './api.ts';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const ago = (atMs: number): string => {
  const ms = atMs - Date.now();
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000];
  return RELATIVE.format(Math.round(ms / size), unit);
};

/** In the viewer's zone; pointing at it shows it in full, and in UTC. */
export const Time = ({ at, full = false }: { readonly at: string | undefined; readonly full?: boolean }) => {
  if (at === undefined) return <span className="faint">–</span>;
  const date = new Date(at);
  const local = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={`${local} · ${date.toISOString()}`}>
      {full ? local : ago(date.getTime())}
    </time>
  );
};

const GOOD = new Set(['accepted', 'done', 'delivered', 'active', 'closed', 'stored', 'valid', 'matched']);
const BAD = new Set([
  'rejected',
  'held',
  'failed',
  'failing',
  'open',
  'revoked',
  'expired',
  'abandoned',
  'gone',
  'error',
]);
const BUSY = new Set([
  'pending',
  'sending',
  'waiting',
  'queued',
  'paused',
  'kept_open',
  'ambiguous',
  'unmatched',
  'partial',
]);

/** A state in a word; its colour repeats what the word says. */
export const State = ({ word }: { readonly word: string | undefined }) => {
  if (word === undefined) return null;
  const kind = GOOD.has(word) ? 'good' : BAD.has(word) ? 'bad' : BUSY.has(word) ? 'busy' : 'plain';
  return <span className={`state ${kind}`}>{word.replaceAll('_', ' ')}</span>;
};

export const Trouble = ({ error }: { readonly error: Refused | undefined }) =>
  error === undefined ? null : (
    <div className="trouble" role="alert">
      <strong>{error.message}</strong>
      {error.findings.length > 0 && (
        <ul>
          {error.findings.map((finding) => (
            <li key={finding}>{finding}</li>
          ))}
        </ul>
      )}
    </div>
  );

export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [done, setDone] = useState(false);
  useEffect(() => {
    const timer = done ? setTimeout(() => setDone(false), 1_500) : undefined;
    return () => clearTimeout(timer);
  }, [done]);
  // Over plain HTTP there is none but on the machine itself.
  if (!('clipboard' in navigator)) return null;
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`Copy ${what}`}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setDone(true),
          () => undefined,
        )
      }
    >
      {done ? 'Copied' : 'Copy'}
    </button>
  );
};

/** Text that came from elsewhere, JSON indented: always text, never markup. */
export const Code = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const shown = indented(text);
  return (
    <div className="code">
      <Copy text={shown} what={what} />
      <pre tabIndex={0} aria-label={what}>
        {shown}
      </pre>
    </div>
  );
};
const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
};

export const Facts = ({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export const Page = ({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) => {
  useEffect(() => {
    document.title = `${title} · Waybill`;
  }, [title]);
  return (
    <main>
      <header className="title">
        <h1>{title}</h1>
        {aside}
      </header>
      {children}
    </main>
  );
};

export const Section = ({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section aria-label={title}>
    <header className="title">
      <h2>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
);

interface Column<Entry> {
  readonly name: string;
  readonly show: (entry: Entry) => ReactNode;
}

interface TableProps<Entry> {
  readonly what: string;
  readonly list: Pick<List<Entry>, 'entries' | 'error' | 'more'>;
  readonly columns: readonly Column<Entry>[];
  readonly keyOf: (entry: Entry) => string;
  /** What to do where there is nothing. */
  readonly empty: ReactNode;
  /** Where a row leads. */
  readonly hrefOf?: (entry: Entry) => string;
}

/** A list as a table: `j` and `k` go down and up, Enter opens. */
export const Table = <Entry,>({ what, list, columns, keyOf, empty, hrefOf }: TableProps<Entry>) => {
  const { entries, error, more } = list;
  if (entries === undefined)
    return error === undefined ? <p className="faint">Loading …</p> : <Trouble error={error} />;
  if (entries.length === 0) return <div className="empty">{empty}</div>;
  return (
    <>
      <Trouble error={error} />
      <div className="scroll" role="region" aria-label={what} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={keyOf(entry)}>
                {columns.map(({ name, show }, at) => (
                  <td key={name}>
                    {at === 0 && hrefOf !== undefined ? (
                      <Link href={hrefOf(entry)} data-row="">
                        {show(entry)}
                      </Link>
                    ) : (
                      show(entry)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more !== undefined && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
    </>
  );
};

/** Moves the focus to the next or previous row that leads somewhere. */
export const moveByKey = (event: KeyboardEvent): void => {
  if (event.key !== 'j' && event.key !== 'k') return;
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.max(0, at + (event.key === 'j' ? 1 : -1))]?.focus();
};

/** Fields whose values are the page's query, so that what is seen can be linked. */
export const useFilters = <Name extends string>(names: readonly Name[]) => {
  const [location, navigate] = useLocation();
  const query = new URLSearchParams(useSearch());
  const values = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<Name, string>;
  const set = (changes: Partial<Record<Name, string>>): void => {
    for (const [name, value] of Object.entries<string | undefined>(changes)) {
      if (value === undefined || value === '') query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    navigate(`${location}${text === '' ? '' : `?${text}`}`, { replace: true });
  };
  return { values, set };
};

export const Choice = ({
  label,
  value,
  among,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly among: readonly string[];
  readonly onChange: (value: string) => void;
}) => (
  <label>
    {label}
    <select value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">any</option>
      {among.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  </label>
);

/** A dialog that asks before something is done, and stays open where that fails. */
export const Ask = ({
  open,
  title,
  children,
  confirm,
  busy,
  error,
  onConfirm,
  onClose,
}: {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm?: string;
  readonly busy?: boolean;
  readonly error?: Refused | undefined;
  readonly onConfirm?: () => void;
  readonly onClose: () => void;
}) => (
  <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className="dialog">
        <Dialog.Title>{title}</Dialog.Title>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onConfirm?.();
          }}
        >
          {children}
          <Trouble error={error} />
          <footer>
            <button type="button" onClick={onClose}>
              {confirm === undefined ? 'Close' : 'Keep as it is'}
            </button>
            {confirm !== undefined && (
              <button type="submit" className="main" disabled={busy}>
                {busy === true ? 'One moment …' : confirm}
              </button>
            )}
          </footer>
        </form>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
