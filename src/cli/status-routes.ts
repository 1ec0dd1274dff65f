/** `waybill statuses import` for the console: a row for a status that no row knows. */
import { accessSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Static, Type } from 'typebox';
import { Failure, messageOf } from '../engine/failure.ts';
import { profilePath } from '../engine/profile/chain.ts';
import { formatFinding } from '../engine/profile/finding.ts';
import { STATUS_WORDS } from '../engine/profile/status-groups.ts';
import { REASONS } from '../engine/statuses/status.ts';
import { conflict, type HttpAnswer, invalid, notFound, ok } from '../platform/api/http-answer.ts';
import { carrierCode } from '../platform/api/query-fields.ts';
import { routesOf } from '../platform/api/route.ts';
import type { Extension } from '../platform/processes/api.ts';
import { recordAudit } from '../platform/records/audit.ts';
import { importStatuses } from '../workbench/statuses/import-statuses.ts';
import { replaceFile } from '../workbench/write-files.ts';

const closed = { additionalProperties: false } as const;
const word = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const Row = Type.Object(
  {
    code: word(200),
    subCode: Type.Optional(Type.String({ maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 500, description: 'Becomes a comment.' })),
    status: Type.Enum([...STATUS_WORDS], { description: 'No Change: it means nothing.' }),
    reason: Type.Optional(Type.Enum([...REASONS])),
  },
  closed,
);
const Rows = Type.Object({ rows: Type.Array(Row, { minItems: 1, maxItems: 500 }) }, closed);
const Changed = Type.Object({
  file: Type.String({ description: 'The profile, below the home.' }),
  before: Type.String(),
  after: Type.String(),
  added: Type.Integer(),
  writable: Type.Boolean({ description: 'Whether this server may write the file.' }),
});
const Path = Type.Object({ carrierCode: carrierCode() });

type Change = Static<typeof Changed>;

export const statusTables: Extension =
  ({ config: { home } }) =>
  (scope, deps) => {
    const route = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const);
    const one = { path: Path, body: Rows, errors: [404, 409, 422] } as const;
    route('POST /admin/carriers/:carrierCode/statuses/preview', {
      ...one,
      id: 'previewStatuses',
      role: 'read',
      summary: 'The profile with further rows in its status table; nothing is written',
      reply: [Changed, 'Before and after.'],
      handle: ({ path: { carrierCode: code }, body }) => answer(changeOf(home, code, body)),
    });
    route('POST /admin/carriers/:carrierCode/statuses', {
      ...one,
      id: 'addStatuses',
      role: 'administer',
      summary: 'Add rows to the status table of a profile in the home of this server',
      description: 'Takes effect with `POST /admin/reload`. 409 where the file cannot be written.',
      reply: [Changed, 'As it is written now.'],
      handle: async ({ path: { carrierCode: code }, body, actor }) => {
        const change = changeOf(home, code, body);
        if ('status' in change) return change;
        if (!change.writable)
          return conflict(`${change.file} cannot be written by this server: change it where it comes from`);
        const detail = JSON.stringify({ rows: body.rows });
        await recordAudit(deps.pool, { actor, action: 'add_statuses', subject: `carrier:${code}`, detail });
        // Somebody else may have written it meanwhile.
        const now = changeOf(home, code, body);
        if (!('status' in now)) replaceFile(path.join(home, now.file), now.after);
        return answer(now);
      },
    });
  };

const answer = (change: Change | HttpAnswer): HttpAnswer => ('status' in change ? change : ok(change));

const changeOf = (home: string, code: string, { rows }: Static<typeof Rows>): Change | HttpAnswer => {
  const file = profilePath(code);
  const before = textAt(path.join(home, file));
  if (before === undefined) return notFound(`There is no ${file} in the home of this server`, 'unknown_carrier');
  try {
    const changed = importStatuses(code, before, { file: 'statuses', text: csvOf(rows) });
    if (!changed.ok) return invalid('The status table cannot take these rows', changed.findings.map(formatFinding));
    return { file, before, after: changed.text, added: changed.added, writable: isWritable(home, file) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return conflict(messageOf(thrown));
  }
};

const COLUMNS = ['code', 'subCode', 'description', 'status', 'reason'] as const;
const csvOf = (rows: Static<typeof Rows>['rows']): string =>
  [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((name) => cell(row[name] ?? '')).join(','))].join('\n');
/** A line break would end the comment that a description becomes. */
const cell = (text: string): string => `"${text.replaceAll(/[\r\n]+/g, ' ').replaceAll('"', '""')}"`;

const textAt = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** The file is replaced, which takes the right to write its folder. */
const isWritable = (home: string, file: string): boolean => {
  try {
    accessSync(path.join(home, file), constants.W_OK);
    accessSync(path.dirname(path.join(home, file)), constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
