import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { carrierOf } from '../cases/running.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A carrier that is written in a test; throws with its findings when it does not load. */
export const written = (text: string): Carrier => {
  const code = /^carrier: (\w+)/m.exec(text)?.[1] ?? '';
  return carrierOf(code, { [`carriers/${code}.yaml`]: text });
};

/** A consignment of `fixtures/_consignments`. */
export const consignmentNamed = (name: string): Record<string, unknown> =>
  parse(readFileSync(`${ROOT}/fixtures/_consignments/${name}.yaml`, 'utf8')) as Record<string, unknown>;

export const PLACE = { file: 'payloads.jsonl', line: 3, column: 1 };

/** A call a package, two operations on one URL but for its action, an own webhook. */
export const ACME = `carrier: acme
name: Acme
services: { Express: { typeOfService: EXPRESS, code: E } }
environments: { production: { url: 'https://api.acme.example/v1' } }
credentials: { key: { secret: true } }
auth: login
auths:
  login:
    session:
      login: { post: /login, body: { json: { key: '\${credentials.key}' } } }
      token: response.body.token
operations:
  create:
    forEach: consignment.itemList
    post: /parcels
    body: { json: { reference: '\${item.itemReferenceNumber}', kilos: '\${item.itemWeight}' } }
    result: |
      { "itemsTrackDetails": steps.create.{
          "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number,
          "label": { "url": body.label } } }
  cancel: { forEach: shipment.packages, delete: '/parcels/\${item.trackingNumber}' }
  track:
    get: '/parcels/\${item.trackingNumber}/events'
    result: 'response.body.events.{ "carrierStatusCode": code, "statusReceivedAt": at }'
outcomes:
  - { when: response.body.error, do: reject, code: response.body.error, messages: response.body.error }
statuses:
  webhook: { auth: { apiKey: { header: x-key, value: '\${credentials.key}' } }, events: 'request.body.{ "value": number, "carrierStatusCode": code, "statusReceivedAt": at }' }
  table: { MOVING: In Transit, DONE: Order Delivered }
`;
