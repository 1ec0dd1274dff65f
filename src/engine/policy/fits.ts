/** Whether a carrier takes a consignment, by what its profile says. */
import { type Consignment, TYPES_OF_SERVICE } from '../consignment/consignment.ts';
import { lackingIssues } from '../consignment/required.ts';
import { capabilityIssues } from '../consignment/capabilities.ts';
import { contractService } from '../consignment/service.ts';
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import type { Candidate, ChoiceContext, Excluded } from './choice.ts';
import type { PolicyEntry } from './policy.ts';

/** Stands for any service, as it stands for any carrier. */
export const AUTO = 'AUTO';

/** The services of a carrier that a policy admits and the shipper wishes, in the order in which they are written. */
export const servicesFor = (
  carrier: Carrier,
  { services: admitted }: PolicyEntry,
  wished = AUTO,
): readonly ServiceRow[] => {
  const all = [...(carrier.services?.values() ?? TYPES_OF_SERVICE.map(contractService))];
  const named = (name: string): ServiceRow | undefined =>
    all.find((row) => row.name.toLowerCase() === name.toLowerCase());
  const rows = admitted === undefined ? all : admitted.flatMap((name) => named(name) ?? []);
  const wish = wished.trim();
  if (wish.toUpperCase() === AUTO) return rows;
  const own = named(wish);
  return rows.filter((row) => (own === undefined ? row.typeOfService === wish.toUpperCase() : row === own));
};

/** Why a carrier does not take a consignment with a service; undefined: it does. */
export const refusalOf = async (
  { carrier, issues }: Candidate,
  service: ServiceRow,
  consignment: Consignment,
  { nowMs, labelFormat }: Pick<ChoiceContext, 'nowMs' | 'labelFormat'>,
): Promise<Excluded | undefined> => {
  const { typeOfOrder, itemList, paymentMode, vas = [], originCountry, destinationCountry } = consignment;
  if (service.orders?.includes(typeOfOrder) === false)
    return { code: 'service_for_order_type', reason: `${service.name} is not offered for ${typeOfOrder} orders` };
  const { formats } = carrier.labels;
  if (labelFormat !== undefined && !formats.includes(labelFormat))
    return { code: 'label_format', reason: `it has no labels in ${labelFormat}, only in ${formats.join(', ')}` };
  const facts = {
    type: typeOfOrder,
    packages: itemList.length,
    isCod: paymentMode === 'COD',
    vasCodes: vas.map(({ vasCode }) => vasCode),
    origin: originCountry,
    destination: destinationCountry,
  };
  const found = [
    ...capabilityIssues(facts, carrier),
    ...(await lackingIssues(carrier, consignment, service, nowMs)),
    ...((await issues?.(service)) ?? []),
  ];
  const [first] = found;
  return first && { code: first.code, reason: [...new Set(found.map(({ message }) => message))].join('; ') };
};
