/** The versions of a carrier's profile, and what changed between them. */
import { useRead } from '../api.ts';
import { Diff, patchOf } from '../diff.tsx';
import { Table } from '../table.tsx';
import type { Version } from '../types.ts';
import { Section, Time, Trouble, useFilters } from '../ui.tsx';

interface Files {
  readonly hash: string;
  readonly files: Readonly<Record<string, string>>;
}

export const Versions = ({ code }: { readonly code: string }) => {
  const path = `/admin/carriers/${encodeURIComponent(code)}/versions`;
  const { reply, error } = useRead<{ data: readonly Version[] }>(path);
  const { values, set } = useFilters(['from', 'to']);
  const versions = reply?.data ?? [];
  const to = values.to === '' ? versions[0]?.hash : values.to;
  const from = values.from === '' ? versions[versions.findIndex(({ hash }) => hash === to) + 1]?.hash : values.from;
  const choice = (label: string, value: string | undefined, onChange: (hash: string) => void) => (
    <label>
      {label}
      <select value={value ?? ''} onChange={({ target }) => onChange(target.value)}>
        {value === undefined && <option value="">none</option>}
        {versions.map(({ hash, keptAt, current }) => (
          <option key={hash} value={hash}>
            {hash.slice(0, 12)} · {new Date(keptAt).toLocaleString()} {current && '(current)'}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Section title="Versions">
      <Table
        what="Versions"
        list={{ entries: reply?.data, error, more: undefined }}
        keyOf={({ hash }) => hash}
        hrefOf={({ hash }) => `/carriers/${code}/versions?to=${hash}`}
        empty={<p>No version is recorded yet.</p>}
        columns={[
          { name: 'Version', show: ({ hash }) => <code>{hash.slice(0, 12)}</code> },
          { name: 'First loaded', show: ({ keptAt }) => <Time at={keptAt} full /> },
          { name: 'In use', show: ({ current }) => (current ? 'yes' : '') },
        ]}
      />
      {versions.length > 1 && (
        <>
          <form className="filters">
            {choice('From', from, (hash) => set({ from: hash }))}
            {choice('To', to, (hash) => set({ to: hash }))}
          </form>
          {from !== undefined && to !== undefined && <Changes path={path} from={from} to={to} />}
        </>
      )}
    </Section>
  );
};

const Changes = ({ path, from, to }: { readonly path: string; readonly from: string; readonly to: string }) => {
  const before = useRead<Files>(`${path}/${from}`);
  const after = useRead<Files>(`${path}/${to}`);
  if (before.reply === undefined || after.reply === undefined) return <Trouble error={before.error ?? after.error} />;
  const [old, current] = [before.reply.files, after.reply.files];
  const patches = [...new Set([...Object.keys(old), ...Object.keys(current)])]
    .toSorted()
    .map((file) => ({ file, patch: patchOf(file, old[file] ?? '', current[file] ?? '') }))
    .filter(({ patch }) => patch !== '');
  return patches.length === 0 ? (
    <p className="faint">Their files are the same.</p>
  ) : (
    patches.map(({ file, patch }) => (
      <div key={file}>
        <h3>{file}</h3>
        <Diff patch={patch} what={`changes of ${file}`} />
      </div>
    ))
  );
};
