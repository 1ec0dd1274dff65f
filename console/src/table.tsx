/** A list as a table; of a long one only the rows in view are in the page. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { List } from './api.ts';
import { Trouble } from './ui.tsx';

interface Column<Entry> {
  readonly name: string;
  readonly show: (entry: Entry) => ReactNode;
}

interface TableProps<Entry> {
  readonly what: string;
  readonly list: Pick<List<Entry>, 'entries' | 'error' | 'more'>;
  readonly columns: readonly Column<Entry>[];
  readonly keyOf: (entry: Entry) => string;
  /** What to do next where there is nothing. */
  readonly empty: ReactNode;
  /** Where a row leads. */
  readonly hrefOf?: (entry: Entry) => string;
}

/** `j` and `k` go down and up, Enter opens. */
export const Table = <Entry,>(props: TableProps<Entry>) => {
  const { what, list, columns, empty } = props;
  const { entries, error, more } = list;
  if (entries === undefined)
    return error === undefined ? <p className="faint">Loading …</p> : <Trouble error={error} />;
  if (entries.length === 0) return <div className="empty">{empty}</div>;
  return (
    <>
      <Trouble error={error} />
      <div className="scroll" role="region" aria-label={what} tabIndex={0}>
        <table aria-rowcount={more === undefined ? entries.length + 1 : -1}>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {entries.length > SHORT ? (
            <Windowed {...props} entries={entries} />
          ) : (
            <tbody>
              {entries.map((entry) => (
                <Row key={props.keyOf(entry)} {...props} entry={entry} />
              ))}
            </tbody>
          )}
        </table>
      </div>
      {more !== undefined && <More load={more} after={entries.length} />}
    </>
  );
};

/** Shorter lists are in the page as a whole. */
const SHORT = 60;
const ROW_PX = 33;
const BEYOND = 12;

const Row = <Entry,>({
  entry,
  columns,
  hrefOf,
  at,
  measure,
}: Pick<TableProps<Entry>, 'columns' | 'hrefOf'> & {
  readonly entry: Entry;
  readonly at?: number;
  readonly measure?: (row: HTMLTableRowElement | null) => void;
}) => (
  <tr ref={measure} data-index={at} aria-rowindex={at === undefined ? undefined : at + 2}>
    {columns.map(({ name, show }, column) => (
      <td key={name} data-column={name}>
        {column === 0 && hrefOf !== undefined ? (
          <Link href={hrefOf(entry)} data-row="">
            {show(entry)}
          </Link>
        ) : (
          show(entry)
        )}
      </td>
    ))}
  </tr>
);

const Windowed = <Entry,>({ entries, ...props }: TableProps<Entry> & { readonly entries: readonly Entry[] }) => {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top;
    if (top !== undefined) setMargin(top + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW_PX,
    overscan: BEYOND,
    scrollMargin,
  });
  const rows = virtual.getVirtualItems();
  const before = Math.max(0, (rows[0]?.start ?? scrollMargin) - scrollMargin);
  const after = Math.max(0, virtual.getTotalSize() - ((rows.at(-1)?.end ?? scrollMargin) - scrollMargin));
  return (
    <tbody ref={body}>
      <Gap height={before} />
      {rows.map(({ index }) => {
        const entry = entries[index];
        return entry === undefined ? null : (
          <Row key={props.keyOf(entry)} {...props} entry={entry} at={index} measure={virtual.measureElement} />
        );
      })}
      <Gap height={after} />
    </tbody>
  );
};

const Gap = ({ height }: { readonly height: number }) =>
  height === 0 ? null : (
    <tr aria-hidden className="gap">
      <td style={{ height }} />
    </tr>
  );

/** Loads the next page when it comes into view, is still there after the last, or is asked to. */
const More = ({ load, after }: { readonly load: () => void; readonly after: number }) => {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    // A busy page is told of several changes at once, of which the last is how things are now.
    const seen = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting === true && latest.current());
    if (button.current !== null) seen.observe(button.current);
    return () => seen.disconnect();
  }, [after]);
  return (
    <button ref={button} type="button" onClick={load}>
      Show more
    </button>
  );
};
