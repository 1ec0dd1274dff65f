/** What the fleet has, as tables; many at once come as CSV. */
import { call, useAction, useRead } from '../api.ts';
import { For } from '../session.tsx';
import { Table } from '../table.tsx';
import { Section, Trouble } from '../ui.tsx';
import { DriverLink } from './driver-link.tsx';
import type { Resource } from './shapes.ts';

const KINDS = ['depots', 'zones', 'vehicles', 'drivers', 'calendars', 'service-times', 'reasons'] as const;

export const Resources = ({ kind, onKind }: { readonly kind: string; readonly onKind: (kind: string) => void }) => (
  <>
    <div className="filters">
      <label>
        Resources
        <select value={kind} onChange={({ target }) => onKind(target.value)}>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {one.replace('-', ' ')}
            </option>
          ))}
        </select>
      </label>
    </div>
    <OfKind key={kind} kind={kind} />
  </>
);

const OfKind = ({ kind }: { readonly kind: string }) => {
  const path = `/fleet/v1/resources/${encodeURIComponent(kind)}`;
  const { reply, error, reload } = useRead<{ items: readonly Resource[] }>(path);
  const load = useAction(async (file: File) => {
    await call('POST', `${path}/import`, await file.text());
    reload();
  });
  const remove = useAction(async (code: string) => {
    await call('DELETE', `${path}/${encodeURIComponent(code)}`);
    reload();
  });
  const items = reply?.items ?? [];
  const fields = [...new Set(items.flatMap(({ data }) => Object.keys(data)))];
  return (
    <Section
      title={`${kind[0]?.toUpperCase()}${kind.slice(1).replace('-', ' ')}`}
      aside={
        <For role="administer">
          <label className="fleet-file">
            Import CSV
            <input
              type="file"
              accept=".csv,text/csv"
              disabled={load.busy}
              onChange={({ target }) => {
                const [file] = target.files ?? [];
                target.value = '';
                if (file !== undefined) load.run(file);
              }}
            />
          </label>
        </For>
      }
    >
      <Trouble error={load.error ?? remove.error} />
      <Table
        what={kind}
        list={{ entries: reply?.items, error, more: undefined }}
        keyOf={({ code }) => code}
        empty={<p>None yet. A CSV file has a line of field names first, `code` among them, then one line each.</p>}
        columns={[
          { name: 'code', show: ({ code }) => code },
          ...fields.map((name) => ({ name, show: ({ data }: Resource) => textOf(data[name]) })),
          {
            name: 'Action',
            show: ({ code }: Resource) => (
              <For role="administer">
                {kind === 'drivers' && <DriverLink driver={code} />}
                <button type="button" disabled={remove.busy} onClick={() => remove.run(code)}>
                  Delete {code}
                </button>
              </For>
            ),
          },
        ]}
      />
    </Section>
  );
};

/** Short, as the files have it. */
const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join(' ');
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};
