import {
  asList,
  bodyOf,
  compact,
  convert,
  cut,
  first,
  longest,
  prune,
  region,
  reject,
  type ByHand,
  type Hands,
} from './platform.ts';

const STATES_BY_CODE = new Set(['AU', 'CA', 'CL', 'US']);

interface Party {
  readonly company: string | undefined;
  readonly name: string | undefined;
  readonly person: string | undefined;
  readonly lines: readonly (string | undefined)[];
  readonly city: string | undefined;
  readonly state: string | undefined;
  readonly zip: string | undefined;
  readonly country: string;
}

const create: ByHand = ({ consignment: c, settings, credentials, environment, service }, s) => {
  const address = ({ company, name, person, lines, city, state, zip, country }: Party): Record<string, unknown> => {
    const given = lines.filter((line) => line !== undefined && line !== '') as string[];
    if (longest(given) > 100) reject('Landmark takes 100 characters a line of address', 'address_too_long');
    return {
      Name: cut(first(company, name), 50),
      Attention: first(company) === undefined ? undefined : cut(first(person, name), 50),
      Address1: given[0],
      Address2: given[1],
      Address3: given[2],
      City: cut(city, 50),
      State:
        country === 'HU' || country === 'SG'
          ? undefined
          : STATES_BY_CODE.has(country)
            ? region(s, state, country)
            : cut(state, 20),
      PostalCode: zip,
      Country: country,
    };
  };
  const skus = c.skuList ?? [];
  const goods =
    skus.length > 0
      ? skus.map((sku) => ({
          sku: sku.skuCode,
          quantity: sku.skuQuantity,
          price: sku.skuItemUnitPrice === undefined ? undefined : Number(sku.skuItemUnitPrice),
          description: first(sku.skuItemDescription, sku.skuItemName),
          code: sku.skuHsnCode,
          country: sku.skuOriginCountry,
        }))
      : c.itemList.map((item) => ({
          sku: item.itemReferenceNumber,
          quantity: 1,
          price: item.itemValue,
          description: item.itemName,
          code: undefined,
          country: undefined,
        }));
  if (goods.some(({ price }) => price === undefined)) {
    reject('Landmark needs the unit prices of the goods for customs', 'customs_incomplete');
  }
  const measure = (n: number | undefined, unit: unknown): number | undefined =>
    unit === undefined || n === undefined ? undefined : unit === 'IN' ? n : convert(s, n, unit, 'CM', 1);
  return prune(s, {
    ShipRequest: {
      Login: { Username: credentials['username'], Password: credentials['password'] },
      Test: environment['test'],
      ClientID: credentials['clientId'],
      AccountNumber: settings['accountNumber'],
      Reference: c.referenceId,
      ShipTo: {
        ...address({
          company: c.destinationCompanyName,
          name: c.destinationName,
          person: c.destinationContactPerson,
          lines: [c.destinationAddressLine1, c.destinationAddressLine2, c.destinationAddressLine3],
          city: c.destinationCity,
          state: c.destinationStateProvince,
          zip: c.destinationPostalCode,
          country: c.destinationCountry,
        }),
        Phone: c.destinationContactNumber,
        Email: c.destinationEmail,
      },
      ShippingLane: { Region: settings['region'] },
      ShipMethod: service.code,
      ItemsCurrency: first<unknown>(c.currencyCode, settings['currency']),
      IsCommercialShipment: c.destinationType === 'BUSINESS' ? 1 : 0,
      LabelFormat: c.labelFormat,
      LabelEncoding: c.labelFormat === 'ZPL' ? undefined : 'BASE64',
      FulfillmentAddress: address({
        company: c.originCompanyName,
        name: c.originName,
        person: c.originContactPerson,
        lines: [c.originAddressLine1, c.originAddressLine2, c.originAddressLine3],
        city: c.originCity,
        state: c.originStateProvince,
        zip: c.originPostalCode,
        country: c.originCountry,
      }),
      AdditionalFields: { Field1: c.orderNumber, Field2: c.consignmentNumber },
      Packages: {
        Package: c.itemList.map((item) => ({
          WeightUnit: item.itemWeightUom === 'LB' ? 'LB' : 'KG',
          Weight:
            item.itemWeightUom === 'LB' ? item.itemWeight : convert(s, item.itemWeight, item.itemWeightUom, 'KG', 3),
          DimensionsUnit:
            item.itemDimensionUom === undefined ? undefined : item.itemDimensionUom === 'IN' ? 'IN' : 'CM',
          Length: measure(item.itemLength, item.itemDimensionUom),
          Width: measure(item.itemWidth, item.itemDimensionUom),
          Height: measure(item.itemHeight, item.itemDimensionUom),
          PackageReference: item.itemReferenceNumber,
        })),
      },
      Items: {
        Item: goods.map((one) => ({
          Sku: cut(one.sku.replaceAll(/[^A-Za-z0-9_-]/g, '-'), 64),
          Quantity: one.quantity,
          UnitPrice: one.price,
          Description: cut(first(one.description, 'Goods'), 255),
          HSCode: one.code,
          CountryOfOrigin: first(one.country, c.originCountry),
        })),
      },
    },
  });
};

interface Correction {
  readonly ModifiedField: string;
  readonly OldValue: string;
  readonly NewValue: string;
}

interface Packed {
  readonly PackageReference?: string;
  readonly TrackingNumber?: string;
  readonly LandmarkTrackingNumber?: string;
  readonly LabelImages?: { readonly LabelImage?: string | readonly string[] };
  readonly LabelLink?: string | readonly string[];
}

interface Created {
  readonly ShipResponse: {
    readonly Result?: {
      readonly AddressCorrections?: { readonly Correction?: Correction | readonly Correction[] };
      readonly Packages?: { readonly Package?: Packed | readonly Packed[] };
    };
  };
}

const labelOf = ({ LabelImages, LabelLink }: Packed): unknown => {
  const [image] = asList(LabelImages?.LabelImage);
  if (image !== undefined) return { content: image };
  const [link] = asList(LabelLink);
  return link === undefined ? undefined : { url: link };
};

const created: ByHand = (given) => {
  const { Result: result } = (bodyOf(given) as Created).ShipResponse;
  if (result === undefined) return undefined;
  const packages = asList(result.Packages?.Package);
  const warnings = asList(result.AddressCorrections?.Correction).map(
    (one) => `Landmark corrected ${one.ModifiedField} from '${one.OldValue}' to '${one.NewValue}'`,
  );
  for (const one of packages) {
    if (asList(one.LabelImages?.LabelImage).length > 1) {
      warnings.push(`The label of ${one.TrackingNumber ?? ''} has further pages`);
    }
  }
  return {
    warnings,
    itemsTrackDetails: packages.map((one) =>
      compact({
        itemReferenceNumber: first(one.PackageReference),
        trackingNumber: first(one.TrackingNumber, one.LandmarkTrackingNumber),
        label: labelOf(one),
      }),
    ),
  };
};

interface Event {
  readonly EventCode?: string;
  readonly Status?: string;
  readonly DateTime?: string;
  readonly Location?: string;
}

interface TrackedPackage {
  readonly TrackingNumber?: string;
  readonly LandmarkTrackingNumber?: string;
  readonly Events?: { readonly Event?: Event | readonly Event[] };
}

interface Tracked {
  readonly TrackResponse: {
    readonly Result?: { readonly Packages?: { readonly Package?: TrackedPackage | readonly TrackedPackage[] } };
  };
}

const events: ByHand = (given) => {
  const { trackingNumber } = given.item;
  const found: unknown[] = [];
  for (const one of asList((bodyOf(given) as Tracked).TrackResponse.Result?.Packages?.Package)) {
    if (one.TrackingNumber !== trackingNumber && one.LandmarkTrackingNumber !== trackingNumber) continue;
    for (const event of asList(one.Events?.Event)) {
      found.push(
        compact({
          value: trackingNumber,
          carrierStatusCode: event.EventCode,
          carrierStatusDescription: event.Status,
          statusReceivedAt: event.DateTime,
          locationName: event.Location,
        }),
      );
    }
  }
  return found.length === 0 ? undefined : found.length === 1 ? found[0] : found;
};

export const landmark: Hands = { request: create, response: created, status: events };
