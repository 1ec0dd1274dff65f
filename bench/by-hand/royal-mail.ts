import {
  asList,
  asText,
  bodyOf,
  compact,
  convert,
  cut,
  first,
  formatTime,
  present,
  prune,
  put,
  round,
  type ByHand,
  type Hands,
} from './platform.ts';

const formatOf = (sides: readonly number[], weight: number): string => {
  const [a = 0, b = 0, c] = sides.toSorted((x, y) => x - y);
  if (c === undefined) return 'parcel';
  if (a <= 160 && b <= 350 && c <= 450 && weight <= 2000) return 'smallParcel';
  return a <= 460 && b <= 460 && c <= 610 && weight <= 20_000 ? 'mediumParcel' : 'largeParcel';
};

const create: ByHand = ({ consignment: c, service, now }, s) => {
  const skus = c.skuList ?? [];
  let worth = c.invoiceValue;
  if (worth === undefined) {
    worth = 0;
    if (skus.length > 0) for (const sku of skus) worth += Number(first(sku.skuItemUnitPrice, '0')) * sku.skuQuantity;
    else for (const item of c.itemList) worth += item.itemValue ?? 0;
  }
  worth = round(worth, 2);
  const mm = (n: number | undefined, unit: unknown): number[] =>
    n !== undefined && n > 0 ? [round(convert(s, n, unit, 'MM'), 0)] : [];
  const order = {
    orderReference: cut(c.referenceId, 40),
    isRecipientABusiness: c.destinationType === 'BUSINESS',
    recipient: {
      address: {
        fullName: cut(first(c.destinationContactPerson, c.destinationName), 210),
        companyName: cut(c.destinationCompanyName, 100),
        addressLine1: cut(c.destinationAddressLine1, 100),
        addressLine2: cut(c.destinationAddressLine2, 100),
        addressLine3: cut(c.destinationAddressLine3, 100),
        city: c.destinationCity,
        county: c.destinationCounty,
        postcode: c.destinationPostalCode,
        countryCode: c.destinationCountry,
      },
      phoneNumber: cut(c.destinationContactNumber, 25),
      emailAddress: c.destinationEmail,
    },
    sender: {
      tradingName: cut(first(c.originCompanyName, c.originName), 250),
      phoneNumber: cut(c.originContactNumber, 25),
      emailAddress: c.originEmail,
    },
    packages: c.itemList.map((item) => {
      const weight = Math.max(1, round(convert(s, item.itemWeight, item.itemWeightUom, 'G'), 0));
      const unit = item.itemDimensionUom;
      const sides =
        unit === undefined
          ? []
          : [...mm(item.itemHeight, unit), ...mm(item.itemWidth, unit), ...mm(item.itemLength, unit)];
      return {
        weightInGrams: weight,
        packageFormatIdentifier: formatOf(sides, weight),
        dimensions:
          sides.length === 3 ? { heightInMms: sides[0], widthInMms: sides[1], depthInMms: sides[2] } : undefined,
        contents: skus
          .filter((sku) => sku.itemReferenceNumber === item.itemReferenceNumber)
          .map((sku) => ({
            name: cut(sku.skuItemName, 800),
            SKU: cut(sku.skuCode, 100),
            quantity: sku.skuQuantity,
            unitValue: round(Number(first(sku.skuItemUnitPrice, '0')), 2),
          })),
      };
    }),
    orderDate: formatTime(s, now, "yyyy-MM-dd'T'HH:mm:ssX", 'UTC'),
    plannedDespatchDate: `${c.shippingDateTime.slice(0, 10)}T00:00:00Z`,
    specialInstructions: cut(c.deliveryInstructions, 500),
    subtotal: worth,
    shippingCostCharged: 0,
    total: worth,
    currencyCode: first(c.currencyCode, 'GBP'),
    postageDetails: {
      serviceCode: service.code,
      sendNotificationsTo: 'recipient',
      requestSignatureUponDelivery: c.vas?.some(({ vasCode }) => vasCode === 'SIGNATURE_REQUIRED') === true,
    },
    label: { includeLabelInResponse: true, includeCN: false, includeReturnsLabel: false },
  };
  return { items: [prune(s, order)] };
};

interface Order {
  readonly orderIdentifier?: number;
  readonly trackingNumber?: string;
  readonly label?: string;
  readonly labelErrors?: readonly { readonly message?: string }[];
  readonly packages?: readonly { readonly packageNumber: number; readonly trackingNumber?: string }[];
}

const created: ByHand = (given) => {
  const body = bodyOf(given) as { readonly createdOrders?: readonly Order[] } | readonly Order[];
  const orders = 'createdOrders' in body ? body.createdOrders : (body as Order | readonly Order[]);
  const order = asList(orders).findLast(({ orderIdentifier }) => orderIdentifier !== undefined);
  if (order === undefined) return undefined;
  const { trackingNumber, packages, orderIdentifier, label } = order;
  const result: Record<string, unknown> = {};
  put(result, 'masterTrackingNumber', trackingNumber);
  result['memo'] = compact({ orderId: orderIdentifier === undefined ? undefined : asText(orderIdentifier) });
  if (first(label) !== undefined) result['label'] = { content: label };
  result['warnings'] = present(asList(order.labelErrors).map(({ message }) => message));
  result['itemsTrackDetails'] =
    packages === undefined
      ? [compact({ trackingNumber })]
      : asList(packages).map((one) =>
          compact({
            itemReferenceNumber:
              given.consignment.itemList[one.packageNumber - 1]?.itemReferenceNumber ?? `number ${one.packageNumber}`,
            trackingNumber: first(one.trackingNumber, trackingNumber),
          }),
        );
  return result;
};

interface Piece {
  readonly events?: readonly {
    readonly eventCode?: string;
    readonly eventName?: string;
    readonly eventDateTime?: string;
    readonly locationName?: string;
  }[];
}

const events: ByHand = (given) => {
  const found: unknown[] = [];
  for (const piece of asList((bodyOf(given) as { readonly mailPieces?: Piece | readonly Piece[] }).mailPieces)) {
    for (const event of asList(piece.events)) {
      found.push(
        compact({
          value: given.item.trackingNumber,
          carrierStatusCode: event.eventCode,
          carrierStatusDescription: event.eventName,
          statusReceivedAt: event.eventDateTime,
          locationName: event.locationName,
        }),
      );
    }
  }
  return found.length === 0 ? undefined : found.length === 1 ? found[0] : found;
};

export const royalMail: Hands = { request: create, response: created, status: events };
