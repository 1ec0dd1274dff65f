import type { Encoded } from '../codecs/codec.ts';
import { encoderNamed } from '../codecs/codecs.ts';
import { Failure } from '../failure.ts';
import { piece } from '../large.ts';
import type { Roots, EvaluationContext } from '../mapping/mapping.ts';
import type { Body, Method, Step } from '../profile/carrier.ts';
import { evaluateText, evaluateTexts, lowerCaseNames } from './scope.ts';

/** A request as the profile writes it, before auth is applied. Header names in lower case. */
export interface PlainRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** What the body was made of: signatures may be over parts of it. */
  readonly content: unknown;
}

/** What `Accept` asks for, by the codec of the answer. */
const ACCEPT = {
  json: 'application/json',
  xml: 'application/xml, text/xml',
  soap: 'text/xml, application/soap+xml, multipart/related',
  text: 'text/plain, */*',
  binary: '*/*',
  multipart: 'multipart/*, */*',
  form: '*/*',
  none: '*/*',
} as const;

/**
 * Evaluates URL, headers, query and body of a step: pure, so that a repeat sends the same bytes. `boundary` parts a
 * multipart body. Fails with a `Failure` that names the profile's line.
 */
export const buildRequest = async (
  step: Step,
  roots: Roots,
  context: EvaluationContext,
  boundary: string,
): Promise<PlainRequest> => {
  const url = await buildUrl(step, roots, context);
  const content = await piece(() => step.body?.content.evaluate(roots, context));
  const encoded = await piece(() => step.body && encodeBody(step.body, content, roots, context, boundary));
  const headers: Record<string, string> = { accept: ACCEPT[step.response ?? step.body?.codec ?? 'json'] };
  if (encoded !== undefined) {
    headers['content-type'] = encoded.contentType;
    Object.assign(headers, lowerCaseNames(encoded.headers ?? {}));
  }
  Object.assign(headers, lowerCaseNames(await evaluateTexts(step.headers, roots, context)));
  return { method: step.method, url, headers, body: encoded?.bytes, content };
};

const buildUrl = async (step: Step, roots: Roots, context: EvaluationContext): Promise<URL> => {
  const written = await evaluateText(step.url, roots, context);
  const url = resolveUrl(written, (roots['environment'] as { readonly url?: unknown }).url, step);
  for (const [name, mapping] of Object.entries(step.query)) {
    const value = await mapping.evaluate(roots, context);
    if (value === undefined || value === null) continue;
    url.searchParams.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  spellSpaces(url);
  return url;
};

/** Spaces as every server reads them, also outside of forms. */
const spellSpaces = (url: URL): void => {
  url.search = url.search.replaceAll('+', '%20');
};

/** Sets a query parameter of a finished URL, the others staying as they are written. */
export const setQuery = (url: URL, name: string, value: string): void => {
  url.searchParams.set(name, value);
  spellSpaces(url);
};

/** `/path` is taken after the environment's URL; anything else has to be an absolute URL. */
const resolveUrl = (written: string | undefined, base: unknown, step: Step): URL => {
  const text = written?.startsWith('/') === true ? String(base).replace(/\/+$/, '') + written : (written ?? '');
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new Failure(`the URL of step ${step.id} is neither a path nor an https URL`, {
    code: 'url_invalid',
    place: step.url.place,
    help: 'write /path, taken after environment.url, or a whole URL',
  });
};

const encodeBody = async (
  body: Body,
  content: unknown,
  roots: Roots,
  context: EvaluationContext,
  boundary: string,
): Promise<Encoded> => {
  try {
    if (body.codec !== 'soap') return encoderNamed(body.codec).encode(content, { boundary });
    const header = await body.header?.evaluate(roots, context);
    const action = await evaluateText(body.action, roots, context);
    const { version, namespaces } = body;
    return encoderNamed('soap').encode({ header, body: content }, { version, namespaces, action });
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.place !== undefined) throw thrown;
    const { code, help } = thrown;
    const inHeader = body.codec === 'soap' && /^header\b/.test(thrown.message) ? body.header : undefined;
    throw new Failure(thrown.message, { code, help, place: (inHeader ?? body.content).place, cause: thrown });
  }
};
