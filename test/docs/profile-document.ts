import { ABOUT, ASKED_NAMES, askedOf } from '../../src/engine/ask/operations.ts';
import { Answer } from '../../src/engine/consignment/answer.ts';
import { Consignment } from '../../src/engine/consignment/consignment.ts';
import { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { NORMALISED_STATUSES, NO_CHANGE, parentOf, REASONS, isTerminal } from '../../src/engine/statuses/status.ts';
import { type Position, ROOT_MEANINGS, ROOTS, seenIn } from '../../src/engine/mapping/roots.ts';
import { RULES } from '../../src/engine/profile/rules.ts';
import { examples } from './examples.ts';
import { keyRows, type Told } from './profile-keys.ts';

/** Where each position stands, for people. */
const POSITION_MEANINGS: Readonly<Record<Position, string>> = {
  surcharge: '`when`, `amount` of a surcharge of a [tariff](tariffs.md)',
  requires: '`when` of `requires`',
  rule: '`when` of a rule of a [policy](policies.md)',
  ruleCarrier: '`when` of a carrier in a rule of a policy',
  environments: 'values of `environments`',
  label: 'texts, `when` and `content` of the template of a label',
  auths: 'values of an auth; the request of a session’s `login`',
  session: '`token`, `expiresIn`, `expiresAt`, `save` of a session',
  send: '`send` of a session',
  signature: '`key`, `over`, `timestamp` of a signature',
  signatureFormat: '`format` of a signature',
  loginOutcomes: '`outcomes` of a `login`',
  variant: '`when` of a variant of an operation',
  forEach: '`forEach` of a step, `by` of a batch',
  request: '`when`, URL, `headers`, `query`, `body` of a step',
  register: 'the same in `register` and `unregister`',
  undo: 'the same in an `undo`, whose `response` is that of the call it undoes',
  outcomes: '`when`, `code`, `messages` of `outcomes`',
  result: '`result`',
  events: '`events` of the webhook',
  handshake: '`when` of the handshake',
  handshakeReply: 'the reply to a handshake',
  reply: 'a `reply`',
};

/** What fills a line, by its first word. */
type Directives = Readonly<Record<string, (...words: readonly string[]) => string>>;

/**
 * The prose of a source, each `{{…}}` line of which is filled from what the engine itself goes by. `{{keys a b}}` are keys
 * of a profile, `{{keys of limits}}` those of a definition, `{{example basic}}` an example. Throws on a line it cannot fill.
 */
export const profileDocument = (source: string) => {
  const keys: string[] = [];
  const told: Told = new Map();
  const shown: string[] = [];
  const directives: Directives = {
    keys: (...words) => {
      const definition = words[0] === 'of' ? words[1] : undefined;
      const rows = keyRows(definition === undefined ? words : words.slice(2), definition, told);
      keys.push(...rows.map(([path]) => path));
      return table(
        ['key', 'kind', 'default', 'meaning', 'example'],
        rows.map(([path, kind, otherwise, meaning, example]) => [
          code(path),
          kind,
          otherwise,
          meaning.replaceAll('<', '&lt;'),
          code(example),
        ]),
      );
    },
    example: (name = '') => {
      shown.push(name);
      return exampleBlocks(name);
    },
    ...DIRECTIVES,
  };
  const text = source.replaceAll(/^\{\{(.+)\}\}$/gm, (_, directive: string) => {
    const [what = '', ...words] = directive.split(' ');
    return known(directives[what], directive)(...words);
  });
  return { text, keys, shown };
};

/**
 * One page for each section of a text, by its file name, and an index, `README.md`, of what stands before them. Links from
 * section to section lead from page to page; pages are one folder deeper than the text.
 */
export const pagesOf = (text: string): ReadonlyMap<string, string> => {
  const [index = '', ...sections] = text.split(/^(?=## )/m);
  const pages = sections.map((section) => {
    const [, heading = ''] = /^## (.+)$/m.exec(section) ?? [];
    return [`${anchorOf(heading)}.md`, `[The profile language](README.md)\n\n${section.slice(1)}`] as const;
  });
  return new Map([['README.md', index] as const, ...pages].map(([name, page]) => [name, `${moved(page).trimEnd()}\n`]));
};

const moved = (page: string): string =>
  page.replaceAll(/\]\((?!https?:|#|README\.md)/g, '](../').replaceAll(/\]\(#([\w-]+)\)/g, ']($1.md)');

/** As GitHub makes it of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-');

const known = <T>(found: T | undefined, name: string): T => {
  if (found === undefined) throw new Error(`nothing fills {{${name}}}`);
  return found;
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

const exampleBlocks = (name: string): string => {
  const { profile, mappings, cases } = known(examples.get(name), name);
  const links = cases.map((file) => `[${file.replace('.yaml', '')}](examples/fixtures/${name}/${file})`);
  return [
    fenced('yaml', profile),
    ...Object.entries(mappings).flatMap(([file, text]) => [`\`mappings/${name}/${file}\`:`, fenced('jsonata', text)]),
    ...(links.length === 0 ? [] : [`Shown by ${links.join(', ')}.`]),
  ].join('\n\n');
};

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** As much of a schema as a list of fields needs. */
interface Fields {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Fields>>;
  readonly required?: readonly string[];
  readonly items?: Fields;
}
const CONTRACT: Readonly<Record<string, Fields>> = {
  consignment: Consignment as object,
  answer: Answer as object,
  update: StatusUpdate as object,
};

/** The fields of the contract, map by map, `*` where always there. */
function* fieldLines(shape: Fields, path = ''): Generator<string> {
  const properties = Object.entries(shape.properties ?? {});
  const own = properties.map(([field, inner]) => {
    const mark = shape.required?.includes(field) === true ? '\\*' : '';
    return `${code(field)}${mark}${fieldKind(inner)}`;
  });
  yield `- ${path === '' ? 'at the top' : code(path)}: ${own.join(', ')}.`;
  for (const [field, inner] of properties) {
    const held = inner.items ?? inner;
    const below = `${path === '' ? '' : `${path}.`}${field}${inner.items === undefined ? '' : '[]'}`;
    if (held.properties !== undefined) yield* fieldLines(held, below);
  }
}

/** Nothing for a text, which most are. */
const fieldKind = ({ type, enum: words, items, properties }: Fields): string => {
  if (words !== undefined) return ` (${words.map(String).join(', ')})`;
  if (properties !== undefined) return ' (map)';
  if (items !== undefined)
    return items.properties === undefined ? ` (list${items.type === 'string' ? ' of texts' : ''})` : ' (list of maps)';
  return type === 'number' || type === 'integer' || type === 'boolean'
    ? ` (${type === 'boolean' ? 'true or false' : 'number'})`
    : '';
};

const DIRECTIVES: Directives = {
  fields: (name = '') => [...fieldLines(known(CONTRACT[name], name))].join('\n'),
  statuses: () =>
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
    ),
  reasons: () => REASONS.map((reason) => `\`${reason}\``).join(' '),
  asked: () =>
    table(
      ['operation', '', 'sees', 'effect'],
      ASKED_NAMES.map((name) => {
        const { description, sees, effect } = askedOf(name);
        return [code(name), description, sees.map(code).join(' '), effect === undefined ? '' : 'yes'];
      }),
    ),
  results: () =>
    ASKED_NAMES.flatMap((name) => {
      const { items, ...shape } = (askedOf(name).result ?? {}) as Fields;
      const lines = [...fieldLines(items ?? shape)].map((line) => `  ${line}`);
      const none = `- ${code(name)}: nothing`;
      return lines.length === 1 && items === undefined && shape.properties === undefined
        ? [none]
        : [`- ${code(name)}:${items === undefined ? '' : ' a list, of which each has'}`, ...lines];
    }).join('\n'),
  roots: (of) =>
    of === 'asked'
      ? Object.entries(ABOUT)
          .flatMap(([name, shape]) => [
            `- ${code(name)}:`,
            ...[...fieldLines(shape as object)].map((line) => `  ${line}`),
          ])
          .join('\n')
      : table(
          ['root', 'is'],
          ROOTS.map((root) => [`\`${root}\``, ROOT_MEANINGS[root]]),
        ),
  positions: () =>
    table(
      ['position', 'sees'],
      Object.entries(POSITION_MEANINGS).map(([position, meaning]) => [
        meaning,
        [...seenIn([position as Position])].map((root) => `\`${root}\``).join(' '),
      ]),
    ),
  rules: () =>
    table(
      ['rule', 'severity', 'says'],
      Object.entries(RULES).map(([name, { severity, description }]) => [
        `\`${name}\``,
        severity === 'either' ? 'error, warning' : severity,
        description,
      ]),
    ),
};
