/** What all pages are made of. */
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { Refused } from './api.ts';

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

/** In the viewer's zone; hovering shows it in full, in the zone in which it was told, and in UTC. */
export const Time = ({
  at,
  full = false,
  zone,
}: {
  readonly at: string | undefined;
  readonly full?: boolean;
  readonly zone?: string | undefined;
}) => {
  if (at === undefined) return <span className="faint">–</span>;
  const date = new Date(at);
  const local = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={[local, zone && inZone(date, zone), date.toISOString()].filter(Boolean).join(' · ')}>
      {full ? moment(date) : ago(date.getTime())}
    </time>
  );
};
/** The year only where it is another one. */
const moment = (date: Date): string =>
  date.toLocaleString(undefined, {
    ...(date.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  });
const inZone = (date: Date, timeZone: string): string => {
  try {
    return `${date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone })} ${timeZone}`;
  } catch {
    // A zone that this browser does not know.
    return '';
  }
};

const GOOD = new Set([
  'accepted',
  'done',
  'delivered',
  'active',
  'closed',
  'stored',
  'valid',
  'matched',
  'good',
  'succeed',
]);
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
  'refused',
  'reject',
  'fail',
  'not_sent',
  'unknown_outcome',
  'config_error',
  'disabled',
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

export const Copy = ({
  text,
  what,
  label = 'Copy',
}: {
  readonly text: string;
  readonly what: string;
  readonly label?: string;
}) => {
  const [done, setDone] = useState(false);
  useEffect(() => {
    const timer = done ? setTimeout(() => setDone(false), 1_500) : undefined;
    return () => clearTimeout(timer);
  }, [done]);
  // Browsers offer it over HTTPS and on the machine itself only.
  if (!('clipboard' in navigator)) return null;
  return (
    <button
      type="button"
      className="quiet"
      aria-label={label === 'Copy' ? `Copy ${what}` : undefined}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setDone(true),
          () => undefined,
        )
      }
    >
      {done ? 'Copied' : label}
    </button>
  );
};

/** Text from elsewhere, with JSON and XML indented: always text, never markup. */
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
    return text.startsWith('<') && text.length < XML_MAX ? indentedXml(text) : text;
  }
};
const XML_MAX = 200_000;

/** Each element on a line of its own; text stays within its element. */
const indentedXml = (text: string): string => {
  let depth = 0;
  return text
    .replaceAll(/>\s*</g, '>\n<')
    .split('\n')
    .map((line) => {
      if (line.startsWith('</')) depth = Math.max(0, depth - 1);
      const shown = '  '.repeat(depth) + line;
      if (/^<[^!?/][^>]*[^/]>$/.test(line)) depth += 1;
      return shown;
    })
    .join('\n');
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

/** Moves the focus to the next or previous row. */
export const moveByKey = (event: KeyboardEvent): void => {
  if (event.key !== 'j' && event.key !== 'k') return;
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.max(0, at + (event.key === 'j' ? 1 : -1))]?.focus();
};

/** Filters that are kept in the URL, so that what is shown can be linked to. */
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

/** To the consignments of a number; `isRow`: of the row of a table, that `j` and `k` go to. */
export const ConsignmentLink = ({ number, isRow = false }: { readonly number: string; readonly isRow?: boolean }) => (
  <Link {...(isRow && { 'data-row': '' })} href={`/consignments?number=${encodeURIComponent(number)}`}>
    {number}
  </Link>
);

/** Of a dialog that does something. */
export interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A filter of free text: applied with Enter, or when the field is left. */
export const TextFilter = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => (
  <label>
    {label}
    <input
      type="search"
      defaultValue={value}
      key={value}
      onBlur={({ target }) => target.value.trim() !== value && onChange(target.value.trim())}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange(currentTarget.value.trim())}
    />
  </label>
);

/** A code of a shipper, with its environment where that is not production. */
export const whose = (shipper: string, environment: string): string =>
  environment === 'sandbox' ? `${shipper} (sandbox)` : shipper;

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
  wide = false,
}: {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm?: string;
  readonly busy?: boolean;
  readonly error?: Refused | undefined;
  readonly onConfirm?: () => void;
  readonly onClose: () => void;
  readonly wide?: boolean;
}) => (
  <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className={wide ? 'dialog wide' : 'dialog'}>
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
              {confirm === undefined ? 'Close' : 'Cancel'}
            </button>
            {confirm !== undefined && (
              <button type="submit" className="main" disabled={busy}>
                {busy === true ? 'Working …' : confirm}
              </button>
            )}
          </footer>
        </form>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
