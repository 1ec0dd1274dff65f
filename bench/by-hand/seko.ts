import type { Consignment } from '../../src/engine/consignment/consignment.ts';
import {
  asList,
  bodyOf,
  compact,
  convert,
  cut,
  first,
  longest,
  present,
  prune,
  put,
  reject,
  round,
  wrap,
  type ByHand,
  type Hands,
} from './platform.ts';

const WITH_STATES = new Set(['AU', 'NZ', 'US']);

type Sku = NonNullable<Consignment['skuList']>[number] & { readonly unitKg: number | undefined };

const create: ByHand = ({ consignment: c, settings, service }, s) => {
  const address = (
    given: readonly (string | undefined)[],
    city: string,
    county: string | undefined,
    state: string | undefined,
    postCode: string | undefined,
    country: string,
  ): unknown => {
    const lines = present(given);
    const fitting =
      longest(lines) <= 50
        ? lines
        : lines.join(' ').length <= 85
          ? wrap(s, lines, 50, 2)
          : reject('SEKO takes an address of two lines of 50 characters', 'address_too_long');
    const hasState = WITH_STATES.has(country) && first(state) !== undefined;
    return {
      StreetAddress: fitting[0],
      BuildingName: fitting.slice(1, 3).join(', '),
      Suburb: hasState ? city : county,
      City: hasState ? state : city,
      PostCode: postCode,
      CountryCode: country,
    };
  };
  const kg = (n: number | undefined, unit: unknown): number | undefined =>
    unit === undefined || n === undefined ? undefined : convert(s, n, unit, 'KG', 3);
  const cm = (n: number | undefined, unit: unknown): number | undefined =>
    unit === undefined || n === undefined ? undefined : convert(s, n, unit, 'CM', 1);
  const skus: readonly Sku[] = (c.skuList ?? []).map((sku) => ({
    ...sku,
    unitKg: kg(sku.skuWeight, sku.skuWeightUom),
  }));
  const restKg = (sku: Sku): number => {
    const packed = c.itemList.find((item) => item.itemReferenceNumber === sku.itemReferenceNumber);
    let rest = kg(packed?.itemWeight, packed?.itemWeightUom) ?? Number.NaN;
    let sharing = 0;
    for (const other of skus) {
      if (other.itemReferenceNumber !== sku.itemReferenceNumber) continue;
      if (other.unitKg === undefined) sharing += other.skuQuantity;
      else rest -= other.unitKg * other.skuQuantity;
    }
    return Math.max(0.001, round(rest / sharing, 3));
  };
  const currency = first<unknown>(c.currencyCode, settings['currency']);
  return prune(s, {
    DeliveryReference: c.referenceId,
    Reference2: c.orderNumber,
    Reference3: c.consignmentNumber,
    Service: service.code,
    ShipType: c.typeOfOrder === 'REVERSE' ? 'INBOUND' : undefined,
    Origin: {
      Name: cut(first(c.originCompanyName, c.originName), 50),
      ContactPerson: first(c.originContactPerson, c.originName),
      PhoneNumber: c.originContactNumber,
      Email: c.originEmail,
      Address: address(
        [c.originAddressLine1, c.originAddressLine2, c.originAddressLine3],
        c.originCity,
        c.originCounty,
        c.originStateProvince,
        c.originPostalCode,
        c.originCountry,
      ),
    },
    Destination: {
      Name: cut(first(c.destinationCompanyName, c.destinationName, c.destinationContactPerson), 50),
      ContactPerson: first(c.destinationContactPerson, c.destinationName),
      PhoneNumber: c.destinationContactNumber,
      Email: c.destinationEmail,
      DeliveryInstructions: cut(c.deliveryInstructions, 120),
      Address: address(
        [c.destinationAddressLine1, c.destinationAddressLine2, c.destinationAddressLine3],
        c.destinationCity,
        c.destinationCounty,
        c.destinationStateProvince,
        c.destinationPostalCode,
        c.destinationCountry,
      ),
    },
    Packages: c.itemList.map((item) => ({
      Name: cut(item.itemReferenceNumber, 50),
      Type: 'Box',
      Kg: kg(item.itemWeight, item.itemWeightUom),
      Length: cm(item.itemLength, item.itemDimensionUom),
      Width: cm(item.itemWidth, item.itemDimensionUom),
      Height: cm(item.itemHeight, item.itemDimensionUom),
    })),
    Commodities:
      skus.length > 0
        ? skus.map((sku) => ({
            Description: cut(first(sku.skuItemDescription, sku.skuItemName), 200),
            itemSKU: sku.skuCode,
            HarmonizedCode: sku.skuHsnCode,
            Units: sku.skuQuantity,
            UnitValue: sku.skuItemUnitPrice === undefined ? 0 : Number(sku.skuItemUnitPrice),
            UnitKg: sku.unitKg ?? restKg(sku),
            Currency: currency,
            Country: first(sku.skuOriginCountry, c.originCountry),
          }))
        : c.itemList.map((item) => ({
            Description: cut(first(item.itemName, 'Goods'), 200),
            Units: 1,
            UnitValue: first(item.itemValue, 0),
            UnitKg: kg(item.itemWeight, item.itemWeightUom),
            Currency: currency,
            Country: c.originCountry,
          })),
    DutiesAndTaxesByReceiver: c.originCountry === c.destinationCountry ? undefined : settings['dutiesPaid'] !== true,
    CODValue: c.paymentMode === 'COD' ? c.amountToBeCollected : undefined,
    issignaturerequired: c.vas?.some(({ vasCode }) => vasCode === 'SIGNATURE_REQUIRED') === true,
    PrintToPrinter: false,
    Outputs: [`LABEL_${c.labelFormat ?? ''}_100X150`],
  });
};

interface Item {
  readonly PartNo: number;
  readonly TrackingNo?: string;
}

interface Created {
  readonly Consignments: readonly {
    readonly Connote?: string;
    readonly Items?: readonly Item[];
    readonly OutputFiles?: Readonly<Record<string, readonly string[]>>;
  }[];
  readonly Warnings?: readonly { readonly Message?: string }[];
}

const created: ByHand = (given) => {
  const body = bodyOf(given) as Created;
  const [consignment] = body.Consignments;
  if (consignment === undefined) return undefined;
  const connote = consignment.Connote;
  const files = Object.values(consignment.OutputFiles ?? {}).flat();
  const items = asList(consignment.Items);
  const isOneEach = files.length === items.length;
  const result: Record<string, unknown> = {};
  put(result, 'masterTrackingNumber', connote);
  if (!isOneEach && files[0] !== undefined) result['label'] = { content: files[0] };
  result['warnings'] = present(asList(body.Warnings).map(({ Message }) => Message));
  result['itemsTrackDetails'] = items.map(({ PartNo, TrackingNo }) => {
    const file = isOneEach ? files[PartNo - 1] : undefined;
    return compact({
      itemReferenceNumber: given.consignment.itemList[PartNo - 1]?.itemReferenceNumber ?? `part ${PartNo}`,
      trackingNumber: TrackingNo,
      memo: compact({ connote, part: `${connote ?? ''}/${PartNo}` }),
      label: file === undefined ? undefined : { content: file },
    });
  });
  return result;
};

interface Told {
  readonly ConsignmentNo?: string;
  readonly Events?: readonly {
    readonly Part?: number | string | null;
    readonly OmniCode?: string;
    readonly Description?: string;
    readonly Code?: string;
    readonly EventDT?: string;
    readonly Location?: string;
  }[];
}

const events: ByHand = (given) => {
  const told = bodyOf(given, given['request'] === undefined ? 'response' : 'request') as Told | readonly Told[];
  const found: unknown[] = [];
  for (const { ConsignmentNo: connote, Events } of asList(told)) {
    for (const event of asList(Events)) {
      const part = first<unknown>(event.Part);
      const isPart = part !== undefined && part !== 0;
      found.push(
        compact({
          type: isPart ? 'part' : 'Tracking',
          value: isPart ? `${connote ?? ''}/${event.Part ?? ''}` : connote,
          carrierStatusCode: event.OmniCode,
          carrierStatusDescription: event.Description,
          carrierSubStatusCode: event.Code,
          statusReceivedAt: event.EventDT,
          eventTimezone: given.settings['timezone'],
          locationName: event.Location,
        }),
      );
    }
  }
  return found.length === 0 ? undefined : found.length === 1 ? found[0] : found;
};

export const seko: Hands = { request: create, response: created, status: events };
