/** Masked views of calls for people, logs and records. */
import { describeProblem, type Problem } from '../failure.ts';
import type { Carrier } from '../profile/carrier.ts';
import { cleanText } from '../statuses/status-update.ts';
import { createMask, hideNamed, type Mask, type Secret } from '../transport/masking.ts';
import type { WireOutcome, WireRequest } from '../transport/wire.ts';
import { mapTexts } from '../value.ts';
import type { Account, Exchange } from './ports.ts';

type Credentials = Carrier['credentials'];

/** Of each account, the same as long as it is there: how each may be written down is made once. */
const secretsOf = new WeakMap<Account, { readonly of: Credentials; readonly secrets: readonly Secret[] }>();

/** A mask over the account's secrets: the credentials that the profile declares so, and all that came from variables. */
export const maskOf = ({ credentials }: Pick<Carrier, 'credentials'>, account: Account): Mask => {
  const known = secretsOf.get(account);
  if (known?.of === credentials) return createMask(known.secrets);
  const declared = Object.entries(credentials).flatMap(([name, { secret }]) => {
    const value = account.credentials[name];
    return secret && typeof value === 'string' ? [{ name, value }] : [];
  });
  const secrets = [...declared, ...(account.fromVariables ?? [])];
  secretsOf.set(account, { of: credentials, secrets });
  return createMask(secrets);
};

/** A problem with nothing secret in its messages, and nothing that the records cannot read again. */
export const maskProblem = (mask: Mask, problem: Problem): Problem => {
  const [code = '', ...messages] = [problem.code, ...problem.messages].map((text) =>
    cleanText(mask.text(text), Infinity),
  );
  return { ...problem, code, messages };
};

/** The same with every text in it masked. A label is left as it is: it is no text, or a URL that has to work. */
export const maskTexts = (mask: Mask, value: unknown): unknown => mapTexts(value, mask.text, (key) => key === 'label');

/** The first of the account's secrets that a value holds, by its name. The URL of a label is shown to nobody. */
export const secretIn = (mask: Mask, { credentials, settings }: Carrier, value: unknown): string | undefined => {
  // Whatever comes from a variable is masked; of that, a number of the customer may well come back.
  const isSecret = (name: string): boolean => credentials[name]?.secret ?? !Object.hasOwn(settings, name);
  const find = (held: unknown, at = ''): string | undefined => {
    if (typeof held === 'string') return mask.namesIn(held).find(isSecret);
    if (held instanceof Uint8Array) return find(Buffer.from(held).toString('latin1'));
    if (typeof held !== 'object' || held === null) return undefined;
    for (const [key, inner] of Object.entries(held)) {
      const isUrl = key === 'labelUrl' || (at === 'label' && key === 'url');
      const found = isUrl ? undefined : find(inner, key);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(value);
};

/** What is said there is secret both ways, and no mask may know it yet: kept without bodies. */
const WITHOUT_BODIES: ReadonlySet<string> = new Set(['login', 'register']);
/** Of such an answer: a token may come in any other header. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-length', 'date', 'retry-after', 'server']);

type Happened = Pick<Exchange, 'step' | 'element' | 'operation' | 'attempt' | 'atMs' | 'durationMs' | 'outcome'>;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** The masked view of a call; `reason`: why its outcome is no success. */
export const describeExchange = (
  mask: Mask,
  happened: Happened,
  request: WireRequest,
  wire: WireOutcome,
  reason: Problem | undefined,
): Exchange => {
  const answer = wire.kind === 'answer' ? wire : undefined;
  const isSecret = WITHOUT_BODIES.has(happened.operation);
  // A login that is refused brings no token, and says why.
  const isRefusal = happened.operation === 'login' && answer !== undefined && answer.status >= 400;
  const bodyOf = (body: Uint8Array | undefined, isHidden = isSecret): Buffer | undefined =>
    body === undefined || isHidden ? undefined : mask.bytes(viewOf(body), hideNamed);
  const headers = Object.entries(answer?.headers ?? {}).filter(([name]) => !isSecret || PLAIN_HEADERS.has(name));
  return {
    ...happened,
    method: request.method,
    url: hideNamed(mask.text(request.url)),
    requestHeaders: mask.headers(request.headers),
    requestBody: bodyOf(request.body),
    status: answer?.status ?? (wire.kind === 'ambiguous' ? wire.partial?.status : undefined),
    responseHeaders: answer === undefined ? undefined : mask.headers(Object.fromEntries(headers)),
    responseBody: bodyOf(answer?.body, isSecret && !isRefusal),
    message: reason === undefined ? undefined : mask.text(describeProblem(reason)),
  };
};
