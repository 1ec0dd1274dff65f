/** What is known of a carrier before anybody has written anything: from a person, documents, or samples. */
import { Failure } from '../../engine/failure.ts';
import { statusesIn } from './answers.ts';
import { type Account, type Accounts, type Auth, type AuthKind, authOfCall, createAccount } from './credentials.ts';
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
  /** Of a refusal. */
  readonly error: BodyShape | undefined;
  /** Codes and what is said of them. */
  readonly statuses: ReadonlyMap<string, string>;
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
  const [calls, known] = [samples.map(withoutUserinfo), described.map(withoutUserinfo)];
  const roleOf = (role: Role): Call | undefined => {
    const [shown, told] = [likest(calls, role), likest(known, role)];
    if (shown === undefined || told === undefined) return shown ?? told;
    const { request, url, answers } = shown;
    const action = told.request?.soap?.action;
    return {
      ...shown,
      // A body alone says nothing of where it goes: a document may.
      ...(url === undefined ? { url: told.url, method: told.method, headers: told.headers } : {}),
      request: request?.soap
        ? { ...request, soap: { ...request.soap, action: request.soap.action ?? action } }
        : request,
      answers: [...answers, ...told.answers],
    };
  };
  const login = calls.find(isLogin);
  const create = roleOf('create');
  if (create?.request === undefined) {
    throw new Failure('nothing here shows what a create sends', {
      code: 'samples_without_create',
      help: 'give a request with its body: a curl command, an HTTP message, or a body called create.request.json (or .xml)',
    });
  }
  const [cancel, track] = [roleOf('cancel'), roleOf('track')].map((call) => (call === create ? undefined : call));
  const told = likest(known, 'create');
  const said = documents.map(({ authOf }) => told && authOf(told)).find((auth) => auth !== undefined);
  const seen = authOfCall(create, accounts);
  const shown = seen?.kind === 'bearer' && said?.kind === 'oauth2' ? said : (seen ?? said);
  const unsaid: Auth = { kind: given === undefined || create.url === undefined ? 'apiKey' : 'none' };
  const auth = authWith(flags, (login && authOfLogin(login, accounts)) ?? shown ?? unsaid);
  if (login?.request !== undefined && login !== create) accounts.body(login.request);
  accounts.declare(auth.kind);

  const host = hostOf(create, documents, code);
  const describedCall = (role: Role, call: Call): DescribedCall => {
    const request = call.request && accounts.body(call.request);
    const good = call.answers.filter(({ status }) => status < 300);
    const answer = good.find(({ shape }) => shape !== undefined) ?? good[0];
    return {
      method: call.method ?? USUAL[role].method,
      path: pathOf(call, host, USUAL[role].path, (text) => accounts.url(text, auth.query)),
      headers: accounts.headersOf(call, auth.header?.toLowerCase()),
      request,
      answer: answer && accounts.answer(answer),
      from: call.url === undefined ? undefined : call.from,
    };
  };
  const all = [...calls, ...known];
  const error = [create, ...all]
    .flatMap(({ answers }) => answers)
    .find(({ status, shape }) => status >= 400 && shape !== undefined);
  const used = new Set([create, cancel, track, login].flatMap((one) => one?.from ?? []));
  const unused = all.filter(
    (call) => !used.has(call.from) && !call.answers.some((one) => one === error) && call.from !== told?.from,
  );
  const some = unused.slice(0, 3).map(({ from }) => from);
  const unusedTexts =
    unused.length > 12
      ? [`${unused.length} further calls, such as ${some.join(', ')}`]
      : unused.map(
          ({ from, method = '', url = '' }) =>
            `${from}: ${`${method} ${url.replace(/[?#].*/s, '')}`.trim() || 'a body'} is no create, cancel or track`,
        );
  const name = documents.find((document) => document.name !== undefined)?.name;
  return {
    code,
    name: flags.name ?? name ?? code,
    url: flags.url ?? host.production,
    sandboxUrl: flags.sandboxUrl ?? (flags.url === undefined ? host.sandbox : undefined),
    auth,
    account: accounts.account,
    create: describedCall('create', create),
    cancel: cancel && describedCall('cancel', cancel),
    track: track && describedCall('track', track),
    error: error?.shape,
    statuses: statusesIn(track?.answers.find(({ shape }) => shape !== undefined)?.shape),
    ignored: [...ignored, ...accounts.ignored, ...unusedTexts].map(secrets.text),
    secrets,
  };
};

const authOfLogin = ({ request, url = '/oauth/token' }: Call, accounts: Accounts): Auth | undefined =>
  request === undefined || !/client_credentials|client_?secret/i.test(JSON.stringify(request.shape))
    ? undefined
    : { kind: 'oauth2', tokenUrl: accounts.url(url) };

const authWith = ({ auth, authHeader }: Flags, found: Auth): Auth => {
  const kind = auth ?? found.kind;
  const { header, query, tokenUrl } = kind === found.kind ? found : {};
  if (kind === 'apiKey')
    return query === undefined || authHeader !== undefined
      ? { kind, header: authHeader ?? header ?? 'X-Api-Key' }
      : { kind, query };
  return kind === 'oauth2' ? { kind, tokenUrl: tokenUrl ?? '/oauth/token' } : { kind };
};

const hostOf = ({ url = '' }: Call, documents: Material['documents'], code: string) => {
  const document = documents.find((one) => one.url !== undefined);
  const origin = URL.parse(url)?.origin.replace(/^http:/, 'https:');
  const production = document?.url ?? origin ?? '';
  const isWhole = /^https:\/\/[^/]/.test(production) && !production.includes('%7B');
  return {
    production: isWhole ? production : `https://api.${code.toLowerCase().replaceAll('_', '-')}.example`,
    sandbox: document?.sandboxUrl ?? (IS_TEST.test(origin ?? '') ? origin : undefined),
  };
};

/** Below the carrier's URL, or whole where the host is another. */
const pathOf = (
  { url }: Call,
  { production, sandbox }: ReturnType<typeof hostOf>,
  byDefault: string,
  lifted: (text: string) => string,
): string => {
  if (url === undefined || url === '') return byDefault;
  const text = url
    .replace(/^http:/, 'https:')
    .replace(/^\{\{[^}]*\}\}/, '')
    .replace(/#.*$/, '');
  const base = [sandbox, production].find(
    (one) => one !== undefined && (text === one || text.startsWith(`${one}/`) || text.startsWith(`${one}?`)),
  );
  const own = base === undefined ? text : text.slice(base.length);
  const [path = '', query = ''] = own.split('?');
  const named = path.replaceAll(
    /\{\{(\w+)\}\}|:(\w+)(?=\/|$)/g,
    (_, one?: string, other?: string) => `{${one ?? other ?? ''}}`,
  );
  return lifted(`${named === '' ? '/' : named}?${query}`);
};
