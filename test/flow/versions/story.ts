/** What a version is tried with before and after an upgrade. */
import { DEMO_CARRIERS } from '../../../simulator/demo/carriers.ts';
import { orderFor } from '../../../simulator/demo/order.ts';

/** Its carrier lives where the account says, which a test can change in a dump. */
export const PROFILE = `carrier: plain
name: Plain Carrier
environments:
  production: { url: '\${settings.url}' }
credentials:
  token: { secret: true }
settings:
  url: {}
auth: { bearer: { token: '\${credentials.token}' } }
`;

export const orderOf = (reference: string): object => orderFor(DEMO_CARRIERS[0]!, reference, 1);
