import { put } from '../../engine/consignment/orders.ts';
import { LEVELS } from './spec-levels.ts';

/** A carrier for each of the four profiles of the specification. */
const CARRIERS = { OP: 'acme', OB: 'heavy', FP: 'fleet', FB: 'heavyfleet' } as const;
export type Profile = keyof typeof CARRIERS;
export const PROFILE_NAMES = Object.keys(CARRIERS) as Profile[];

const carrier = (code: string, capabilities: string): string => `
carrier: ${code}
name: Example ${code}
capabilities: ${capabilities}
environments: { production: { url: 'https://${code}.example.com' } }
services: { Express: { typeOfService: EXPRESS }, Standard: { typeOfService: STANDARD } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
  cancel: { post: /cancel, body: { json: consignment } }
statuses: { table: { DELIVERED: Order Delivered } }
`;

/** For the harness, which has the one of OP itself. */
export const profiles = {
  heavy: carrier('heavy', '{ bulky: true, vas: [INSTALLATION, TWO_MAN_DELIVERY] }'),
  fleet: carrier('fleet', '{ fleet: own }'),
  heavyfleet: carrier('heavyfleet', '{ fleet: own, bulky: true }'),
};

/** Every field of the tables, with a right value. */
export const wholeOrder = (profile: Profile, reference: string): Record<string, unknown> => {
  const order = {};
  for (const [, path, , right] of LEVELS) put(order, path, structuredClone(right));
  put(order, 'carrier.code', CARRIERS[profile]);
  put(order, 'consignmentDetails.referenceNumber', reference);
  return order;
};

/** Fields that this profile may lack. */
export const optionalsOf = (profile: Profile): readonly string[] =>
  LEVELS.filter(([, , levels]) => levels[PROFILE_NAMES.indexOf(profile)] !== 'M').map(([, path]) => path);
