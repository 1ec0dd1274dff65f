/** The profile of a new carrier, as text: what is told is written, what is guessed is marked. */
import {
  type Call,
  type Described,
  findErrorCode,
  findEvents,
  findLabel,
  findMessage,
  findTrackingNumber,
} from './describe.ts';
import type { Leaf } from './shape.ts';
import { STATUS_WORDS } from './vocabulary.ts';
import { unconfirmed } from './write-mapping.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "''").replaceAll(/[\r\n]+/g, ' ')}'`;
const marked = (why: string): string => `# unconfirmed: ${why.replaceAll(/\s+/g, ' ')}`;

export const MAPPING = 'create.jsonata';

/** `carriers/<code>.yaml`. */
export const writeProfile = (described: Described): string =>
  [
    `carrier: ${described.code}`,
    `name: ${quoted(described.name)}`,
    `capabilities: { orders: [FORWARD], cod: false } ${marked('what the carrier takes: returns, cash on delivery')}`,
    ...services(),
    ...environments(described),
    ...proof(described),
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

const proof = ({ auth, authHeader, tokenUrl }: Described): string[] => {
  const secret = '{ secret: true }';
  switch (auth) {
    case 'none':
      return [];
    case 'basic':
      return [
        `credentials: { username: {}, password: ${secret} }`,
        "auth: { basic: { username: '${credentials.username}', password: '${credentials.password}' } }",
      ];
    case 'bearer':
      return [`credentials: { token: ${secret} }`, "auth: { bearer: { token: '${credentials.token}' } }"];
    case 'apiKey':
      return [
        `credentials: { apiKey: ${secret} }`,
        `auth: { apiKey: { header: ${quoted(authHeader)}, value: '\${credentials.apiKey}' } }`,
      ];
    case 'oauth2':
      return [
        `credentials: { clientId: {}, clientSecret: ${secret} }`,
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
const urlOf = ({ path }: Call): string => quoted(path.replaceAll(/\{[^{}]+\}/g, '${item.trackingNumber}'));
const hasNumber = ({ path }: Call): boolean => path.includes('{');

const create = ({ create: call, format }: Described): string[] => {
  const number = findTrackingNumber(call.response);
  const label = findLabel(call.response);
  const entry = [
    number === undefined
      ? `"trackingNumber": ${unconfirmed('no field of the answer is like a tracking number')} ${inside(undefined, 'trackingNumber')}`
      : `"trackingNumber": ${unconfirmed(`"${number.path.join('.')}" is like a tracking number`)} ${inside(number, '')}`,
    ...(label === undefined
      ? []
      : label.as === 'url'
        ? [
            `"labelUrl": ${unconfirmed(`"${label.leaf.path.join('.')}" is like the URL of a label`)} ${inside(label.leaf, '')}`,
          ]
        : [
            `"label": ${unconfirmed(`"${label.leaf.path.join('.')}" is like a label`)} { "content": ${inside(label.leaf, '')} }`,
          ]),
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

/** From the answer; of lists the first, which is the package's where there is one. */
const inside = (leaf: Leaf | undefined, name: string): string =>
  ['response', 'body', ...(leaf?.path ?? [name]).map(step)].join('.');

const step = (name: string): string => {
  const isList = name.endsWith('[]');
  const bare = isList ? name.slice(0, -2) : name;
  const key = /^[A-Za-z_]\w*$/.test(bare) ? bare : `\`${bare}\``;
  return isList ? `${key}[0]` : key;
};

const cancel = (call: Call | undefined): string[] =>
  call === undefined
    ? []
    : [
        '  cancel:',
        ...(hasNumber(call) ? ['    forEach: shipment.packages'] : []),
        `    ${call.method}: ${urlOf(call)} ${marked('by what the carrier names a shipment')}`,
      ];

const track = (call: Call | undefined): string[] => {
  const events = findEvents(call?.response);
  if (call === undefined || events === undefined || !hasNumber(call)) return [];
  const at = events.code.path.findLastIndex((name) => name.endsWith('[]'));
  const list = [
    'response',
    'body',
    ...events.code.path.slice(0, at + 1).map((name) => step(name).replace('[0]', '')),
  ].join('.');
  const fieldOf = (leaf: Leaf): string =>
    leaf.path
      .slice(at + 1)
      .map(step)
      .join('.');
  const isBeside = (leaf: Leaf | undefined): leaf is Leaf =>
    leaf !== undefined &&
    leaf.path.length > at + 1 &&
    events.code.path.slice(0, at + 1).every((name, index) => leaf.path[index] === name);
  const line = (name: string, leaf: Leaf): string =>
    `"${name}": ${unconfirmed(`"${leaf.path.at(-1)}" is like it`)} ${fieldOf(leaf)}`;
  const lines = [
    '"value": $item.trackingNumber',
    line('carrierStatusCode', events.code),
    ...(isBeside(events.description) ? [line('carrierStatusDescription', events.description)] : []),
    ...(isBeside(events.time) ? [line('statusReceivedAt', events.time)] : []),
    ...(isBeside(events.place) ? [line('locationName', events.place)] : []),
  ];
  return [
    '  track:',
    `    ${call.method}: ${urlOf(call)} ${marked('by what the carrier names a shipment')}`,
    '    result: |',
    `      ${list}.{`,
    ...lines.map((text, index) => `        ${text}${index < lines.length - 1 ? ',' : ' }'}`),
  ];
};

/** Of what may be a list, all of it. */
const wholePath = (leaf: Leaf): string =>
  ['response', 'body', ...leaf.path.map((name) => step(name).replace('[0]', ''))].join('.');

const outcomes = ({ error }: Described): string[] => {
  const message = findMessage(error);
  if (message === undefined) return [];
  const code = findErrorCode(error);
  const parts = [
    'status: 4xx',
    'do: reject',
    ...(code === undefined || code === message ? [] : [`code: "$string(${wholePath(code)}[0])"`]),
    `messages: "${wholePath(message)}"`,
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
  return STATUS_WORDS.find(([word]) => text.includes(word))?.[1];
};
