import { createHash, createHmac } from 'node:crypto';
import { decodeBase64 } from '../../codecs/text.ts';
import { isMap } from '../../value.ts';
import { boundedInner } from '../../codecs/inner-text.ts';
import { readJson } from '../../codecs/json.ts';
import { parseXml, writeXml } from '../../codecs/xml.ts';
import { Failure } from '../../failure.ts';
import type { EvaluationContext } from '../mapping.ts';
import { define, misuse, anything, data, map, NO_TEXT, oneOf, optional, text } from './function.ts';

const MAX_DEPTH = 100;
const MAX_CHARACTERS = 20_000_000;

/** Says in the function's name what a codec throws. */
function named<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    throw misuse(`$${name}: ${thrown.message}`, { cause: thrown });
  }
}

const bounded = (name: string, given: string): string => {
  if (given.length > MAX_CHARACTERS) throw misuse(`$${name} takes no text of more than ${MAX_CHARACTERS} characters`);
  return given;
};

const json = define({
  name: 'json',
  doc: 'Parses JSON embedded as text in a response. An empty text yields nothing.',
  refuses: 'a text that is no JSON',
  parameters: [text('text')],
  examples: [{ expression: '$json(body.payload).id', given: { body: { payload: '{"id": 7}' } }, result: 7 }],
  call: (given) => (given.trim() === '' ? undefined : named('json', () => readJson(bounded('json', given), MAX_DEPTH))),
});

const xml = define({
  name: 'xml',
  doc: 'Parses XML embedded as text in a response, in the same way as an XML body: attributes are `@name`, text next to them is `#text`. An empty text yields nothing.',
  refuses: 'a text that is no XML',
  parameters: [text('text')],
  examples: [
    { expression: `$xml('<reply><id kind="a">7</id></reply>').reply.id`, result: { '@kind': 'a', '#text': '7' } },
  ],
  call: (given) => (given.trim() === '' ? undefined : named('xml', () => parseXml(bounded('xml', given)))),
});

const toXml = define({
  name: 'toXml',
  doc: 'Writes a map with one root element as XML without a declaration, for a form field or a query. `namespaces` (prefix → URI) are declared on the root.',
  refuses: 'what has more roots than one, and names that XML does not allow',
  parameters: [anything('value'), optional(map('namespaces', 'a map of prefixes and URIs'))],
  gives: 'text',
  examples: [
    {
      expression: '$toXml({"data": {"@id": 1, "line": ["a", "b"]}})',
      result: '<data id="1"><line>a</line><line>b</line></data>',
    },
  ],
  call: (value, namespaces) =>
    named('toXml', () => boundedInner(writeXml(value, namespaces as Readonly<Record<string, string>>))),
});

const JWT = /^[\w-]+\.([\w-]+)\.[\w-]*$/;

const jwt = define({
  name: 'jwt',
  doc: 'The claims of a JSON Web Token. The signature is not verified: use the claims as information, never to authenticate a sender.',
  refuses: 'a text that is no JSON Web Token',
  parameters: [text('text')],
  examples: [
    {
      expression: '$jwt(token).depot',
      given: { token: 'eyJhbGciOiJub25lIn0.eyJkZXBvdCI6IjA1MzAifQ.' },
      result: '0530',
    },
  ],
  call(given) {
    const claims = JWT.exec(
      bounded('jwt', given)
        .trim()
        .replace(/^Bearer /i, ''),
    )?.[1];
    if (claims === undefined) throw misuse('$jwt: this is not a JSON Web Token');
    const value = named('jwt', () => readJson(Buffer.from(claims, 'base64url').toString('utf8'), MAX_DEPTH));
    if (!isMap(value)) throw misuse('$jwt: the claims of this token are not a map');
    return value;
  },
});

const base64 = define({
  name: 'base64',
  doc: 'A text (as UTF-8) or bytes, encoded in Base64.',
  refuses: NO_TEXT,
  parameters: [data('x')],
  gives: 'text',
  examples: [{ expression: "$base64('a:b')", result: 'YTpi' }],
  call: (x, context) => learnt(context, x, Buffer.from(x).toString('base64')),
});

const unbase64 = define({
  name: 'unbase64',
  doc: 'Decodes Base64 or its URL-safe form to a text (UTF-8). White space is ignored.',
  refuses: 'what is not Base64, or does not decode to text',
  parameters: [text('text')],
  gives: 'text',
  examples: [{ expression: "$unbase64('YTpi')", result: 'a:b' }],
  call(given) {
    const bytes = decodeBase64(bounded('unbase64', given));
    if (bytes === undefined) throw misuse('$unbase64: this is not Base64');
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw misuse('$unbase64: these bytes are not a text in UTF-8');
    }
  },
});

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-512'] as const;
const algorithm = oneOf('alg', ALGORITHMS);
const encoding = optional(oneOf('enc', ['hex', 'base64', 'base64url']));

const hash = define({
  name: 'hash',
  doc: `The hash of a text (as UTF-8) or bytes, in \`hex\`, \`base64\` or \`base64url\`. Algorithms: ${ALGORITHMS.join(', ')}.`,
  refuses: NO_TEXT,
  parameters: [algorithm, data('text'), encoding],
  gives: 'text',
  examples: [{ expression: "$hash('md5', 'x')", result: '9dd4e461268c8034f5c8564e155c67a6' }],
  call: (alg, given, enc = 'hex', context) => learnt(context, given, createHash(alg).update(given).digest(enc)),
});

const hmac = define({
  name: 'hmac',
  doc: 'The keyed hash (HMAC) of a text or bytes; algorithms and encodings are those of `$hash`.',
  refuses: NO_TEXT,
  parameters: [algorithm, data('key'), data('text'), encoding],
  gives: 'text',
  examples: [
    {
      expression: "$hmac('sha256', 'key', 'The quick brown fox jumps over the lazy dog')",
      result: 'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
    },
  ],
  call(alg, key, given, enc = 'hex', context) {
    const made = createHmac(alg, key).update(given).digest(enc);
    return learnt(context, key, learnt(context, given, made));
  },
});

function learnt(context: EvaluationContext, input: string | Uint8Array, output: string): string {
  if (typeof input === 'string') context.derived?.(input, output);
  return output;
}

export const CODES = [json, xml, toXml, jwt, base64, unbase64, hash, hmac];

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const CODE_39 = `${ALPHANUMERIC}-. $/+%`;

/** What is asked of is the second argument. */
const unchecked = (message: string) => misuse(`$checkDigit: ${message}`, { argument: 1 });

const valuesIn = (alphabet: string, word: string): readonly number[] => {
  const values = word.split('').map((character) => alphabet.indexOf(character));
  if (values.length === 0 || values.includes(-1)) {
    throw unchecked('the text is empty, or holds a character that this scheme does not know');
  }
  return values;
};
const digitsOf = (word: string): readonly number[] => valuesIn('0123456789', word);

const sum = (values: readonly number[], weigh: (value: number, fromRight: number) => number): number =>
  values.reduce((total, value, at) => total + weigh(value, values.length - 1 - at), 0);

const SCHEMES = {
  /** Luhn, ISO/IEC 7812-1. */
  mod10(word: string): string {
    const total = sum(digitsOf(word), (digit, fromRight) => {
      const doubled = fromRight % 2 === 0 ? digit * 2 : digit;
      return doubled > 9 ? doubled - 9 : doubled;
    });
    return String((10 - (total % 10)) % 10);
  },
  /** Weights 2 to 7 from the right, again and again. */
  mod11(word: string): string {
    const check = (11 - (sum(digitsOf(word), (digit, fromRight) => digit * (2 + (fromRight % 6))) % 11)) % 11;
    if (check === 10) throw unchecked('this text has no check digit by mod11: it would be 10');
    return String(check);
  },
  /** ISO/IEC 7064, MOD 37,36. */
  mod36(word: string): string {
    const product = valuesIn(ALPHANUMERIC, word).reduce((carried, value) => {
      const added = (carried + value) % 36 || 36;
      return (added * 2) % 37;
    }, 36);
    return ALPHANUMERIC.charAt((37 - product) % 36);
  },
  /** Code 39. */
  mod43: (word: string): string => CODE_39.charAt(sum(valuesIn(CODE_39, word), (value) => value) % 43),
  /** GTIN, SSCC and the other keys of GS1: weights 3 and 1 from the right. */
  gs1(word: string): string {
    const total = sum(digitsOf(word), (digit, fromRight) => digit * (fromRight % 2 === 0 ? 3 : 1));
    return String((10 - (total % 10)) % 10);
  },
  /** The serial number of a postal item, UPU S10. */
  s10(word: string): string {
    const digits = digitsOf(word);
    if (digits.length !== 8) throw unchecked('s10 takes the 8 digits of the serial number');
    const weights = [8, 6, 4, 2, 3, 5, 9, 7];
    const check = 11 - (digits.reduce((total, digit, at) => total + digit * (weights[at] ?? 0), 0) % 11);
    return String(check === 10 ? 0 : check === 11 ? 5 : check);
  },
} as const;

const checkDigit = define({
  name: 'checkDigit',
  doc: 'Computes the check character of a text: `mod10` (Luhn), `mod11` (weights 2 to 7), `mod36` (ISO 7064 MOD 37,36), `mod43` (Code 39), `gs1` (SSCC, GTIN), `s10` (postal items).',
  refuses: 'an empty text, and one with characters that the scheme does not know',
  parameters: [oneOf('scheme', ['mod10', 'mod11', 'mod36', 'mod43', 'gs1', 's10']), text('text')],
  gives: 'text',
  examples: [
    { expression: "$checkDigit('s10', '47312482')", result: '9' },
    { expression: "$checkDigit('gs1', '37610425002123456')", result: '9' },
    { expression: "$checkDigit('mod36', 'A12425GABC1234002')", result: 'M' },
  ],
  call: (scheme, word) => SCHEMES[scheme](word),
});

export const CHECKING = [checkDigit];
