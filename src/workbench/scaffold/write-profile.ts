/** The profile of a new carrier, as text: what is told is written, what is guessed is marked. */
import { findErrorCode, findEvents, findLabelField, findMessage, findTrackingNumber } from './answers.ts';
import type { Described, DescribedCall } from './describe.ts';
import type { Account, Auth } from './credentials.ts';
import type { Matched } from './match.ts';
import type { Body } from './sample.ts';
import { filled, type Remembered } from './remembered.ts';
import { type Leaf, leavesOf, TEXT_SHAPE } from './shape.ts';
import { STATUS_HINTS } from './vocabulary.ts';
import { unconfirmed } from './write-mapping.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "''").replaceAll(/[\r\n]+/g, ' ')}'`;
const marked = (why: string): string => `# unconfirmed: ${why.replaceAll(/\s+/g, ' ')}`;

export const MAPPING = 'create.jsonata';
export const HEADER = 'header.jsonata';
/** Mappings of the calls about a shipment that is there. */
export const LATER = { cancel: 'cancel.jsonata', track: 'track.jsonata', label: 'label.jsonata' } as const;

export const writeProfile = (described: Described, matched: Matched, memo: Remembered): string =>
  [
    `carrier: ${described.code}`,
    `name: ${quoted(described.name)}`,
    `capabilities: { orders: [FORWARD], cod: false } ${marked('what the carrier takes: returns, cash on delivery')}`,
    ...services(matched),
    ...environments(described),
    ...accounts(described),
    ...(memo.size === 0 ? [] : [`memo: [${[...memo.values()].map(({ name }) => name).join(', ')}]`]),
    'operations:',
    ...create(described, matched, [...memo.values()]),
    ...cancel(described.cancel, described.create.request?.soap, memo),
    ...label(described.label, described.create.request?.soap, memo),
    ...track(described.track, described.create.request?.soap, memo),
    ...outcomes(described),
    ...statuses(described),
    '',
  ].join('\n');

const services = ({ serviceCode }: Matched): string[] => {
  const why = marked('the carrier’s codes of its services');
  const row = (name: string, code: string): string =>
    `  ${name}: { typeOfService: ${name.toUpperCase()}, code: ${quoted(code)} } ${why}`;
  return [
    'services:',
    row('Standard', serviceCode ?? 'STANDARD'),
    ...(serviceCode === undefined ? [row('Express', 'EXPRESS')] : []),
  ];
};

const environments = ({ url, sandboxUrl }: Described): string[] => [
  'environments:',
  ...(sandboxUrl === undefined ? [] : [`  sandbox: { url: ${quoted(sandboxUrl)} }`]),
  `  production: { url: ${quoted(url)} }${url === sandboxUrl ? ` ${marked('only a test system was seen')}` : ''}`,
];

const accounts = ({ auth, account }: Described): string[] => {
  const section = (name: keyof Account): string[] => {
    const fields = Object.entries(account[name]).map(
      ([field, { secret, example }]) =>
        `  ${field}: { ${secret ? 'secret: true, ' : ''}example: ${typeof example === 'number' ? example : quoted(example)} }`,
    );
    return fields.length === 0 ? [] : [`${name}:`, ...fields];
  };
  return [...section('credentials'), ...section('settings'), ...authentication(auth)];
};

const authentication = ({ kind, header, query, tokenUrl = '', isGuessed = false }: Auth): string[] => {
  const mark = isGuessed ? ` ${marked('nothing shows how the carrier knows who asks')}` : '';
  switch (kind) {
    case 'none':
      return isGuessed ? [`auth: none${mark}`] : [];
    case 'basic':
      return ["auth: { basic: { username: '${credentials.username}', password: '${credentials.password}' } }"];
    case 'bearer':
      return ["auth: { bearer: { token: '${credentials.token}' } }"];
    case 'apiKey':
      return [
        `auth: { apiKey: { ${header === undefined ? `query: ${quoted(query ?? 'key')}` : `header: ${quoted(header)}`}, value: '\${credentials.apiKey}' } }${mark}`,
      ];
    case 'oauth2':
      return [
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

/** Once for each package where its path names one, and the path. */
const urlLines = ({ method, path: given, request }: DescribedCall, memo: Remembered, isTrack = false): string[] => {
  const { path, isOfPackage } = filled(given, memo);
  const mark = path !== given || request === undefined ? ` ${marked('by what the carrier names a shipment')}` : '';
  return [
    ...(isOfPackage && !isTrack ? ['    forEach: shipment.packages'] : []),
    `    ${method}: ${quoted(path)}${mark}`,
  ];
};
const hasNumber = ({ path }: DescribedCall): boolean => /(?<!\$)\{/.test(path);
/** Its path or body says of which shipment. */
const isOfOne = (call: DescribedCall): boolean => hasNumber(call) || call.request !== undefined;

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

const create = (
  { create: call }: Described,
  { isPerPackage }: Matched,
  memo: readonly { readonly name: string; readonly leaf: Leaf }[],
): string[] => {
  const shape = call.answer?.shape;
  const number = findTrackingNumber(shape);
  const label = findLabelField(shape);
  // In a list of the answer each package has its own entry.
  const at = isPerPackage ? -1 : (number?.path.findLastIndex((name) => name.endsWith('[]')) ?? -1);
  const list = number?.path.slice(0, at + 1) ?? [];
  const own = (leaf: Leaf): string => {
    if (isPerPackage) return pathOf(['body', ...leaf.path], 'first');
    if (list.length === 0) return bodyPath(leaf.path, 'first');
    const isInside = list.every((name, index) => leaf.path[index] === name);
    return isInside ? pathOf(leaf.path.slice(list.length), 'first') : `$${bodyPath(leaf.path, 'first')}`;
  };
  const content = label === undefined ? '' : own(label.leaf);
  const entry = [
    ...(isPerPackage ? ['"itemReferenceNumber": item.itemReferenceNumber'] : []),
    number === undefined
      ? field(
          'trackingNumber',
          'no field of the answer is like a tracking number',
          isPerPackage ? 'body.trackingNumber' : 'response.body.trackingNumber',
        )
      : field('trackingNumber', `${nameOf(number)} is like a tracking number`, own(number)),
    ...(label?.as === 'url' ? [field('labelUrl', `${nameOf(label.leaf)} is like the URL of a label`, content)] : []),
    ...(label?.as === 'content'
      ? [field('label', `${nameOf(label.leaf)} is like a label`, `{ "content": ${content} }`)]
      : []),
  ];
  const answer = isPerPackage ? ['steps', 'create[]', 'body'] : ['response', 'body'];
  const memoised = memo.map(({ name, leaf }) => `"${name}": ${pathOf([...answer, ...leaf.path], 'first')}`);
  const over = isPerPackage ? 'steps.create.' : list.length > 0 ? `${bodyPath(list, 'all')}.` : '';
  return [
    '  create:',
    ...(isPerPackage ? [`    forEach: consignment.itemList ${marked('the request has room for one package')}`] : []),
    `    ${call.method}: ${quoted(call.path)}`,
    ...headersOf(call),
    ...bodyLines(call.request, MAPPING),
    '    result: |',
    ...(memo.length === 0 ? [] : [`      { "memo": { ${memoised.join(', ')} },`]),
    `      ${memo.length === 0 ? '{' : ' '} "itemsTrackDetails": [${over}{`,
    ...entry.map((line, index) => `          ${line}${index < entry.length - 1 ? ',' : ' }] }'}`),
  ];
};

const headersOf = ({ headers }: DescribedCall): string[] => {
  const entries = Object.entries(headers).map(
    ([name, value]) =>
      `      ${quoted(name)}: ${quoted(value)}${value.startsWith('${') ? '' : ` ${marked('as the sample has it')}`}`,
  );
  return entries.length === 0 ? [] : ['    headers:', ...entries];
};

type Envelope = Body['soap'];

/** `first`: the envelope of the create, whose header the others have as well. */
const bodyLines = (body: Body | undefined, mapping: string, first?: Envelope): string[] => {
  if (body === undefined) return [];
  const { format, soap } = body;
  if (soap === undefined) return [`    body: { ${format}: ${mapping} }`];
  const isTaken = soap.header === undefined && first?.header !== undefined;
  const declared = { ...(isTaken ? first.namespaces : {}), ...soap.namespaces };
  const namespaces = Object.entries(declared).map(([prefix, uri]) => `${quoted(prefix)}: ${quoted(uri)}`);
  return [
    '    body:',
    '      soap:',
    ...(soap.version === '1.2' ? ["        version: '1.2'"] : []),
    ...(soap.action === undefined ? [] : [`        action: ${quoted(soap.action)}`]),
    ...(namespaces.length === 0 ? [] : [`        namespaces: { ${namespaces.join(', ')} }`]),
    ...(isTaken ? [`        header: ${HEADER} ${marked('that of the create; nothing shows one here')}`] : []),
    ...(soap.header === undefined ? [] : [`        header: ${HEADER}`]),
    `        body: ${mapping}`,
  ];
};

const cancel = (call: DescribedCall | undefined, first: Envelope, memo: Remembered): string[] =>
  call === undefined
    ? []
    : ['  cancel:', ...urlLines(call, memo), ...headersOf(call), ...bodyLines(call.request, LATER.cancel, first)];

const label = (call: DescribedCall | undefined, first: Envelope, memo: Remembered): string[] => {
  const found = findLabelField(call?.answer?.shape);
  if (call === undefined || found === undefined || !isOfOne(call)) return [];
  const value = bodyPath(found.leaf.path, 'first');
  const given = found.as === 'url' ? `"labelUrl": ${value}` : `"label": { "content": ${value} }`;
  return [
    '  label:',
    ...urlLines(call, memo),
    ...headersOf(call),
    ...bodyLines(call.request, LATER.label, first),
    '    result: |',
    `      { ${unconfirmed(`${nameOf(found.leaf)} is like a label`)} ${given} }`,
  ];
};

const track = (call: DescribedCall | undefined, first: Envelope, memo: Remembered): string[] => {
  const events = findEvents(call?.answer?.shape);
  if (call === undefined || events === undefined || !isOfOne(call)) return [];
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
    ...urlLines(call, memo, true),
    ...headersOf(call),
    ...bodyLines(call.request, LATER.track, first),
    '    result: |',
    `      ${bodyPath(list, 'all')}.{`,
    ...lines.map((text, at) => `        ${text}${at < lines.length - 1 ? ',' : ' }'}`),
  ];
};

const errorPath = ({ path }: Leaf): string =>
  path[0] === 'Fault' ? pathOf(['response', 'fault', ...path.slice(1)], 'all') : bodyPath(path, 'all');

const outcomes = ({ error, create: { request, answer } }: Described): string[] => {
  const message = findMessage(error);
  if (message === undefined) return [];
  const [good] = answer?.shape === undefined ? [] : leavesOf(answer.shape);
  // What has the element of a good answer has its status as well.
  const isInBand = request?.soap !== undefined && good !== undefined && good.path[0] === message.path[0];
  const code = findErrorCode(error);
  const fault = leavesOf(error ?? TEXT_SHAPE).find(({ path }) => path.join() === 'Fault,faultcode')?.shape.example;
  const parts = [
    // A fault comes with status 500, whoever is to blame.
    fault === undefined
      ? isInBand
        ? `when: "${errorPath(message)}"`
        : 'status: 4xx'
      : `when: "response.fault.code = '${String(fault).replace(/^.*:/, '')}'"`,
    'do: reject',
    ...(code === undefined || code === message ? [] : [`code: "$string(${errorPath(code)}[0])"`]),
    `messages: "${errorPath(message)}"`,
  ];
  return ['outcomes:', `  - { ${parts.join(', ')} } ${marked('what the carrier refuses, and how it says so')}`];
};

// Statuses -----------------------------------------------------------------------------------------------------------

const statuses = ({ statuses: codes, returns }: Described): string[] =>
  codes.size + returns.size === 0
    ? []
    : ['statuses:', ...tableOf('table', codes), ...(returns.size === 0 ? [] : tableOf('returns', returns))];

const tableOf = (name: string, codes: ReadonlyMap<string, string>): string[] => {
  const rows = [...codes].map(([code, text]) => {
    const status = statusLike(code) ?? statusLike(text);
    const said = text === '' ? '' : ` (${text.slice(0, 80)})`;
    return status === undefined
      ? `    # ${keyOf(code)}: … ${marked(`fill in what it means${said}`)}`
      : `    ${keyOf(code)}: ${status} ${marked(`the word is like it${said}`)}`;
  });
  const isEmpty = rows.every((row) => row.startsWith('    #'));
  return [`  ${name}:${isEmpty ? ' {}' : ''}`, ...rows];
};

/** A row's key: `/` parts a code from its sub-code. */
const keyOf = (code: string): string => quoted(code.replaceAll('\\', String.raw`\\`).replaceAll('/', String.raw`\/`));

const statusLike = (code: string): string | undefined => {
  const text = code.toLowerCase().replaceAll(/[^a-z]+/g, '_');
  return STATUS_HINTS.find(([word]) => text.includes(word))?.[1];
};
