import {
  addTime,
  bodyOf,
  compact,
  convert,
  cut,
  first,
  formatTime,
  longest,
  present,
  prune,
  put,
  reject,
  round,
  time,
  wrap,
  type ByHand,
  type Hands,
} from './platform.ts';

const UNION = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '));

const contact = (
  company: string | undefined,
  person: string | undefined,
  name: string | undefined,
  phone: string | undefined,
  mobile: string | undefined,
  email: string | undefined,
): unknown => ({
  companyName: cut(first(company, name, person), 100),
  fullName: cut(first(person, name, company), 255),
  phone,
  mobilePhone: mobile,
  email: email !== undefined && email.length <= 70 ? email : undefined,
});

const weights = (value: number): unknown => ({ netValue: value, grossValue: value });

const create: ByHand = ({ consignment: c, settings, service, tables, documents, now }, s) => {
  const lane =
    c.originCountry === c.destinationCountry
      ? 'domestic'
      : UNION.has(c.originCountry) && UNION.has(c.destinationCountry)
        ? 'union'
        : 'world';
  const isDutiable = lane === 'world';
  const invoice = isDutiable && settings['paperless'] === true ? documents?.commercialInvoice : undefined;
  const isImperial = c.itemList[0]?.itemWeightUom === 'LB';
  const weigh = (n: number, unit: unknown): number => convert(s, n, unit, isImperial ? 'LB' : 'KG', 3);
  const measure = (n: number, unit: unknown): number => convert(s, n, unit, isImperial ? 'IN' : 'CM', 3);
  const zone = first(c.originTimezone, 'UTC') ?? '';
  const wished = time(s, c.shippingDateTime, 'yyyy-MM-dd HH:mm:ss', zone);
  const soonest = addTime(s, now, '15m');
  const ready = Date.parse(wished) < Date.parse(soonest) ? soonest : wished;
  const planned = formatTime(s, ready, "yyyy-MM-dd'T'HH:mm:ss 'GMT'xxx", zone);
  const address = (
    given: readonly (string | undefined)[],
    city: string,
    county: string | undefined,
    state: string | undefined,
    postalCode: string | undefined,
    country: string,
  ): unknown => {
    const lines = present(given);
    const fitting =
      longest(lines) <= 45
        ? lines
        : lines.join(' ').length <= 120
          ? wrap(s, lines, 45, 3)
          : reject('DHL Express takes an address of three lines of 45 characters', 'address_too_long');
    return {
      addressLine1: fitting[0],
      addressLine2: fitting[1],
      addressLine3: fitting[2],
      cityName: cut(city, 45),
      countyName: cut(county, 45),
      provinceCode: state !== undefined && state.length > 1 ? cut(state, 35) : undefined,
      postalCode,
      countryCode: country,
    };
  };
  const skus = c.skuList ?? [];
  if (isDutiable && (skus.length === 0 || skus.some((sku) => sku.skuItemUnitPrice === undefined))) {
    reject('DHL Express needs the SKUs with their unit prices for customs', 'customs_incomplete');
  }
  const incoterm = first(c.info?.['incoterm'], settings['incoterm']);
  let declared = 0;
  for (const sku of skus) declared += Number(sku.skuItemUnitPrice) * sku.skuQuantity;
  return prune(s, {
    plannedShippingDateAndTime: planned,
    pickup: {
      isRequested: settings['bookPickup'],
      closeTime: settings['bookPickup'] === true ? c.originPreferredEndTime?.slice(11, 16) : undefined,
    },
    productCode: tables['products']?.[service.code ?? '']?.[lane],
    accounts: [{ typeCode: 'shipper', number: settings['account'] }],
    valueAddedServices: [
      ...(c.vas?.some(({ vasCode }) => vasCode === 'SIGNATURE_REQUIRED') === true ? [{ serviceCode: 'SF' }] : []),
      ...(isDutiable && incoterm === 'DDP' ? [{ serviceCode: 'DD' }] : []),
      ...(invoice === undefined ? [] : [{ serviceCode: 'WY' }]),
    ],
    documentImages: invoice === undefined ? undefined : [{ typeCode: 'INV', imageFormat: 'PDF', content: invoice }],
    outputImageProperties: {
      encodingFormat: c.labelFormat?.toLowerCase(),
      imageOptions: [{ typeCode: 'label', templateName: settings['labelTemplate'] }],
    },
    getAdditionalInformation: [{ typeCode: 'linkLabelsByPieces', isRequested: true }],
    customerReferences: [{ value: cut(c.referenceId, 35), typeCode: 'CU' }],
    customerDetails: {
      shipperDetails: {
        typeCode: c.originType === 'RESIDENTIAL' ? 'private' : 'business',
        postalAddress: address(
          [c.originAddressLine1, c.originAddressLine2, c.originAddressLine3],
          c.originCity,
          c.originCounty,
          c.originStateProvince,
          c.originPostalCode,
          c.originCountry,
        ),
        contactInformation: contact(
          c.originCompanyName,
          c.originContactPerson,
          c.originName,
          c.originContactNumber,
          c.originContactNumber2,
          c.originEmail,
        ),
      },
      receiverDetails: {
        typeCode: c.destinationType === 'BUSINESS' ? 'business' : 'direct_consumer',
        postalAddress: address(
          [c.destinationAddressLine1, c.destinationAddressLine2, c.destinationAddressLine3],
          c.destinationCity,
          c.destinationCounty,
          c.destinationStateProvince,
          c.destinationPostalCode,
          c.destinationCountry,
        ),
        contactInformation: contact(
          c.destinationCompanyName,
          c.destinationContactPerson,
          c.destinationName,
          c.destinationContactNumber,
          c.destinationContactNumber2,
          c.destinationEmail,
        ),
      },
    },
    content: {
      description: cut(first(c.itemList[0]?.itemName, skus[0]?.skuItemName, 'Goods')?.trim(), 70),
      incoterm,
      unitOfMeasurement: isImperial ? 'imperial' : 'metric',
      isCustomsDeclarable: isDutiable,
      declaredValue: isDutiable ? round(declared, 3) : undefined,
      declaredValueCurrency: isDutiable ? first(c.currencyCode, settings['currency']) : undefined,
      packages: c.itemList.map((item) => ({
        weight: weigh(item.itemWeight, item.itemWeightUom),
        dimensions:
          item.itemLength !== undefined &&
          item.itemWidth !== undefined &&
          item.itemHeight !== undefined &&
          item.itemDimensionUom !== undefined &&
          item.itemLength > 0 &&
          item.itemWidth > 0 &&
          item.itemHeight > 0
            ? {
                length: measure(item.itemLength, item.itemDimensionUom),
                width: measure(item.itemWidth, item.itemDimensionUom),
                height: measure(item.itemHeight, item.itemDimensionUom),
              }
            : undefined,
        description: cut(item.itemName?.trim(), 70),
        customerReferences: [{ value: cut(item.itemReferenceNumber, 35), typeCode: 'CU' }],
      })),
      exportDeclaration: isDutiable
        ? {
            lineItems: skus.map((sku, place) => ({
              number: place + 1,
              description: cut(first(sku.skuItemDescription, sku.skuItemName), 512),
              price: Number(sku.skuItemUnitPrice),
              quantity: { value: sku.skuQuantity, unitOfMeasurement: 'PCS' },
              commodityCodes: sku.skuHsnCode === undefined ? [] : [{ typeCode: 'outbound', value: sku.skuHsnCode }],
              exportReasonType: 'permanent',
              manufacturerCountry: first(sku.skuOriginCountry, c.originCountry),
              weight:
                sku.skuWeight !== undefined && sku.skuWeightUom !== undefined
                  ? weights(weigh(sku.skuWeight * sku.skuQuantity, sku.skuWeightUom))
                  : undefined,
            })),
            invoice: {
              number: cut(first(c.info?.customsInvoiceNumber, c.orderNumber), 35),
              date: first(c.info?.customsInvoiceDate, planned.slice(0, 10)),
            },
          }
        : undefined,
    },
  });
};

interface Document {
  readonly typeCode?: string;
  readonly imageFormat?: string;
  readonly content?: string;
  readonly packageReferenceNumber?: number;
}

interface Created {
  readonly shipmentTrackingNumber: string;
  readonly dispatchConfirmationNumber?: string;
  readonly warnings?: readonly string[];
  readonly documents?: readonly Document[];
  readonly packages?: readonly { readonly referenceNumber: number; readonly trackingNumber: string }[];
}

const labelOf = (document: Document | undefined): unknown => {
  if (document === undefined) return undefined;
  const format = document.imageFormat?.toUpperCase();
  const label: Record<string, unknown> = {};
  put(label, 'content', document.content);
  if (format === 'PDF' || format === 'ZPL') label['format'] = format;
  return label;
};

const created: ByHand = (given) => {
  const body = bodyOf(given) as Created;
  const labels = (body.documents ?? []).filter(({ typeCode }) => typeCode === 'label');
  const result: Record<string, unknown> = {
    masterTrackingNumber: body.shipmentTrackingNumber,
    memo: compact({ pickup: body.dispatchConfirmationNumber }),
    warnings: body.warnings ?? [],
  };
  put(result, 'label', labelOf(labels.find(({ packageReferenceNumber }) => packageReferenceNumber === undefined)));
  result['itemsTrackDetails'] = (body.packages ?? []).map(({ referenceNumber, trackingNumber }) => {
    const detail: Record<string, unknown> = {
      itemReferenceNumber:
        given.consignment.itemList[referenceNumber - 1]?.itemReferenceNumber ?? `number ${referenceNumber}`,
      trackingNumber,
    };
    put(detail, 'label', labelOf(labels.find((label) => label.packageReferenceNumber === referenceNumber)));
    return detail;
  });
  return result;
};

interface Event {
  readonly typeCode?: string;
  readonly description?: string;
  readonly date: string;
  readonly time: string;
  readonly GMTOffset?: string;
  readonly serviceArea?: readonly { readonly code?: string; readonly description?: string }[];
  readonly signedBy?: string;
}

interface Tracked {
  readonly trackingNumber?: string;
  readonly shipmentTrackingNumber?: string;
  readonly events?: readonly Event[];
}

const events: ByHand = (given) => {
  const { shipments = [] } = bodyOf(given) as {
    readonly shipments?: readonly (Tracked & { readonly pieces?: Tracked[] })[];
  };
  const found: unknown[] = [];
  for (const shipment of shipments) {
    const pieces = shipment.pieces?.some((piece) => piece.events !== undefined) === true ? shipment.pieces : [shipment];
    for (const piece of pieces) {
      for (const event of piece.events ?? []) {
        found.push(
          compact({
            value: first(piece.trackingNumber, piece.shipmentTrackingNumber),
            carrierStatusCode: event.typeCode,
            carrierStatusDescription: event.description,
            statusReceivedAt: `${event.date}T${event.time}${event.GMTOffset ?? ''}`,
            locationCode: event.serviceArea?.[0]?.code,
            locationName: event.serviceArea?.[0]?.description,
            extraInfo:
              event.signedBy !== undefined && event.signedBy !== '' ? { receivedBy: event.signedBy } : undefined,
          }),
        );
      }
    }
  }
  return found.length === 0 ? undefined : found.length === 1 ? found[0] : found;
};

export const dhlExpress: Hands = { request: create, response: created, status: events };
