import type { Carrier } from '../profile/carrier.ts';
import { type Issue, issueAt } from '../validate.ts';

const DETAILS = 'consignmentDetails';

/** What of an order a carrier may be unable to do. */
interface Demands {
  readonly type: 'FORWARD' | 'REVERSE';
  readonly packages: number;
  readonly isCod: boolean;
  readonly vasCodes: readonly (string | undefined)[];
  readonly origin: string;
  readonly destination: string;
}

/** What the carrier's profile says it cannot do. */
export const capabilityIssues = (
  { type, packages, isCod, vasCodes, origin, destination }: Demands,
  { code, capabilities: { orders, maxPackages, vas, cod, from, to } }: Pick<Carrier, 'code' | 'capabilities'>,
): readonly Issue[] => {
  const found: Issue[] = [];
  const lacks = (path: string, says: string): void => void found.push(issueAt(path, 'capability', says));
  if (!orders.includes(type)) lacks(`${DETAILS}.consignmentType`, `${type} is not offered by carrier ${code}`);
  if (maxPackages !== undefined && packages > maxPackages)
    lacks(`${DETAILS}.packageDetails`, `must not have more than ${maxPackages} entries for carrier ${code}`);
  if (!cod && isCod) lacks(`${DETAILS}.paymentTobeCollected.paymentMode`, `COD is not offered by carrier ${code}`);
  for (const [at, vasCode] of vasCodes.entries())
    if (vas !== undefined && vasCode !== undefined && !vas.includes(vasCode))
      lacks(`${DETAILS}.vas[${at}].vasCode`, `"${vasCode}" is not offered by carrier ${code}`);
  if (from !== undefined && !from.includes(origin))
    lacks('shipFrom.address.country', `${origin} is not a country that carrier ${code} ships from`);
  if (to !== undefined && !to.includes(destination))
    lacks('shipTo.address.country', `${destination} is not a country that carrier ${code} delivers to`);
  return found;
};
