/** What became of a draft: its requests, results, events, cases and coverage. */
import { memo } from 'react';
import type { CoverReply, TryReply } from '../../../src/cli/playground-shapes.ts';
import { Code, Section, State } from '../ui.tsx';
import { isLitField, leavesOf, type Point, type Value } from './lighting.ts';

type Story = NonNullable<TryReply['played']>;

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Props {
  readonly tried: TryReply;
  readonly covered: CoverReply | undefined;
  readonly lit: ReadonlySet<Value>;
  readonly onPoint: (point: Point | undefined) => void;
  readonly onOpen: (place: Place) => void;
}

const At = ({ place, onOpen }: { readonly place: Place; readonly onOpen: Props['onOpen'] }) => (
  <button type="button" className="quiet place" onClick={() => onOpen(place)}>
    {place.file.split('/').slice(-2).join('/')}:{place.line}
  </button>
);

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const Values = ({
  values,
  lit,
  onPoint,
  onOpen,
}: Omit<Props, 'tried' | 'covered'> & { readonly values: readonly Value[] }) => (
  <ul className="values">
    {values.map((value, at) => (
      <li
        key={`${at} ${value.path}`}
        className={lit.has(value) ? 'lit' : ''}
        onMouseEnter={() => onPoint({ kind: 'value', value })}
        onMouseLeave={() => onPoint(undefined)}
        onFocus={() => onPoint({ kind: 'value', value })}
        onBlur={() => onPoint(undefined)}
      >
        <code>{value.path}</code>
        <span>{value.absent === undefined ? shown(value.value) : <em>{value.absent}</em>}</span>
        <small className="faint">{[...value.reads, ...value.shipper].join(' ← ')}</small>
        <At place={value} onOpen={onOpen} />
      </li>
    ))}
  </ul>
);

/** Not drawn anew when only the coverage is. */
const Played = memo(({ played, ...rest }: Omit<Props, 'tried' | 'covered'> & { readonly played: Story }) => {
  const { lit, onPoint, onOpen } = rest;
  return (
    <>
      <Section title="Requests">
        {played.exchanges.map(({ operation, step, method, url, status, outcome, message, values, rules }, at) => (
          <div key={at} className="exchange">
            <h3>
              {operation}/{step}: {method} {url} <State word={outcome} /> {status}
            </h3>
            {message !== undefined && <p className="faint">{message}</p>}
            <Values {...rest} values={values} />
            {rules.length > 0 && (
              <details>
                <summary>Why it is {outcome.replaceAll('_', ' ')}</summary>
                <ul className="values">
                  {rules.map((rule, number) => (
                    <li key={number}>
                      <code>{rule.do}</code>
                      <span>
                        {rule.matched ? 'matched: ' : ''}
                        {rule.why}
                      </span>
                      <At place={rule} onOpen={onOpen} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </div>
        ))}
        <details>
          <summary>As they go over the wire</summary>
          {played.sent.map(({ method, url, headers, body }, at) => (
            <div key={at}>
              <Code what="request" text={`${method} ${url}\n${headerLines(headers)}`} />
              {body !== '' && <Code what="body" text={body} />}
            </div>
          ))}
        </details>
      </Section>
      <Section title="Given consignment">
        <ul className="values">
          {leavesOf(played.consignment).map(([field, value]) => (
            <li
              key={field}
              className={isLitField(field, lit) ? 'lit' : ''}
              onMouseEnter={() => onPoint({ kind: 'field', field })}
              onMouseLeave={() => onPoint(undefined)}
            >
              <code>{field}</code>
              <span>{shown(value)}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Result">
        {played.steps.map(({ do: action, outcome, problem, result, labels }, at) => (
          <div key={at}>
            <h3>
              {action} <State word={outcome} />
            </h3>
            {problem !== undefined && <p className="bad">{problem}</p>}
            {result !== undefined && <Code what="result" text={JSON.stringify(result)} />}
            {labels !== undefined && Object.keys(labels).length > 0 && (
              <p>
                Labels:{' '}
                {Object.entries(labels)
                  .map(([name, format]) => `${name} ${format}`)
                  .join(', ')}
              </p>
            )}
          </div>
        ))}
        <Values {...rest} values={played.results} />
      </Section>
      <Section title="Events">
        {played.events.length === 0 ? (
          <p className="faint">The case brings none.</p>
        ) : (
          <ul className="values">
            {played.events.map(({ value, status, reason, occurredAt, carrierStatus, row, file, line, column }, at) => (
              <li key={at}>
                <code>{value ?? 'no number'}</code>
                <span>
                  {status}
                  {reason === undefined ? '' : ` (${reason})`} at {occurredAt} ← {carrierStatus}
                </span>
                <small className="faint">{row ?? 'no row of the status table'}</small>
                {file !== undefined && <At place={{ file, line: line ?? 1, column: column ?? 1 }} onOpen={onOpen} />}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
});

export const Outcome = ({ tried, covered, ...rest }: Props) => {
  const { onOpen } = rest;
  const { played, findings } = tried;
  const { cases = [], coverage } = covered ?? {};
  const errors = findings.filter(({ severity }) => severity === 'error');
  return (
    <div className="outcome">
      {played === undefined && (
        <p className="empty">
          {errors.length === 0
            ? 'There is no case yet, so nothing is sent.'
            : `${errors.length} errors keep it from running; the editors mark them.`}
        </p>
      )}
      {played !== undefined && <Played played={played} {...rest} />}
      <Section title="Cases">
        <ul className="values">
          {cases.map(({ name, title, passed, problems }) => (
            <li key={name}>
              <State word={passed ? 'passed' : 'failed'} />
              <span>{title}</span>
              {problems.map((problem, at) => (
                <div key={at} className="problem">
                  {problem.message} <At place={problem} onOpen={onOpen} />
                  {problem.differences.map(({ path, expected, seen }, number) => (
                    <div key={number}>
                      <code>{path}</code>: <span className="good">{shown(expected) || 'nothing'}</span> was expected,{' '}
                      <span className="bad">{shown(seen) || 'nothing'}</span> came
                    </div>
                  ))}
                </div>
              ))}
            </li>
          ))}
        </ul>
      </Section>
      {coverage !== undefined && (
        <Section title={`Coverage: ${coverage.percent} %`}>
          <details>
            <summary>
              {coverage.missed.length} of {coverage.total} no case comes by
            </summary>
            <ul className="values">
              {coverage.missed.map((missed, at) => (
                <li key={at}>
                  <code>{missed.kind}</code>
                  <span>{missed.what}</span>
                  <At place={missed} onOpen={onOpen} />
                </li>
              ))}
            </ul>
          </details>
        </Section>
      )}
    </div>
  );
};

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
