import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import { type LabelFormat, type TypeOfService, TYPES_OF_SERVICE } from './consignment.ts';
import type { Order } from './order.ts';

/**
 * The service a carrier has under the shipper's word, in any case: its row of the profile's `services`, which without
 * one is the four names of the contract. In an own fleet, a skill that the order's route asks for is a service too.
 * Undefined: the carrier has none of that name.
 */
export const findService = (
  { services, capabilities }: Pick<Carrier, 'services' | 'capabilities'>,
  { consignmentDetails, routeDetails }: Pick<Order, 'consignmentDetails' | 'routeDetails'>,
): ServiceRow | undefined => {
  const { serviceType } = consignmentDetails;
  const word = serviceType.trim().toLowerCase();
  const named =
    services === undefined
      ? TYPES_OF_SERVICE.filter((name) => name.toLowerCase() === word).map(contractService)[0]
      : services.get(word);
  if (named !== undefined || capabilities.fleet !== 'own') return named;
  const skill = routeDetails?.skills?.find((held) => held.trim().toLowerCase() === word);
  return skill === undefined ? undefined : { ...row(skill, 'STANDARD'), code: skill };
};

export const serviceNames = ({ services }: Pick<Carrier, 'services'>): readonly string[] =>
  services === undefined ? TYPES_OF_SERVICE : [...services.values()].map(({ name }) => name);

/** The format asked for where the carrier has it (PDF when none is), else the carrier's best. */
export const chooseLabelFormat = (
  { labelFormat }: Pick<Order['consignmentDetails'], 'labelFormat'>,
  formats: Carrier['labels']['formats'],
): LabelFormat => formats.find((format) => format === (labelFormat ?? 'PDF')) ?? formats[0];

const row = (name: string, typeOfService: TypeOfService): ServiceRow => ({
  name,
  typeOfService,
  code: undefined,
  orders: undefined,
});

/** One of the four that a profile has without naming any. */
export const contractService = (name: TypeOfService): ServiceRow => row(name, name);
