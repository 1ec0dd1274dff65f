/** Cases of a new carrier: what the sample sent is what they expect, and what it was answered is the answer, as it is. */
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { writeYaml } from '../cases/correct-yaml.ts';
import { exampleConsignment } from '../cases/pack/own-consignment.ts';
import type { Answer as CaseAnswer, Case, Exchange } from '../cases/schema.ts';
import type { SeenRequest } from '../replay/observation.ts';
import { runPayload } from '../replay/run-payload.ts';
import { findTrackingNumber } from './answers.ts';
import type { Described } from './describe.ts';
import type { Matched } from './match.ts';
import { type Answer, type Body, answerOf } from './sample.ts';
import { mapScalars } from './secrets.ts';
import { leavesOf, sampleOfShape } from './shape.ts';

export const NOW = '2026-05-01T09:00:00Z';
type Files = Readonly<Record<string, string | Buffer>>;

/** `create.yaml` and what lies beside it, by their names. */
export const writeCreateCase = async (
  carrier: Carrier,
  { create }: Described,
  { consignment }: Matched,
  named: string,
): Promise<Files> => {
  const place = { file: 'new', line: 1, column: 1 };
  const payload = { kind: 'consignment', consignment, place, carrier: carrier.code } as const;
  const [seen] = await runPayload(payload, carrier, { nowMs: Date.parse(NOW), service: 'Standard' });
  const requests = seen?.requests ?? [];
  const files: Record<string, string | Buffer> = {};
  const exchanges = requests.map((request, at): Exchange => {
    if (at < requests.length - 1) return { request: expectedOf(request, 'form'), response: LOGIN };
    const beside = requestFile(create.request);
    Object.assign(files, beside?.file);
    const { response, file } = answerFile(create.answer);
    Object.assign(files, file);
    return {
      request:
        beside === undefined
          ? expectedOf(request, create.request?.format ?? 'json')
          : { ...expectedOf(request, undefined), ...beside.body },
      response,
    };
  });
  const content: Case = {
    case: 'one consignment is created',
    given: { now: NOW, consignment: named, service: 'Standard' },
    flow: [{ do: 'create', exchanges }],
  };
  return { ...files, 'create.yaml': `${writeYaml(content, false)}\n` };
};

const LOGIN: CaseAnswer = {
  status: 200,
  json: { access_token: 'example-token', token_type: 'Bearer', expires_in: 3600 },
};

const expectedOf = ({ method, url, headers, body }: SeenRequest, format: Body['format'] | undefined) => {
  const told = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ORDINARY.has(name.toLowerCase()) ? [] : [[name, value.replace('stand-in-token', 'example-token')]],
    ),
  );
  return {
    [method.toLowerCase()]: url,
    ...(Object.keys(told).length === 0 ? {} : { headers: told }),
    ...(body === undefined || format === undefined ? {} : { [format]: body }),
  };
};
const ORDINARY: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent', 'content-length']);

/** The sample, its secrets replaced, or what a sample would be; undefined: the case has what is sent. */
const requestFile = (request: Body | undefined): { readonly body: object; readonly file: Files } | undefined => {
  if (request === undefined) return undefined;
  const { format, shape, soap, isShown } = request;
  const value = sampleOfShape(shape);
  if (format === 'form' || format === 'multipart') return isShown ? { body: { [format]: value }, file: {} } : undefined;
  const name = `create.request.${format === 'json' ? 'json' : 'xml'}`;
  if (format === 'json') return { body: { json: name }, file: { [name]: `${JSON.stringify(value, undefined, 2)}\n` } };
  const header = soap?.header === undefined ? undefined : sampleOfShape(soap.header);
  const encoded = encoderNamed(format).encode(format === 'soap' ? { header, body: value } : value, {
    version: soap?.version,
    namespaces: soap?.namespaces,
  });
  return { body: { [format]: name }, file: { [name]: indented(encoded.bytes.toString()) } };
};

const answerFile = (answer: Answer | undefined): { readonly response: CaseAnswer; readonly file: Files } => {
  const { status, bytes, contentType, shape } = withNumber(answer);
  if (bytes.length === 0) return { response: { status }, file: {} };
  const kind = /json/.test(contentType) ? 'json' : /xml/.test(contentType) ? 'xml' : undefined;
  if (kind === undefined || shape === undefined)
    return {
      response: { status, headers: { 'Content-Type': contentType }, base64: bytes.toString('base64') },
      file: {},
    };
  const name = `create.response.${kind}`;
  return { response: { status, [kind]: name }, file: { [name]: `${bytes.toString('utf8').trimEnd()}\n` } };
};

/** With a tracking number in it, where no sample shows the answer. */
const withNumber = (answer: Answer | undefined): Answer => {
  if (answer === undefined || answer.bytes.length === 0)
    return answerOf(answer?.status ?? 200, Buffer.from(`{ "trackingNumber": "${TRACKING_NUMBER}" }`));
  const { shape, status } = answer;
  if (shape === undefined || leavesOf(shape).some((leaf) => leaf.shape.example !== undefined)) return answer;
  const number = findTrackingNumber(shape);
  const numbered = mapScalars(shape, (one) => (one === number?.shape ? { ...one, example: TRACKING_NUMBER } : one));
  const value = sampleOfShape(numbered);
  const filled = number === undefined ? Object.assign({}, value, { trackingNumber: TRACKING_NUMBER }) : value;
  return answerOf(status, Buffer.from(JSON.stringify(filled, undefined, 2)));
};
const TRACKING_NUMBER = 'EX100001';

const indented = (xml: string): string => {
  let deep = 0;
  const lines = xml.replaceAll('><', '>\n<').split('\n');
  return `${lines
    .map((line) => {
      if (line.startsWith('</')) deep -= 1;
      const text = `${'  '.repeat(Math.max(0, deep))}${line}`;
      if (/^<[^?!/][^>]*[^/]>$|^<[^?!/]>$/.test(line)) deep += 1;
      return text;
    })
    .join('\n')}\n`;
};

/** Each status that is known, pushed. */
export const writeStatusesCase = (carrier: Carrier): string | undefined => {
  const plain = carrier.statuses.table.filter(({ key, ofReturns }) => !ofReturns && !/[*/\\]/.test(key));
  const rows = plain.slice(0, 30);
  if (rows.length === 0) return undefined;
  const content: Case = {
    case: 'statuses are known',
    given: { now: NOW },
    flow: rows.map(({ key, status }) => ({
      do: 'push' as const,
      request: { json: { value: TRACKING_NUMBER, carrierStatusCode: key, statusReceivedAt: '2026-05-01 08:00:00' } },
      expect: { reply: 200, events: [{ value: TRACKING_NUMBER, status }] },
    })),
  };
  return `${writeYaml(content, false)}\n`;
};

/** What a sample does not say. No field of the receiver is the sender's: a mapping that mixes them up fails. */
export const EXAMPLE_CONSIGNMENT = {
  ...exampleConsignment({ from: undefined, to: undefined, orders: ['FORWARD'] }, 'STANDARD'),
  destinationContactNumber: '+49895550123',
  destinationAddressLine1: 'Sample Road 22',
  destinationCity: 'Munich',
  destinationPostalCode: '80331',
  shippingDateTime: '2026-05-04 10:00:00',
};
