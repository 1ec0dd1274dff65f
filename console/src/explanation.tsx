/** Where the values of a dispatch come from, and why each response was classified as it was. */
import { useState } from 'react';
import { useRead } from './api.ts';
import { Table } from './table.tsx';
import type { ExplainedExchange, ExplainedValue, Explanation as Explained } from './types.ts';
import { Ask, Section, State, Trouble } from './ui.tsx';

export const Explanation = ({ dispatchId, onClose }: { readonly dispatchId: number; readonly onClose: () => void }) => {
  const { reply, error } = useRead<Explained>(`/admin/dispatches/${dispatchId}/explanation`);
  const [filter, setFilter] = useState('');
  const isShown = (one: ExplainedValue): boolean => {
    const text = [one.path, JSON.stringify(one.value), ...one.reads, ...one.shipper].join(' ').toLowerCase();
    return text.includes(filter.toLowerCase());
  };
  return (
    <Ask open wide title={`Where the values of dispatch ${dispatchId} come from`} onClose={onClose}>
      <Trouble error={error} />
      {reply === undefined && error === undefined && <p role="status">Explaining …</p>}
      {reply !== undefined && (
        <>
          <p className="faint">
            The dispatch was run again against the recorded responses, with version{' '}
            <code>{reply.dispatch?.profileHash.slice(0, 12)}</code> of the profile. Nothing was sent.
          </p>
          {(reply.notes ?? []).map((note) => (
            <p key={note} className="note">
              {note}
            </p>
          ))}
          <label>
            Find a field or a value
            <input type="search" value={filter} onChange={({ target }) => setFilter(target.value)} />
          </label>
          {reply.exchanges.map((exchange, at) => (
            <ExchangeOrigins key={at} of={exchange} isShown={isShown} />
          ))}
          {reply.results.length > 0 && (
            <Section title="Read from the responses">
              <Values what="Results" values={reply.results.filter(isShown)} />
            </Section>
          )}
          {reply.ended.map(({ operation, outcome, code, messages, file, line }) => (
            <p key={`${operation} ${code}`}>
              <b>{operation}</b> ended: <State word={outcome} /> {code}: {messages.join('; ')}{' '}
              {file !== undefined && <code>{`${file}:${line}`}</code>}
            </p>
          ))}
        </>
      )}
    </Ask>
  );
};

const ExchangeOrigins = ({
  of: { operation, step, method, url, status, outcome, message, values, rules },
  isShown,
}: {
  readonly of: ExplainedExchange;
  readonly isShown: (one: ExplainedValue) => boolean;
}) => (
  <Section title={`${operation} / ${step}`} aside={<State word={outcome} />}>
    <p>
      {method === undefined ? 'Not sent' : `${method} ${url}`} {message}
    </p>
    <Values what={`Values of ${operation} / ${step}`} values={values.filter(isShown)} />
    {status !== undefined && (
      <>
        <h3>Why {status} was classified so</h3>
        <ul className="rules">
          {rules.map((rule, at) => (
            <li key={at} className={rule.matched ? 'good' : 'faint'}>
              {rule.matched ? '✓' : '·'} <b>{rule.do}</b> {rule.why} <code>{`${rule.file}:${rule.line}`}</code>
            </li>
          ))}
          {!rules.some(({ matched }) => matched) && <li className="good">✓ a built-in rule</li>}
        </ul>
      </>
    )}
  </Section>
);

const Values = ({ what, values }: { readonly what: string; readonly values: readonly ExplainedValue[] }) => (
  <Table
    what={what}
    list={{ entries: values, error: undefined, more: undefined }}
    keyOf={({ path, file, line, column }) => `${path} ${file}:${line}:${column}`}
    empty={<p>No value matches.</p>}
    columns={[
      { name: 'Field', show: ({ path }) => <code>{path}</code> },
      {
        name: 'Value',
        show: ({ value, absent }) =>
          absent === undefined ? <code>{shown(value)}</code> : <span className="faint">absent: {absent}</span>,
      },
      { name: 'Expression', show: ({ file, line, column }) => <code>{`${file}:${line}:${column}`}</code> },
      { name: 'Reads', show: ({ reads }) => <Paths of={reads} /> },
      { name: 'Order field', show: ({ shipper }) => <Paths of={shipper} /> },
    ]}
  />
);

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

const Paths = ({ of }: { readonly of: readonly string[] }) =>
  of.map((path) => (
    <div key={path}>
      <code>{path}</code>
    </div>
  ));
