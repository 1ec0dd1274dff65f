/** The profile of a new carrier, as text: what is told is written, what is guessed is marked. */
import {
  type DescribedCall,
  type Described,
  findErrorCode,
  findEvents,
  findLabelField,
  findMessage,
  findTrackingNumber,
} from './describe.ts';
import type { Leaf } from './shape.ts';
import { STATUS_HINTS } from './vocabulary.ts';
import { unconfirmed } from './suggest.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "''").replaceAll(/[\r\n]+/g, ' ')}'`;
const marked = (why: string): string => `# unconfirmed: ${why.replaceAll(/\s+/g, ' ')}`;

export const MAPPING = 'create.jsonata';

export const writeProfile = (described: Described): string =>
  [
    `carrier: ${described.code}`,
    `name: ${quoted(described.name)}`,
    `capabilities: { orders: [FORWARD], cod: false } ${marked('what the carrier takes: returns, cash on delivery')}`,
    ...services(),
    ...environments(described),
    ...authentication(described),
    'operations:',
    ...create(described),
    ...cancel(described.cancel),
    ...track(described.track),
    ...outcomes(described),
    ...statuses(described),
    '',
  ].join('\n');

const services = (): string[] => [
  'services:',
  `  Standard: { typeOfService: STANDARD, code: STANDARD } ${marked('the carrier’s codes of its services')}`,
  `  Express: { typeOfService: EXPRESS, code: EXPRESS } ${marked('the carrier’s codes of its services')}`,
];

const environments = ({ url, sandboxUrl }: Described): string[] => [
  'environments:',
  ...(sandboxUrl === undefined ? [] : [`  sandbox: { url: ${quoted(sandboxUrl)} }`]),
  `  production: { url: ${quoted(url)} }`,
];

const SECRET = '{ secret: true }';
const authentication = ({ auth, authHeader, tokenUrl }: Described): string[] => {
  switch (auth) {
    case 'none':
      return [];
    case 'basic':
      return [
        `credentials: { username: {}, password: ${SECRET} }`,
        "auth: { basic: { username: '${credentials.username}', password: '${credentials.password}' } }",
      ];
    case 'bearer':
      return [`credentials: { token: ${SECRET} }`, "auth: { bearer: { token: '${credentials.token}' } }"];
    case 'apiKey':
      return [
        `credentials: { apiKey: ${SECRET} }`,
        `auth: { apiKey: { header: ${quoted(authHeader)}, value: '\${credentials.apiKey}' } }`,
      ];
    case 'oauth2':
      return [
        `credentials: { clientId: {}, clientSecret: ${SECRET} }`,
        'auth:',
        '  oauth2:',
        '    grant: client_credentials',
        `    tokenUrl: ${quoted(tokenUrl)}`,
        "    clientId: '${credentials.clientId}'",
        "    clientSecret: '${credentials.clientSecret}'",
      ];
  }
};

// Operations ---------------------------------------------------------------------------------------------------------

/** `{id}` of a path stands for the number that the carrier gave. */
const urlOf = ({ path }: DescribedCall): string =>
  `${quoted(path.replaceAll(/\{[^{}]+\}/g, '${item.trackingNumber}'))} ${marked('by what the carrier names a shipment')}`;
const hasNumber = ({ path }: DescribedCall): boolean => path.includes('{');

/** A field of a result that somebody has to confirm. */
const field = (name: string, why: string, expression: string): string => `"${name}": ${unconfirmed(why)} ${expression}`;
const nameOf = (leaf: Leaf): string => `"${leaf.path.join('.')}"`;

/** Names as an expression; of what may be a list the first, or all of it. */
const pathOf = (names: readonly string[], which: 'first' | 'all'): string =>
  names
    .map((name) => {
      const bare = name.replace(/\[\]$/, '');
      const key = /^[A-Za-z_]\w*$/.test(bare) ? bare : `\`${bare}\``;
      return which === 'first' && bare !== name ? `${key}[0]` : key;
    })
    .join('.');
const bodyPath = (names: readonly string[], which: 'first' | 'all'): string =>
  pathOf(['response', 'body', ...names], which);

const create = ({ create: call, format }: Described): string[] => {
  const number = findTrackingNumber(call.response);
  const label = findLabelField(call.response);
  const content = label === undefined ? '' : bodyPath(label.leaf.path, 'first');
  const entry = [
    number === undefined
      ? field('trackingNumber', 'no field of the answer is like a tracking number', 'response.body.trackingNumber')
      : field('trackingNumber', `${nameOf(number)} is like a tracking number`, bodyPath(number.path, 'first')),
    ...(label?.as === 'url' ? [field('labelUrl', `${nameOf(label.leaf)} is like the URL of a label`, content)] : []),
    ...(label?.as === 'content'
      ? [field('label', `${nameOf(label.leaf)} is like a label`, `{ "content": ${content} }`)]
      : []),
  ];
  return [
    '  create:',
    `    ${call.method}: ${quoted(call.path)}`,
    `    body: { ${format}: ${MAPPING} }`,
    '    result: |',
    '      { "itemsTrackDetails": [{',
    ...entry.map((line, at) => `          ${line}${at < entry.length - 1 ? ',' : ' }] }'}`),
  ];
};

const cancel = (call: DescribedCall | undefined): string[] =>
  call === undefined
    ? []
    : [
        '  cancel:',
        ...(hasNumber(call) ? ['    forEach: shipment.packages'] : []),
        `    ${call.method}: ${urlOf(call)}`,
      ];

const track = (call: DescribedCall | undefined): string[] => {
  const events = findEvents(call?.response);
  if (call === undefined || events === undefined || !hasNumber(call)) return [];
  const list = events.code.path.slice(0, events.code.path.findLastIndex((name) => name.endsWith('[]')) + 1);
  const line = (name: string, leaf: Leaf | undefined): string[] => {
    const isBeside = leaf !== undefined && list.every((each, at) => leaf.path[at] === each);
    const own = isBeside ? leaf.path.slice(list.length) : [];
    return own.length === 0 ? [] : [field(name, `"${own.at(-1)}" is like it`, pathOf(own, 'first'))];
  };
  const lines = [
    '"value": $item.trackingNumber',
    ...line('carrierStatusCode', events.code),
    ...line('carrierStatusDescription', events.description),
    ...line('statusReceivedAt', events.time),
    ...line('locationName', events.place),
  ];
  return [
    '  track:',
    `    ${call.method}: ${urlOf(call)}`,
    '    result: |',
    `      ${bodyPath(list, 'all')}.{`,
    ...lines.map((text, at) => `        ${text}${at < lines.length - 1 ? ',' : ' }'}`),
  ];
};

const outcomes = ({ error }: Described): string[] => {
  const message = findMessage(error);
  if (message === undefined) return [];
  const code = findErrorCode(error);
  const parts = [
    'status: 4xx',
    'do: reject',
    ...(code === undefined || code === message ? [] : [`code: "$string(${bodyPath(code.path, 'all')}[0])"`]),
    `messages: "${bodyPath(message.path, 'all')}"`,
  ];
  return ['outcomes:', `  - { ${parts.join(', ')} } ${marked('what the carrier refuses, and how it says so')}`];
};

// Statuses -----------------------------------------------------------------------------------------------------------

const statuses = ({ statuses: codes }: Described): string[] => {
  const rows = codes.map((code) => [code, statusLike(code)] as const);
  const known = rows.flatMap(([code, status]) =>
    status === undefined ? [] : [`    ${keyOf(code)}: ${status} ${marked('the word is like it')}`],
  );
  const unknown = rows.filter(([, status]) => status === undefined).map(([code]) => code);
  if (known.length === 0) return [];
  return [
    'statuses:',
    '  table:',
    ...known,
    ...(unknown.length === 0
      ? []
      : [`    # no status is like: ${unknown.join(', ').replaceAll(/\s+/g, ' ').slice(0, 400)}`]),
  ];
};

/** A row's key: `/` parts a code from its sub-code. */
const keyOf = (code: string): string => quoted(code.replaceAll('\\', String.raw`\\`).replaceAll('/', String.raw`\/`));

const statusLike = (code: string): string | undefined => {
  const text = code.toLowerCase().replaceAll(/[^a-z]+/g, '_');
  return STATUS_HINTS.find(([word]) => text.includes(word))?.[1];
};
