/** What a value is, by its shape: nothing is guessed where the shape does not tell. */
import { isMap } from '../../engine/value.ts';
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import type { KeptAnswer } from '../../engine/dispatch/ports.ts';
import { Failure, type Place } from '../../engine/failure.ts';
import { OPERATIONS, type OperationName } from '../../engine/profile/carrier.ts';
import type { IncomingRequest } from '../../engine/statuses/carrier-webhook.ts';
import { payloadsOfHar } from './har.ts';
import type { Payload, Target } from './payload.ts';

/** What whoever asks says of payloads whose shape says nothing. */
export type As = { readonly kind: 'webhook' } | { readonly kind: 'answer'; readonly target: Target };

/** `webhook`, `create`, or `create/booking`; undefined: none of these. */
export const parseAs = (text: string): As | undefined => {
  if (text === 'webhook') return { kind: 'webhook' };
  const [operation, step, ...more] = text.split('/');
  if (more.length > 0 || !(OPERATIONS as readonly string[]).includes(operation ?? '')) return undefined;
  return { kind: 'answer', target: { operation: operation as OperationName, step } };
};

/** Names the carrier of a body, where it says one. */
const carrierIn = (body: Readonly<Record<string, unknown>>): string | undefined => {
  const { carrierCode, carrier } = body;
  if (typeof carrierCode === 'string' && carrierCode !== '') return carrierCode;
  return isMap(carrier) && typeof carrier['code'] === 'string' ? carrier['code'] : undefined;
};

const STATUS_FIELDS = ['carrierStatus', 'carrierStatusCode', 'carrierStatusDescription', 'statusReceivedAt'];

/** The payloads in a value. Throws a `Failure` when nothing says what it is. */
export const recognise = (value: unknown, place: Place, as: As | undefined): readonly Payload[] => {
  if (as !== undefined) return [asSaid(value, place, as)];
  if (!isMap(value)) throw unknown('it is neither a map nor a list of maps');
  const has = (...keys: readonly string[]): boolean => keys.every((key) => Object.hasOwn(value, key));
  const base = { place, carrier: carrierIn(value) };
  if (isMap(value['log']) && Array.isArray(value['log']['entries'])) {
    return value['log']['entries'].flatMap((entry: unknown) => payloadsOfHar(entry, place));
  }
  if (isMap(value['request']) && isMap(value['response'])) return payloadsOfHar(value, place);
  if (has('consignmentDetails', 'shipTo')) return [{ ...base, kind: 'order', body: value }];
  if (has('referenceId', 'itemList')) return [{ ...base, kind: 'consignment', consignment: value }];
  if (STATUS_FIELDS.some((key) => has(key))) return [{ ...base, kind: 'push', body: value }];
  throw unknown('it is no order, consignment, status update or exchange');
};

const unknown = (why: string): Failure =>
  new Failure(why, {
    code: 'payload_unknown',
    help: 'say --as webhook for the carrier’s own calls, --as <operation>[/<step>] for its answers',
  });

const asSaid = (value: unknown, place: Place, as: As): Payload => {
  const { bytes, contentType } =
    typeof value === 'string'
      ? { bytes: Buffer.from(value), contentType: value.trimStart().startsWith('<') ? 'text/xml' : 'text/plain' }
      : encoderNamed('json').encode(value);
  const headers = { 'content-type': contentType };
  if (as.kind === 'answer') {
    const answer: KeptAnswer = { status: 200, headers, body: bytes };
    return { kind: 'answer', target: as.target, answer, place, carrier: undefined };
  }
  const came: IncomingRequest = { method: 'POST', url: 'https://waybill.example/', headers, body: bytes };
  return { kind: 'webhook', came, place, carrier: undefined };
};
