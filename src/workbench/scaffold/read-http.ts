/** Reads calls as people keep them: `curl` command lines, and HTTP messages as in `.http` files. */
import { parseArgs } from 'node:util';
import { collectRepeats } from '../../engine/codecs/codec.ts';
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import { type Answer, answerOf, bodyOf, type Call, lowerCased, type Headers, methodOf } from './sample.ts';
import { phrasesOf } from './shape.ts';

/** The bytes of a file that a call names (`@label.pdf`); undefined: there is none. */
export type ReadFile = (name: string) => Buffer | undefined;

// curl ---------------------------------------------------------------------------------------------------------------

const CURL = /(?<=^|[\s;&|(`])curl\s+/;
export const hasCurl = (text: string): boolean => CURL.test(text);

/** What of curl's options says something of the request, and those with a value that say nothing; with their letters. */
const VALUED =
  'request X, header H, data d, data-raw, data-binary, data-ascii, data-urlencode, json, form F, form-string, user u, ' +
  'oauth2-bearer, url, cookie b, user-agent A, referer e, output o, max-time m, write-out w, proxy x, cert E, key, ' +
  'cacert, connect-timeout, retry';
const FLAGS = 'get G, location L, silent s, show-error S, insecure k, include i, verbose v, fail f';
const optionsOf = (names: string, type: 'string' | 'boolean') =>
  phrasesOf(names).map(([name = '', short]) => [name, { type, multiple: true, ...(short && { short }) }] as const);
const OPTIONS = Object.fromEntries([...optionsOf(VALUED, 'string'), ...optionsOf(FLAGS, 'boolean')]);

/** Every command line of a text; what stands behind one and is an answer (`HTTP/1.1 200`, JSON, XML) is its answer. */
export const readCurl = (source: string, from: string, readFile: ReadFile): Call[] => {
  const starts = [...source.matchAll(new RegExp(CURL, 'g'))].map(({ index }) => index);
  return starts.map((start, at) => {
    const { words, end } = shellWords(source.slice(start, starts[at + 1]));
    const before = source.slice(starts[at - 1] ?? 0, start);
    const heading = [...before.matchAll(/^#+[ \t]+(.*)$/gm)].at(-1)?.[1];
    const comment = /#\s*([^\n]*)\n\s*$/.exec(before)?.[1] ?? heading ?? '';
    const answers = answersBehind(source.slice(start + end, starts[at + 1]));
    return { ...curlCall(words.slice(1), `${from}:${lineOf(source, start)}`, readFile), about: comment, answers };
  });
};

const curlCall = (words: readonly string[], from: string, readFile: ReadFile): Omit<Call, 'about' | 'answers'> => {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
  });
  const list = (...names: readonly string[]) =>
    names.flatMap((name) => [values[name] ?? []].flat()).filter((one) => typeof one === 'string');
  const fromFile = (given: string): string =>
    given.startsWith('@') ? (readFile(given.slice(1))?.toString() ?? given) : given;
  const given = lowerCased(list('header').map((line) => splitOnce(line, ':')));
  const encoded = list('data-urlencode').map((one) => {
    const [name, value] = one.includes('=') ? splitOnce(one, '=') : ['', one];
    return `${name === '' ? '' : `${name}=`}${encodeURIComponent(value)}`;
  });
  const data = [...list('data', 'data-ascii', 'data-binary').map(fromFile), ...list('data-raw'), ...encoded];
  const json = list('json').map(fromFile).join('');
  const parts = list('form', 'form-string').map((one) => splitOnce(one, '='));
  const [user, bearer, method, told] = ['user', 'oauth2-bearer', 'request', 'url'].map((name) => list(name).at(-1));
  const url = told ?? positionals.find((one) => /[./]/.test(one));
  const isQuery = values['get'] !== undefined;
  const multipart = parts.length === 0 ? undefined : formData(parts, readFile);
  const type =
    multipart?.contentType ??
    (json === '' ? data.length > 0 && 'application/x-www-form-urlencoded' : 'application/json');
  const headers = {
    ...(type === false ? {} : { 'content-type': type }),
    ...(user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...given,
    ...(multipart === undefined ? {} : { 'content-type': multipart.contentType }),
  };
  const bytes = multipart?.bytes ?? Buffer.from(isQuery ? '' : json + data.join('&'));
  // curl calls everything a form that is not said to be anything else.
  const isForm = given['content-type'] === undefined && multipart === undefined && /^\s*[[{<]/.test(bytes.toString());
  return {
    from,
    method: methodOf(method) ?? (bytes.length > 0 ? 'post' : 'get'),
    url: isQuery && url !== undefined ? `${url}${url.includes('?') ? '&' : '?'}${data.join('&')}` : url,
    headers,
    request: bodyOf(bytes, isForm ? {} : headers, from),
  };
};

/** A multipart form of parts as curl writes them: `text;type=…`, or `@file`. */
export const formData = (parts: readonly (readonly [string, string])[], readFile: ReadFile) => {
  const written = parts.map(([name, value]): [string, unknown] => {
    const [given = '', ...more] = value.split(/;(?=type=|filename=)/);
    const of = (key: string): string | undefined =>
      more.find((one) => one.startsWith(`${key}=`))?.slice(key.length + 1);
    const file = /^[@<]/.test(given) ? given.slice(1) : undefined;
    const filename = of('filename') ?? (given.startsWith('@') ? file?.split('/').at(-1) : undefined);
    const content = file === undefined ? given : (readFile(file) ?? 'example');
    return [name, { content, filename, contentType: of('type') }];
  });
  return encoderNamed('multipart').encode(collectRepeats(written), { boundary: 'waybill-sample' });
};

const WORD_PART = /\\\r?\n|\\([^])|'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"|([^\s\\'"]+)/y;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** The words of the first command of a shell text, and where it ends: the line's end that is not escaped, `|`, `;`. */
const shellWords = (source: string): { readonly words: readonly string[]; readonly end: number } => {
  const words: string[] = [];
  let at = 0;
  while (at < source.length) {
    const blank = /(?:[ \t]|\\\r?\n|\^\r?\n)*/y;
    blank.lastIndex = at;
    at += blank.exec(source)?.[0].length ?? 0;
    if (/[\r\n;|&>]/.test(source[at] ?? '\n')) break;
    let word: string | undefined;
    WORD_PART.lastIndex = at;
    for (let part = WORD_PART.exec(source); part !== null; part = WORD_PART.exec(source)) {
      const [, escaped, single, ansi, double, bare] = part;
      const unescaped = (double ?? ansi)?.replaceAll(/\\(\r?\n|u[\da-f]{4}|[^])/gi, (whole, one: string) => {
        if (double !== undefined) return /^[$`"\\]$/.test(one) ? one : /^\r?\n$/.test(one) ? '' : whole;
        return one.length > 1 ? String.fromCharCode(Number.parseInt(one.slice(1), 16)) : (ESCAPED[one] ?? one);
      });
      word = `${word ?? ''}${escaped ?? single ?? unescaped ?? bare ?? ''}`;
      at = WORD_PART.lastIndex;
    }
    if (word === undefined) break;
    words.push(word);
  }
  return { words, end: at };
};

// Messages -----------------------------------------------------------------------------------------------------------

const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE)[ \t]+(\S+)(?:[ \t]+HTTP\/[\d.]+)?[ \t]*$/im;
const STATUS_LINE = /^HTTP\/[\d.]+[ \t]+(\d{3})/;
export const hasMessage = (source: string): boolean => REQUEST_LINE.test(source);

/** Messages one after another: `###` and a request line begin a call, a status line its answer; `@name = value` defines `{{name}}`. */
export const readMessages = (source: string, from: string, readFile: ReadFile): Call[] => {
  const variables = new Map(
    [...source.matchAll(/^@([\w-]+)[ \t]*=[ \t]*(.*?)[ \t]*$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const whole = withVariables(source, variables);
  const pieces = whole.split(
    /^(?=###|(?:GET|POST|PUT|PATCH|DELETE)[ \t]+\S+(?:[ \t]+HTTP\/[\d.]+)?[ \t]*$|HTTP\/[\d.]+[ \t]+\d{3})/m,
  );
  const calls: Call[] = [];
  let about = '';
  let line = 1;
  let before = '';
  for (const piece of pieces) {
    const last = calls.at(-1);
    const [, method, url = ''] = REQUEST_LINE.exec(piece) ?? [];
    if (piece.startsWith('###')) about = /^###[ \t]*(.*)/.exec(piece)?.[1] ?? '';
    const [block = '', ...more] = piece.slice(Math.max(0, piece.search(REQUEST_LINE))).split(FENCE);
    // In Markdown what stands under another heading answers nothing that was before.
    const heading = [...before.matchAll(/^```\s*$|^#+[ \t]+(.*)$/gm)].at(-1)?.[1];
    before = piece;
    if (STATUS_LINE.test(piece) && heading !== undefined) {
      const answers = [answerIn(block)];
      calls.push({ from: `${from}:${line}`, about: heading, headers: {}, request: undefined, answers });
    } else if (STATUS_LINE.test(piece) && last !== undefined)
      calls[calls.length - 1] = { ...last, answers: [...last.answers, answerIn(block)] };
    else if (method !== undefined) {
      const { headers, body } = messageIn(block);
      const place = `${from}:${line}`;
      const file = /^<\s*@?\s*([\w./-]+)\s*$/.exec(body)?.[1];
      const bytes = file === undefined ? Buffer.from(body) : (readFile(file) ?? Buffer.alloc(0));
      const { host } = headers;
      const whole = url.startsWith('/') && host !== undefined ? `https://${host}${url}` : url;
      calls.push({
        from: place,
        about,
        method: methodOf(method),
        url: whole,
        headers,
        request: bodyOf(bytes, headers, place),
        answers: answersBehind(['', ...more].join('\n```\n')),
      });
      about = '';
    }
    line += piece.split('\n').length - 1;
  }
  return calls;
};

const messageIn = (message: string): { readonly headers: Headers; readonly body: string } => {
  const [, head = '', body = ''] = /^[^\n]*\n?([^]*?)(?:\r?\n\s*?\r?\n([^]*))?$/.exec(message) ?? [];
  const lines = head.split(/\r?\n/).filter((one) => /^[\w-]+\s*:/.test(one));
  const headers = lowerCased(lines.map((one) => splitOnce(one, ':')));
  // Multipart wants its line breaks as they are sent.
  const isMultipart = headers['content-type']?.startsWith('multipart/') === true;
  return { headers, body: isMultipart ? body : body.trim() };
};

const FENCE = /^[ \t]*```.*$/m;

/** What stands behind a request and looks like an answer; in Markdown that is in one block, its own or the next of its section. */
const answersBehind = (text: string): readonly Answer[] => {
  const [own = '', prose = '', next = ''] = text.split(FENCE);
  const plain = own.replaceAll(/^\s*#.*$/gm, '').trim();
  const found = [plain, prose.includes('#') ? '' : next.trim()].find((one) => /^(?:HTTP\/|[[{<])/.test(one));
  return found === undefined ? [] : [answerIn(found)];
};

const answerIn = (message: string): Answer => {
  const status = STATUS_LINE.exec(message)?.[1];
  if (status === undefined) return answerOf(200, Buffer.from(message));
  const { headers, body } = messageIn(message);
  return answerOf(Number(status), Buffer.from(body), headers['content-type']);
};

/** `{{name}}` for what is known; the rest stays. */
export const withVariables = (source: string, values: ReadonlyMap<string, string>, deep = 0): string => {
  const filled = source.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) => values.get(name) ?? whole);
  return filled === source || deep > 5 ? filled : withVariables(filled, values, deep + 1);
};

const splitOnce = (line: string, mark: string): [string, string] => {
  const at = line.indexOf(mark);
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
};

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;
