/** Cases of a new carrier: what its profile sends is what they expect, so that they pass until something changes. */
import type { Case, Exchange } from '../cases/schema.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { SeenRequest } from '../replay/observation.ts';
import { runPayload } from '../replay/run-payload.ts';
import { writeYaml } from '../cases/correct-yaml.ts';
import { exampleConsignment } from '../cases/pack/own-consignment.ts';
import { type Described, findTrackingNumber } from './describe.ts';
import { sampleOfShape, type BodyShape } from './shape.ts';

const NOW = '2026-05-01T09:00:00Z';

/** `fixtures/<code>/create.yaml`: the create of a consignment, with the answer that the description shows. */
export const writeCreateCase = async (carrier: Carrier, described: Described, named: string): Promise<string> => {
  const place = { file: 'new', line: 1, column: 1 };
  const payload = { kind: 'consignment', consignment: EXAMPLE_CONSIGNMENT, place, carrier: carrier.code } as const;
  const [seen] = await runPayload(payload, carrier, { nowMs: Date.parse(NOW), service: 'Express' });
  const requests = seen?.requests ?? [];
  const last = requests.at(-1);
  const exchanges = requests.map((request): Exchange => ({
    request: expectedOf(request, request === last ? described.format : 'form'),
    response:
      request === last
        ? { status: 200, [described.format === 'xml' ? 'xml' : 'json']: answerOf(described) }
        : { status: 200, json: { access_token: 'example-token', token_type: 'Bearer', expires_in: 3600 } },
  }));
  const content: Case = {
    case: 'one package is created',
    given: { now: NOW, consignment: named, service: 'Express' },
    flow: [{ do: 'create', exchanges }],
  };
  return `${writeYaml(content, false)}\n`;
};

const expectedOf = ({ method, url, headers, body }: SeenRequest, format: Described['format']) => {
  const told = Object.fromEntries(Object.entries(headers).filter(([name]) => !ORDINARY.has(name)));
  return {
    [method.toLowerCase()]: url,
    ...(Object.keys(told).length === 0 ? {} : { headers: told }),
    ...(body === undefined ? {} : { [format]: body }),
  };
};
const ORDINARY: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

/** With a tracking number in it, whatever the sample has there. */
const answerOf = ({ create }: Described): unknown => {
  const number = findTrackingNumber(create.response);
  const shape: BodyShape = create.response ?? { kind: 'map', fields: [] };
  const answer = sampleOfShape(shape);
  if (number === undefined) return { ...(typeof answer === 'object' ? answer : {}), trackingNumber: 'EX100001' };
  return number.shape.example === undefined ? withValue(answer, number.path, 'EX100001') : answer;
};

const withValue = (held: unknown, path: readonly string[], value: string): unknown => {
  if (Array.isArray(held)) return held.map((one) => withValue(one, path, value));
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const key = name.replace(/\[\]$/, '');
  const map = held as Readonly<Record<string, unknown>>;
  return { ...map, [key]: withValue(map[key], rest, value) };
};

/** `fixtures/<code>/statuses.yaml`: each status that is known, pushed. */
export const writeStatusesCase = (carrier: Carrier): string | undefined => {
  const rows = carrier.statuses.table.filter(({ key }) => !/[*/\\]/.test(key)).slice(0, 30);
  if (rows.length === 0) return undefined;
  const content: Case = {
    case: 'statuses are known',
    given: { now: NOW },
    flow: rows.map(({ key, status }) => ({
      do: 'push' as const,
      request: { json: { value: 'EX100001', carrierStatusCode: key, statusReceivedAt: '2026-05-01 08:00:00' } },
      expect: { reply: 200, events: [{ value: 'EX100001', status }] },
    })),
  };
  return `${writeYaml(content, false)}\n`;
};

/** For homes that have no consignments yet. No field of the receiver is the sender's: a mapping that mixes them up fails. */
export const EXAMPLE_CONSIGNMENT = {
  ...exampleConsignment({ from: undefined, to: undefined, orders: ['FORWARD'] }, 'EXPRESS'),
  destinationContactNumber: '+49895550123',
  destinationAddressLine1: 'Sample Road 22',
  destinationCity: 'Munich',
  destinationPostalCode: '80331',
  shippingDateTime: '2026-05-04 10:00:00',
};
