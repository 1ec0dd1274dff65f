import { Answer } from '../../src/engine/consignment/answer.ts';
import { Consignment } from '../../src/engine/consignment/consignment.ts';
import { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { NORMALISED_STATUSES, NO_CHANGE, parentOf, REASONS, isTerminal } from '../../src/engine/statuses/status.ts';
import { type Position, ROOT_MEANINGS, ROOTS, seenIn } from '../../src/engine/mapping/roots.ts';
import { RULES } from '../../src/engine/profile/rules.ts';
import { keyRows, type KeyRow, type Told } from './profile-keys.ts';

/** Where each position stands, for people. */
const POSITION_MEANINGS: Readonly<Record<Position, string>> = {
  environments: 'values of `environments`',
  auths: 'values of an auth; the request of a session’s `login`',
  session: '`token`, `expiresIn`, `expiresAt`, `save` of a session',
  send: '`send` of a session',
  signature: '`key`, `over`, `timestamp` of a signature',
  signatureFormat: '`format` of a signature',
  loginOutcomes: '`outcomes` of a `login`',
  request: '`when`, `forEach`, URL, `headers`, `query`, `body` of a step',
  register: 'the same in `register` and `unregister`',
  undo: 'the same in an `undo`, whose `response` is that of the call it undoes',
  outcomes: '`when`, `code`, `messages` of `outcomes`',
  result: '`result`',
  events: '`events` of the webhook',
  handshake: '`when` of the handshake',
  reply: 'a `reply`',
};

/** One example: a profile and its mapping files, by name, as they are written; and the names of its cases. */
export interface ReferenceExample {
  readonly profile: string;
  readonly mappings: Readonly<Record<string, string>>;
  readonly cases: readonly string[];
}

/**
 * `docs/profile.md`: the prose of its source, each `{{…}}` line of which is filled from what the engine itself goes by.
 * `{{keys a b}}` are keys of a profile, `{{keys of limits}}` those of a definition, `{{example basic}}` an example.
 * Throws on a line it cannot fill.
 */
export const profileDocument = (
  source: string,
  examples: ReadonlyMap<string, ReferenceExample>,
): { readonly text: string; readonly keys: readonly string[]; readonly shown: readonly string[] } => {
  const keys: string[] = [];
  const told: Told = new Map();
  const shown: string[] = [];
  const fill = (directive: string): string => {
    const [what = '', ...words] = directive.split(' ');
    switch (what) {
      case 'keys': {
        const definition = words[0] === 'of' ? words[1] : undefined;
        const rows = keyRows(definition === undefined ? words : words.slice(2), definition, told);
        keys.push(...rows.map(({ path }) => (definition === undefined ? path : `${definition}.${path}`)));
        return keyTable(rows);
      }
      case 'example': {
        const name = words[0] ?? '';
        const example = examples.get(name);
        if (example === undefined) throw new Error(`there is no example ${name}`);
        shown.push(name);
        return exampleBlocks(name, example);
      }
      case 'fields':
        return fieldTable(words[0] ?? '');
      case 'statuses':
        return statusTable();
      case 'reasons':
        return REASONS.map((reason) => `\`${reason}\``).join(' ');
      case 'roots':
        return table(
          ['root', 'is'],
          ROOTS.map((root) => [`\`${root}\``, ROOT_MEANINGS[root]]),
        );
      case 'positions':
        return positionTable();
      case 'rules':
        return table(
          ['rule', 'severity', 'says'],
          Object.entries(RULES).map(([name, { severity, description }]) => [
            `\`${name}\``,
            severity === 'either' ? 'error, warning' : severity,
            description,
          ]),
        );
      default:
        throw new Error(`nothing fills {{${directive}}}`);
    }
  };
  const text = source.replaceAll(/^\{\{(.+)\}\}$/gm, (_, directive: string) => fill(directive));
  return { text, keys, shown };
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

const plain = (text: string): string => text.replaceAll('<', '&lt;');

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

const keyTable = (rows: readonly KeyRow[]): string =>
  table(
    ['key', 'kind', 'default', 'meaning', 'example'],
    rows.map(({ path, kind, otherwise, meaning, example }) => [
      code(path),
      kind,
      otherwise,
      plain(meaning),
      code(example),
    ]),
  );

const exampleBlocks = (name: string, { profile, mappings, cases }: ReferenceExample): string =>
  [
    fenced('yaml', profile),
    ...Object.entries(mappings).flatMap(([file, text]) => [`\`mappings/${name}/${file}\`:`, fenced('jsonata', text)]),
    ...(cases.length === 0 ? [] : [`Shown by ${cases.map((each) => linkToCase(name, each)).join(', ')}.`]),
  ].join('\n\n');

const linkToCase = (name: string, file: string): string =>
  `[${file.replace('.yaml', '')}](examples/fixtures/${name}/${file})`;

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** As much of a schema as a list of fields needs. */
interface Fields {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Fields[];
  readonly oneOf?: unknown;
  readonly properties?: Readonly<Record<string, Fields>>;
  readonly required?: readonly string[];
  readonly items?: Fields;
  readonly description?: string;
}
const CONTRACT: Readonly<Record<string, Fields>> = {
  consignment: Consignment as object,
  answer: Answer as object,
  update: StatusUpdate as object,
};

/** What an update is, and what a result yields: the fields of the contract, `*` where always there. */
const fieldTable = (name: string): string => {
  const shape = CONTRACT[name];
  if (shape === undefined) throw new Error(`there are no fields of ${name}`);
  return [...fieldLists('', shape)]
    .map(([path, fields]) => `- ${path === '' ? 'at the top' : code(path)}: ${fields}`)
    .join('\n');
};

const fieldLists = (path: string, shape: Fields): ReadonlyMap<string, string> => {
  const lists = new Map<string, string>();
  const properties = Object.entries(shape.properties ?? {});
  const own = properties.map(([field, inner]) => {
    const mark = shape.required?.includes(field) === true ? '\\*' : '';
    return `${code(field)}${mark}${fieldKind(inner)}`;
  });
  lists.set(path, `${own.join(', ')}.`);
  for (const [field, inner] of properties) {
    const held = inner.items ?? inner;
    if (held.properties === undefined) continue;
    const below = `${path === '' ? '' : `${path}.`}${field}${inner.items === undefined ? '' : '[]'}`;
    for (const [at, fields] of fieldLists(below, held)) lists.set(at, fields);
  }
  return lists;
};

/** Nothing for a text, which most are. */
const fieldKind = ({ type, enum: words, items, properties }: Fields): string => {
  if (words !== undefined) return ` (${words.map(String).join(', ')})`;
  if (properties !== undefined) return ' (map)';
  if (items !== undefined) return items.properties === undefined ? ' (list)' : ' (list of maps)';
  return type === 'number' || type === 'integer' || type === 'boolean'
    ? ` (${type === 'boolean' ? 'true or false' : 'number'})`
    : '';
};

const statusTable = (): string =>
  table(
    ['status', 'within', ''],
    [
      ...NORMALISED_STATUSES.map((status) => [
        status,
        parentOf(status) === status ? '' : parentOf(status),
        isTerminal(status) ? 'ends the journey' : '',
      ]),
      [NO_CHANGE, '', 'only in the table: records the event, moves nothing'],
    ],
  );

const positionTable = (): string =>
  table(
    ['position', 'sees'],
    Object.entries(POSITION_MEANINGS).map(([position, meaning]) => [
      meaning,
      [...seenIn([position as Position])].map((root) => `\`${root}\``).join(' '),
    ]),
  );
