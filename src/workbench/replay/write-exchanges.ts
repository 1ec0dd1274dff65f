/** Exchanges as a case writes them: bodies of JSON and XML in files beside it. */
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { codecOf } from '../../engine/codecs/codec.ts';
import { formatDuration } from '../../engine/duration.ts';
import type { Answer, Exchange } from '../cases/schema.ts';
import type { Sent } from '../cases/fake-carrier.ts';
import { contentTypeOf } from '../cases/requests.ts';
import { partsOf } from '../scaffold/sample.ts';

/** Writes the exchanges of the case of that name, one after the other; `files` are what then lies beside it. */
export const createCaseWriter = (name: string) => {
  const files: Record<string, Buffer> = {};
  let count = 0;
  const beside = (what: string, extension: string, bytes: Buffer): string => {
    const file = `${name}${count > 1 ? `.${count}` : ''}.${what}.${extension}`;
    files[file] = bytes;
    return file;
  };

  const requestBody = ({ headers, body }: Sent['request']): object => {
    if (body === undefined || body.byteLength === 0) return {};
    const contentType = contentTypeOf(headers);
    const codec = codecOf(contentType);
    const bytes = Buffer.from(body);
    if (codec === 'json') return { json: beside('request', 'json', indented(bytes)) };
    if (codec === 'xml' || codec === 'soap') return { [codec]: beside('request', 'xml', bytes) };
    if (codec === 'form') {
      const decoded = decoderNamed('form').decode(bytes, { contentType });
      return decoded.ok ? { form: decoded.body } : {};
    }
    // Its boundary is drawn anew each time: its parts are compared.
    if (codec === 'multipart') return { multipart: partsOf(bytes, contentType, 'the request') };
    return codec === 'text' ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
  };

  const response = (answer: Exchange['response']): Exchange['response'] => {
    if (typeof answer === 'string' || answer.base64 === undefined) return answer;
    const { base64, ...rest } = answer;
    const bytes = Buffer.from(base64, 'base64');
    const codec = codecOf(contentTypeOf(answer.headers ?? {}));
    if (codec !== 'json' && codec !== 'xml' && codec !== 'soap') return answer;
    const key = codec === 'json' ? 'json' : 'xml';
    return { ...rest, [key]: beside('response', key, bytes) } satisfies Answer;
  };

  return {
    exchange: ({ request, response: answer = 'refused', waitMs }: Sent): Exchange => {
      count += 1;
      return {
        request: { [request.method.toLowerCase()]: request.url, ...requestBody(request) },
        response: response(answer),
        ...(waitMs === undefined ? {} : { wait: formatDuration(waitMs) }),
      };
    },
    files: files as Readonly<Record<string, Buffer>>,
  };
};

/** For people to read; what a parser would round stays as it is. */
const indented = (bytes: Buffer): Buffer => {
  const text = bytes.toString('utf8');
  return /\d{16}/.test(text) ? bytes : Buffer.from(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
};
