/** Named points of the work at which a process kills itself, as if it had been killed from outside just then. */
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { Client } from 'pg';
import { DIES_AT } from './patches.ts';

export const POINTS = {
  api: ['after-commit'],
  worker: ['before-send', 'after-send', 'before-record', 'before-conclude', 'after-conclude', 'after-claim'],
} as const;
export type Point = (typeof POINTS)['api' | 'worker'][number];

/** `point:n` for CHAOS_POINT: the process dies when it comes to that point for the `n`th time. */
export const pointText = (point: Point, nth: number): string => `${point}:${nth}`;

type Query = (this: object, ...args: unknown[]) => unknown;

/** Yields what takes it back. */
export const armPoint = (text: string): (() => void) => {
  const [point, nth] = text.split(':') as [Point, string];
  let left = Number(nth);
  watch(point, () => {
    left -= 1;
    if (left !== 0) return;
    // At once: what is left to be written later is never written.
    writeSync(process.stderr.fd, `\n${DIES_AT}${point}\n`);
    process.kill(process.pid, 'SIGKILL');
  });
  return () => {
    left = 0;
  };
};

const watch = (point: Point, pass: () => void): void => {
  switch (point) {
    case 'after-commit':
      // Of a batch, nobody has his reply.
      return watchCommits(/insert into (?:consignments|pushes)\b/, pass);
    case 'after-conclude':
      // Nobody who waits has been told, and what the statement leased to this process is not sent.
      return watchCommits(/update dispatches d set state = ending\.state/, pass);
    case 'after-claim':
      return watchQueries({ after: (sql) => sql.includes('attempt = d.attempt + 1') }, pass);
    case 'before-send':
      return watchQueries({ after: (sql) => sql.includes('insert into calls') && sql.includes('with fence as') }, pass);
    case 'after-send':
      // The bytes are out, no answer is here: a moment later.
      return subscribe('http.client.request.start', () => void setTimeout(pass, 2));
    case 'before-record':
      return watchQueries({ before: (sql) => sql.includes('insert into calls') && sql.includes('verdict') }, pass);
    case 'before-conclude':
      return watchQueries({ before: (sql) => sql.includes('update dispatches d set state = ending.state') }, pass);
  }
};

interface Watched {
  readonly before?: (sql: string) => boolean;
  /** Only where it wrote something: whoever looks finds nothing most of the time. */
  readonly after?: (sql: string) => boolean;
}

const watchQueries = ({ before, after }: Watched, pass: () => void): void =>
  wrapQuery((_client, sql) => {
    if (before?.(sql) === true) pass();
    if (after?.(sql) !== true) return undefined;
    return (result) => {
      if (((result as { rowCount?: number | null } | undefined)?.rowCount ?? 0) > 0) pass();
    };
  });

/** What is looked for has been committed, with its transaction or by itself, and nobody was told of it. */
const watchCommits = (wanted: RegExp, pass: () => void): void => {
  const open = new WeakSet<object>();
  const writers = new WeakSet<object>();
  wrapQuery((client, sql) => {
    if (sql === 'begin') open.add(client);
    if (wanted.test(sql)) {
      if (!open.has(client)) return pass;
      writers.add(client);
    }
    if (sql === 'rollback') writers.delete(client);
    if (sql !== 'commit' && sql !== 'rollback') return undefined;
    open.delete(client);
    return writers.delete(client) && sql === 'commit' ? pass : undefined;
  });
};

/** `look` sees each query as it is issued; what it yields is called with the result once the query has succeeded. */
const wrapQuery = (look: (client: object, sql: string) => ((result: unknown) => void) | undefined): void => {
  const prototype = Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function (...args) {
    const [first] = args;
    const sql = typeof first === 'string' ? first : ((first as { text?: string } | undefined)?.text ?? '');
    const then = look(this, sql);
    if (then === undefined) return query.apply(this, args);
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const told = (error: unknown, result: unknown): void => {
        if (error === null || error === undefined) then(result);
        (callback as (error: unknown, result: unknown) => void)(error, result);
      };
      return query.apply(this, [...args.slice(0, -1), told]);
    }
    const result = query.apply(this, args) as Promise<unknown>;
    void result.then(then, () => undefined);
    return result;
  };
};
