/** A consignment as replies name it: what its carrier gave, package by package, and how it stands. */
import type { ChoiceEntry, ConsignmentEntry, Warning } from '../../engine/consignment/reply.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { choiceEntry } from '../../engine/policy/chosen.ts';
import { labelLink } from '../../engine/labels/serve.ts';
import { acceptedWarningsOf, standingOf } from '../records/acceptance.ts';
import type { ConsignmentState, LabelEntry, ShownConsignment } from '../records/consignments.ts';
import type { ApiDeps } from './deps.ts';

/** What of a consignment is known before its carrier was asked, and may be known of it. */
export type Named = Pick<ShownConsignment, 'referenceNumber' | 'orderNumber' | 'consignmentNumber' | 'carrierCode'> &
  Partial<Pick<ShownConsignment, 'masterTrackingNumber' | 'packages' | 'labels' | 'orderText' | 'choice'>>;

/** Labels that may be asked for: those we have, and those that are fetched when somebody does. */
export const isServed = ({ state }: ConsignmentState['labels'][number]): boolean =>
  state === 'stored' || state === 'pending';

/** Why it is not there, or not yet. */
export const labelReason = ({ failure: message, failureCode: code = 'label_failed' }: LabelEntry) =>
  message === undefined ? undefined : { code, message };

export const entryOf = (
  {
    stands,
    packages = [],
    labels = [],
    orderText = '',
    choice: chosen,
    ...record
  }: Named & Pick<ShownConsignment, 'stands'>,
  { carriers, publicUrl }: Pick<ApiDeps, 'carriers' | 'publicUrl'>,
  more: readonly Warning[] = [],
): ConsignmentEntry => {
  const { referenceNumber, orderNumber, consignmentNumber, masterTrackingNumber, carrierCode: code } = record;
  const carrier = carriers.find(code);
  const order = orderWhereNeeded(orderText);
  const isByOffer = order?.carrier.offerId !== undefined;
  const choice = chosen && choiceEntry(chosen);
  const carrierDetails = {
    name: carrier?.name ?? code,
    code,
    info: (isByOffer && order.carrier.quoted) || priceOf(choice),
  };
  const ours = labels.filter(({ state }) => state !== 'revoked');
  const labelOf = (position: number) => ours.find((one) => one.position === position) ?? ours.find(isForAll);
  const packageIdOf = (at: number | undefined) => packages.find(({ position }) => position === at)?.reference;
  const warnings: Warning[] = [...more, ...acceptedWarningsOf(stands)];
  const asked: Asked = order?.consignmentDetails ?? {};
  for (const label of ours) {
    const wrong = wrongOf(label, asked);
    const packageId = packageIdOf(label.position);
    if (wrong !== undefined) warnings.push({ ...wrong, ...(packageId && { packageId }) });
  }
  const trackingDetails = packages.flatMap(({ position, reference: packageId, trackingNumber }) => {
    if (trackingNumber === undefined) return [];
    const own = labelOf(position);
    const link = own && isServed(own) ? labelLink(publicUrl, own.id) : outsideLabel(asked, packageId, trackingNumber);
    if (own === undefined && link === undefined && carrier?.capabilities.fleet !== 'own' && isLive(stands))
      warnings.push({ code: 'label_missing', message: 'the carrier gave no label', packageId });
    return [{ packageId, trackingNumber, ...(link !== undefined && { label: link }), carrierDetails }];
  });
  return {
    referenceNumber,
    orderNumber,
    consignmentNumber,
    ...(masterTrackingNumber === undefined ? {} : { masterTrackingNumber }),
    trackingDetails,
    ...standingOf(stands),
    ...(choice && { choice }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};

/** What a policy chose, as it stands with every package. */
const priceOf = (choice: ChoiceEntry | undefined) => {
  if (choice === undefined) return {};
  const { policy, service, total, currency } = choice;
  return { policy, service, total, currency };
};

const isForAll = ({ position }: LabelEntry): boolean => position === undefined;
const isLive = ({ acceptance }: ShownConsignment['stands']): boolean =>
  acceptance !== 'cancelled' && acceptance !== 'rejected';

/** A label that is there in another format than the order's, or that will not come by itself. */
const wrongOf = (label: LabelEntry, { labelFormat = 'PDF' }: Asked): Warning | undefined => {
  if (label.state === 'failed') return labelReason(label);
  return label.state !== 'stored' || label.format === undefined || label.format === labelFormat
    ? undefined
    : { code: 'label_format', message: `the label is ${label.format}, not the ${labelFormat} that was asked for` };
};

type Asked = Partial<Pick<Order['consignmentDetails'], 'labelFormat' | 'packageDetails'>>;

/** It is read, once, only where it says of labels anything but the default, or takes up an offer. */
const orderWhereNeeded = (orderText: string): Order | undefined =>
  /"ZPL"|"labelUrl"|"offerId"/u.test(orderText) ? (JSON.parse(orderText) as Order) : undefined;

/** The `labelUrl` of a label that was made elsewhere for this number, which the order brought. */
const outsideLabel = ({ packageDetails }: Asked, packageId: string, number: string): string | undefined =>
  packageDetails
    ?.find(({ id }) => id === packageId)
    ?.trackingDetails?.find(
      ({ labelUrl, trackingNumber = number }) => labelUrl !== undefined && trackingNumber === number,
    )?.labelUrl;
