/** What is known of a carrier before anybody has written anything: from a person, documents, or samples. */
import { Failure } from '../../engine/failure.ts';
import { findEvents, findLabelField, findTrackingNumber, statusesIn } from './answers.ts';
import { type Account, type Auth, type AuthKind, authOfCall, createAccount } from './credentials.ts';
import type { Material } from './read.ts';
import { IS_TEST } from './read-openapi.ts';
import { isLogin, likest, type Role } from './roles.ts';
import type { Answer, Body, BodyFormat, Call, Headers, Method } from './sample.ts';
import { type Secrets, withoutUserinfo } from './secrets.ts';
import type { BodyShape } from './shape.ts';
import { usual } from './usual.ts';

export interface DescribedCall {
  readonly method: Method;
  /** With `{name}` where a value stands. */
  readonly path: string;
  /** As templates. */
  readonly headers: Headers;
  readonly request: Body | undefined;
  /** What a document says of the body. */
  readonly told: Body | undefined;
  readonly answer: Answer | undefined;
  /** Where it was found; undefined: nobody has shown it. */
  readonly from: string | undefined;
}

export interface Described {
  readonly code: string;
  readonly name: string;
  readonly url: string;
  readonly sandboxUrl: string | undefined;
  readonly auth: Auth;
  readonly account: Account;
  readonly create: DescribedCall;
  readonly cancel: DescribedCall | undefined;
  readonly track: DescribedCall | undefined;
  readonly label: DescribedCall | undefined;
  /** Of a refusal. */
  readonly error: BodyShape | undefined;
  /** Codes and what is said of them. */
  readonly statuses: ReadonlyMap<string, string>;
  /** Of returns, where they have codes of their own. */
  readonly returns: ReadonlyMap<string, string>;
  readonly ignored: readonly string[];
  /** What none of it may hold. */
  readonly secrets: Secrets;
}

export interface Flags {
  readonly name?: string;
  readonly url?: string;
  readonly sandboxUrl?: string;
  readonly auth?: AuthKind;
  readonly authHeader?: string;
  readonly format?: BodyFormat;
}

/** What is not said of a call that was shown. */
const USUAL = {
  create: { method: 'post', path: '/shipments' },
  cancel: { method: 'delete', path: '/shipments/{trackingNumber}' },
  track: { method: 'get', path: '/tracking/{trackingNumber}' },
  label: { method: 'get', path: '/labels/{trackingNumber}' },
} as const satisfies Readonly<Record<Role, object>>;

/** Throws a `Failure` when nothing shows what a create sends. */
export const describe = (code: string, given: Material | undefined, flags: Flags): Described => {
  const { calls: samples, documents, ignored } = given ?? usual(flags.format);
  const accounts = createAccount();
  const { secrets } = accounts;
  const described = documents.flatMap((document) => document.calls);
  // Before anything is made of any: the secret of one call may stand in another.
  for (const call of [...samples, ...described]) secrets.note(call);
  for (const url of [flags.url, flags.sandboxUrl]) secrets.url(url ?? '');
  const told = described.map(withoutUserinfo);
  const calls = samples.map(withoutUserinfo).map((call) => withOperation(call, told));
  const known = told.filter((one) => !calls.some((call) => isSameOperation(call, one)));
  const roleOf = (role: Role): Call | undefined => {
    const [shown, like] = [likest(calls, role), likest(known, role)];
    // What its root element has found already is no other operation.
    return shown === undefined || like === undefined || shown.told !== undefined
      ? (shown ?? like)
      : toldBy(shown, like);
  };
  const login = calls.find(isLogin);
  const create = roleOf('create');
  if (create?.request === undefined) {
    throw new Failure('nothing here shows what a create sends', {
      code: 'samples_without_create',
      help: 'give a request with its body: a curl command, an HTTP message, or a body called create.request.json (or .xml)',
    });
  }
  const besides = (role: Role): Call | undefined => {
    const call = roleOf(role);
    return call?.from === create.from && call.from !== '' ? undefined : call;
  };
  const cancel = besides('cancel');
  const track = answered(besides('track'), findEvents);
  const label = answered(besides('label'), findLabelField);
  const createTold = likest(told, 'create');
  const said = documents.map(({ authOf }) => createTold && authOf(createTold)).find((auth) => auth !== undefined);
  const seen = authOfCall(create, accounts);
  const shown = seen?.kind === 'bearer' && said?.kind === 'oauth2' ? said : (seen ?? said);
  const isSeen = create.request.isShown && (create.url !== undefined || create.request.soap?.header !== undefined);
  const unsaid: Auth = {
    kind: given === undefined || create.url === undefined ? 'apiKey' : 'none',
    isGuessed: !isSeen,
  };
  const host = hostOf(create, documents, code, flags);
  const below = (url: string): string => pathOf({ url }, host, '/oauth/token', (text) => accounts.url(text));
  const auth = authWith(flags, (login && authOfLogin(login, below)) ?? shown ?? unsaid);
  if (login?.request !== undefined && login !== create) accounts.body(login.request);
  accounts.declare(auth.kind);

  const createAnswer = create.answers.find(({ shape, status }) => shape !== undefined && status < 300)?.shape;
  const made = String(findTrackingNumber(createAnswer)?.shape.example ?? '');
  /** With a place for the number that the sample's create gave. */
  const numbered = (path: string): string =>
    path.replace(/^[^?]*/, (own) =>
      own
        .split('/')
        .map((part) => (made.length >= 4 && part === made ? '{number}' : part))
        .join('/'),
    );

  const describedCall = (role: Role, call: Call): DescribedCall => {
    const request = call.request && accounts.body(call.request);
    const good = call.answers.filter(({ status }) => status < 300);
    const answer = good.find(({ shape }) => shape !== undefined) ?? good[0];
    return {
      method: call.method ?? USUAL[role].method,
      path: numbered(pathOf(call, host, USUAL[role].path, (text) => accounts.url(text, auth.query))),
      headers: accounts.headersOf(call, auth.header?.toLowerCase()),
      request,
      told: call.request?.isShown === false && given !== undefined ? call.request : call.told,
      answer: answer && accounts.answer(answer),
      from: call.url === undefined ? undefined : call.from,
    };
  };
  const all = [...calls, ...known];
  const error = [create, ...all]
    .flatMap(({ answers }) => answers)
    .find(({ status, shape }) => status >= 400 && shape !== undefined);
  const used = new Set([create, cancel, track, label, login].flatMap((one) => one?.from ?? []));
  const unused = all.filter(
    (call) => !used.has(call.from) && !call.answers.some((one) => one === error) && call.from !== createTold?.from,
  );
  const some = unused.slice(0, 3).map(({ from }) => from);
  const unusedTexts =
    unused.length > 12
      ? [`${unused.length} further calls, such as ${some.join(', ')}`]
      : unused.map(
          ({ from, method = '', url = '' }) =>
            `${from}: ${`${method} ${url.replace(/[?#].*/s, '')}`.trim() || 'a body'} is no create or cancel, nor a track or label of which the answer is shown`,
        );
  const name = documents.find((document) => document.name !== undefined)?.name;
  return {
    code,
    name: flags.name ?? name ?? code,
    url: host.production,
    sandboxUrl: host.sandbox,
    auth,
    account: accounts.account,
    create: describedCall('create', create),
    cancel: cancel && describedCall('cancel', cancel),
    track: track && describedCall('track', track),
    label: label && describedCall('label', label),
    error: error?.shape,
    statuses: new Map([
      ...statusesIn(track?.answers.find(({ shape }) => shape !== undefined)?.shape),
      ...documents.flatMap(({ statuses = [] }) => [...statuses]),
    ]),
    returns: new Map(documents.flatMap(({ returns = [] }) => [...returns])),
    ignored: [...ignored, ...accounts.ignored, ...unusedTexts].map(secrets.text),
    secrets,
  };
};

/** Where an answer shows what is wanted of it. */
const answered = (call: Call | undefined, find: (shape: Answer['shape']) => unknown): Call | undefined =>
  call?.answers.some(({ status, shape }) => status < 300 && find(shape) !== undefined) === true ? call : undefined;

/** What a document says of a call beyond what its sample shows: a body alone says nothing of where it goes. */
const toldBy = (call: Call, { request: described, url, method, headers, answers }: Call): Call => {
  const { request } = call;
  const action = request?.soap?.action ?? described?.soap?.action;
  return {
    ...call,
    ...(call.url === undefined ? { url, method, headers } : {}),
    request: request?.soap ? { ...request, soap: { ...request.soap, action } } : request,
    told: described?.isShown === false ? described : call.told,
    answers: [...call.answers, ...answers],
  };
};

/** The element that a body of XML consists of. */
const rootOf = ({ request }: Call): string | undefined => {
  return request?.format === 'xml' || request?.format === 'soap' ? rootIn(request.shape) : undefined;
};
const rootIn = (shape: BodyShape | undefined): string | undefined => {
  const [root] = shape?.kind === 'map' ? shape.fields.filter(({ name }) => !name.startsWith('@')) : [];
  return root?.name.replace(/^.*:/, '');
};
const isSameOperation = (call: Call, other: Call): boolean =>
  rootOf(call) !== undefined && rootOf(call) === rootOf(other);

/** The operation of a body or an answer alone, by its root element. */
const withOperation = (call: Call, told: readonly Call[]): Call => {
  if (call.url !== undefined) return call;
  const operation = told.find((one) => isSameOperation(call, one));
  if (operation !== undefined) return { ...toldBy(call, operation), about: `${call.about} ${operation.about}` };
  const answered = told.find(
    ({ answerRoot }) => answerRoot !== undefined && call.answers.some(({ shape }) => rootIn(shape) === answerRoot),
  );
  return call.request !== undefined || answered === undefined
    ? call
    : {
        ...answered,
        from: call.from,
        named: call.named,
        answers: call.answers,
        about: `${call.about} ${answered.about}`,
      };
};

const authOfLogin = ({ request, url = '/oauth/token' }: Call, below: (url: string) => string): Auth | undefined =>
  request === undefined || !/client_credentials|client_?secret/i.test(JSON.stringify(request.shape))
    ? undefined
    : { kind: 'oauth2', tokenUrl: below(url) };

const authWith = ({ auth, authHeader }: Flags, found: Auth): Auth => {
  const kind = auth ?? found.kind;
  const { header, query, tokenUrl } = kind === found.kind ? found : {};
  const isGuessed = auth === undefined && found.isGuessed === true;
  if (kind === 'apiKey')
    return query === undefined || authHeader !== undefined
      ? { kind, header: authHeader ?? header ?? 'X-Api-Key', isGuessed }
      : { kind, query };
  return kind === 'oauth2' ? { kind, tokenUrl: tokenUrl ?? '/oauth/token' } : { kind, isGuessed };
};

const hostOf = ({ url = '' }: Call, documents: Material['documents'], code: string, flags: Flags) => {
  const origin = URL.parse(url)?.origin.replace(/^http:/, 'https:');
  // What describes calls knows where they go; of what a text says no more is taken than its samples bear out.
  const all = documents.toSorted((one, other) => Number(other.calls.length > 0) - Number(one.calls.length > 0));
  const told = (name: 'url' | 'sandboxUrl'): string | undefined => {
    const document = all.find((one) => one[name] !== undefined);
    const own = document?.[name];
    const isBeside = origin !== undefined && document?.calls.length === 0 && own !== undefined;
    const paths = [document?.url, document?.sandboxUrl].filter((one) => one?.startsWith(origin ?? ' '));
    return isBeside && !paths.some((one) => one !== undefined && isBelow(url, one)) ? URL.parse(own)?.origin : own;
  };
  const production = flags.url ?? told('url') ?? origin ?? '';
  const isWhole = /^https:\/\/[^/]/.test(production) && !production.includes('%7B');
  const seen = origin !== undefined && IS_TEST.test(origin) ? origin : undefined;
  return {
    production: isWhole ? production : `https://api.${code.toLowerCase().replaceAll('_', '-')}.example`,
    sandbox: flags.sandboxUrl ?? (flags.url === undefined ? (told('sandboxUrl') ?? seen) : undefined),
    /** Where samples were taken, whatever the flags say. */
    seen,
  };
};

const isBelow = (url: string, base: string): boolean =>
  url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);

/** Below the carrier's URL, or whole where the host is another. */
const pathOf = (
  { url }: Pick<Call, 'url'>,
  { production, sandbox, seen }: ReturnType<typeof hostOf>,
  byDefault: string,
  lifted: (text: string) => string,
): string => {
  if (url === undefined || url === '') return byDefault;
  const text = url
    .replace(/^http:/, 'https:')
    .replace(/^\{\{[^}]*\}\}/, '')
    .replace(/#.*$/, '');
  const base = [sandbox, production, seen].find((one) => one !== undefined && isBelow(text, one));
  const own = base === undefined ? text : text.slice(base.length);
  // A service of one address.
  if (own === '' && base !== undefined && URL.parse(base)?.pathname !== '/') return '${environment.url}';
  const [path = '', query = ''] = own.split('?');
  const named = path.replaceAll(
    /\{\{(\w+)\}\}|:(\w+)(?=\/|$)/g,
    (_, one?: string, other?: string) => `{${one ?? other ?? ''}}`,
  );
  return lifted(`${named === '' ? '/' : named}?${query}`);
};
