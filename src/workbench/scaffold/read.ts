/** Reads what somebody has of a carrier: every file by what is in it, whatever it is called. */
import { parse } from 'yaml';
import { DEFAULT_DECODE_LIMITS } from '../../engine/codecs/codec.ts';
import { readXml, type XmlElement } from '../../engine/codecs/xml.ts';
import { messageOf } from '../../engine/failure.ts';
import { isHar, isPostman, readHar, readPostman } from './read-collection.ts';
import { hasCurl, hasMessage, readCurl, readMessages } from './read-http.ts';
import { type DescribedApi, isOpenApi, readOpenApi } from './read-openapi.ts';
import { isManual, readManual } from './read-markdown.ts';
import { readProse } from './read-prose.ts';
import { isSchema, readSchemas } from './read-schema.ts';
import { answerOf, bodyOf, type Call, unreadable } from './sample.ts';
import { wordsIn } from './shape.ts';

export interface SampleFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Material {
  readonly calls: readonly Call[];
  readonly documents: readonly DescribedApi[];
  /** What was seen and not used, and why. */
  readonly ignored: readonly string[];
}

/** Throws a `Failure` that names the file when one is in no shape to be read. */
export const readMaterial = (files: readonly SampleFile[]): Material => {
  const calls: Call[] = [];
  const documents: DescribedApi[] = [];
  const unread: { readonly name: string; readonly why: string }[] = [];
  const schemas: { from: string; root: XmlElement }[] = [];
  const used = new Set<string>();
  const beside = (name: string): Buffer | undefined => {
    const file = files.find((one) => one.name === name || one.name.endsWith(`/${name.replace(/^\.\//, '')}`));
    if (file !== undefined) used.add(file.name);
    return file?.bytes;
  };
  const bodies: SampleFile[] = [];
  for (const file of files) {
    const { name, bytes } = file;
    const whole = bytes.toString('utf8');
    const text = whole.replace(/^\uFEFF/, '');
    const start = text.trimStart();
    if (!Buffer.from(whole).equals(bytes)) unread.push({ name, why: 'it is no text' });
    else if (start.startsWith('<')) {
      const root = rootOf(text);
      if (root !== undefined && isSchema(root)) schemas.push({ from: name, root });
      else bodies.push(file);
    } else if (isManual(text)) {
      const told = readManual(text, name);
      const prose = readProse(text, name);
      calls.push(...told.calls);
      documents.push({ ...prose, ignored: [...prose.ignored, ...told.ignored] });
    } else if (hasCurl(start) || (hasMessage(start) && !/\.(?:json|ya?ml)$/i.test(name))) {
      calls.push(...readCurl(text, name, beside), ...(hasMessage(start) ? readMessages(text, name, beside) : []));
      documents.push(readProse(text, name));
    } else if (/^[[{]/.test(start) || /\.ya?ml$/i.test(name) || /^(?:openapi|swagger):/m.test(start)) {
      const document = documentOf(text, name);
      if (isOpenApi(document)) documents.push(readOpenApi(document, name));
      else if (isHar(document)) calls.push(...readHar(document, name));
      else if (isPostman(document)) calls.push(...readPostman(document, name));
      else bodies.push(file);
    } else {
      const told = readProse(text, name);
      documents.push(told);
      if (told.url === undefined && told.sandboxUrl === undefined && told.statuses?.size === 0)
        unread.push({ name, why: 'it is no request, body, collection or description that is known here' });
    }
  }
  if (schemas.length > 0) documents.push({ calls: readSchemas(schemas), authOf: () => undefined, ignored: [] });
  calls.push(...paired(bodies.filter(({ name }) => !used.has(name))));
  return {
    calls,
    documents,
    ignored: [
      ...unread.filter(({ name }) => !used.has(name)).map(({ name, why }) => `${name}: ${why}`),
      ...documents.flatMap((one) => one.ignored),
    ],
  };
};

const rootOf = (text: string): XmlElement | undefined => {
  try {
    return readXml(text, DEFAULT_DECODE_LIMITS);
  } catch {
    return undefined;
  }
};

/** JSON is YAML, too; vendors repeat keys. */
const documentOf = (text: string, name: string): unknown => {
  try {
    return parse(text, { logLevel: 'error', maxAliasCount: 1_000, uniqueKeys: false, strict: false, merge: true });
  } catch (thrown) {
    // What follows the first line quotes the file.
    throw unreadable(name, messageOf(thrown).split(/:?\n/)[0] ?? '');
  }
};

const SAID = {
  request: /^(?:request|req)$/,
  response: /^(?:response|res|resp|answer|reply|result)$/,
  error: /^(?:error|rejected|fault|invalid|refused)$/,
} as const;

/** Bodies alone, by the names of their files: `create.request.json` and `create.response.json` are one call. */
const paired = (files: readonly SampleFile[]): readonly Call[] => {
  const read = files.map((file) => {
    const words = wordsIn(file.name.replace(/\.\w+$/, ''));
    const is = (kind: keyof typeof SAID): boolean => words.some((word) => SAID[kind].test(word));
    const about = words.filter((word) => !SAID.request.test(word) && !SAID.response.test(word)).join(' ');
    return { ...file, about, isRequest: is('request') && !is('error'), isError: is('error') };
  });
  const answers = read
    .filter(({ isRequest }) => !isRequest)
    .map((one) => ({ ...one, answer: answerOf(one.isError ? 422 : 200, one.bytes) }));
  const requests = read.filter(({ isRequest }) => isRequest);
  const called = ({ name, about }: (typeof read)[number], request: Call['request'], own: typeof answers): Call => ({
    from: name,
    about,
    named: about,
    headers: {},
    request,
    answers: own.map(({ answer }) => answer),
  });
  const calls = requests.map((one) => {
    const own = answers.filter(({ about }) => about === one.about || (requests.length === 1 && about === ''));
    return called(one, bodyOf(one.bytes, {}, one.name), own);
  });
  const taken = new Set(calls.flatMap((call) => call.answers));
  const alone = answers.filter(({ answer }) => !taken.has(answer));
  return [...calls, ...alone.map((one) => called(one, undefined, [one]))];
};
