import {
  asList,
  asText,
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
  region,
  reject,
  roundUp,
  wrap,
  type ByHand,
  type Hands,
} from './platform.ts';

const onlyDigits = (text: string | undefined): string | undefined => text?.replaceAll(/\D/g, '');

const NORTH = new Set(['US', 'PR', 'CA']);

const number = (phone: string | undefined, country: string): string | undefined =>
  NORTH.has(country) ? onlyDigits(phone)?.slice(-10) : cut(onlyDigits(phone), 15);

const postCode = (given: string | undefined, country: string): string | undefined =>
  country === 'US' ? onlyDigits(given) : cut(given, 9);

const create: ByHand = ({ consignment: c, settings, service, now }, s) => {
  const isReturn = c.typeOfOrder === 'REVERSE';
  const isUs = c.originCountry === 'US' && c.destinationCountry === 'US';
  const isDomestic = c.originCountry === c.destinationCountry;
  const unit = c.originCountry === 'US' ? 'LB' : 'KG';
  const sideUnit = unit === 'LB' ? 'IN' : 'CM';
  const currency = first<unknown>(c.currencyCode, settings['currency']);
  const lines = (parts: readonly (string | undefined)[]): readonly string[] => {
    const given = present(parts);
    if (longest(given) <= 35) return given;
    if (given.join(' ').length <= 95) return wrap(s, given, 35, 3);
    return reject('UPS takes an address of three lines of 35 characters', 'address_too_long');
  };
  const state = (given: string | undefined, country: string): string | undefined =>
    country === 'US' || country === 'CA'
      ? region(s, given, country)
      : given !== undefined && given.length <= 5
        ? given
        : undefined;
  const origin = {
    Name: cut(first(c.originCompanyName, c.originName), 35),
    AttentionName: cut(first(c.originContactPerson, c.originName), 35),
    Phone: { Number: number(c.originContactNumber, c.originCountry) },
    Address: {
      AddressLine: lines([c.originAddressLine1, c.originAddressLine2, c.originAddressLine3]),
      City: cut(c.originCity, 30),
      StateProvinceCode: state(c.originStateProvince, c.originCountry),
      PostalCode: postCode(c.originPostalCode, c.originCountry),
      CountryCode: c.originCountry,
    },
  };
  const email = c.destinationEmail;
  const destination = {
    Name: cut(first(c.destinationCompanyName, c.destinationName, c.destinationContactPerson), 35),
    AttentionName: cut(first(c.destinationContactPerson, c.destinationName), 35),
    Phone: { Number: number(c.destinationContactNumber, c.destinationCountry) },
    EMailAddress: email !== undefined && email.length <= 50 ? email : undefined,
    Address: {
      AddressLine: lines([c.destinationAddressLine1, c.destinationAddressLine2, c.destinationAddressLine3]),
      City: cut(c.destinationCity, 30),
      StateProvinceCode: state(c.destinationStateProvince, c.destinationCountry),
      PostalCode: postCode(c.destinationPostalCode, c.destinationCountry),
      CountryCode: c.destinationCountry,
      ResidentialAddressIndicator: c.destinationType === 'RESIDENTIAL' ? 'Y' : undefined,
    },
  };
  const reference = { Value: cut(c.referenceId, 35) };
  const signature = c.vas?.some(({ vasCode }) => vasCode === 'SIGNATURE_REQUIRED') === true;
  const skus = c.skuList ?? [];
  const goods = cut(first(c.itemList[0]?.itemName, skus[0]?.skuItemName, 'Goods')?.trim(), 35);
  const side = (n: number, from: unknown): string => asText(roundUp(s, convert(s, n, from, sideUnit, 3), 1));
  return prune(s, {
    ShipmentRequest: {
      Request: { RequestOption: 'nonvalidate', TransactionReference: { CustomerContext: c.referenceId } },
      Shipment: {
        Description: goods,
        Shipper: { ...(isReturn ? destination : origin), ShipperNumber: settings['account'] },
        ShipTo: destination,
        ShipFrom: origin,
        ReturnService: isReturn ? { Code: '9' } : undefined,
        PaymentInformation: {
          ShipmentCharge: [{ Type: '01', BillShipper: { AccountNumber: settings['account'] } }],
        },
        Service: { Code: service.code },
        ReferenceNumber: isUs ? undefined : [reference, { Value: cut(c.orderNumber, 35) }],
        ShipmentServiceOptions: {
          DeliveryConfirmation: signature && !isUs ? { DCISType: '1' } : undefined,
          InternationalForms:
            isDomestic || isReturn || skus.length === 0
              ? undefined
              : {
                  FormType: ['01'],
                  InvoiceNumber: cut(first(c.info?.customsInvoiceNumber, c.orderNumber), 35),
                  InvoiceDate: formatTime(s, now, 'yyyyMMdd', first(c.originTimezone, 'UTC') ?? ''),
                  ReasonForExport: 'SALE',
                  CurrencyCode: currency,
                  Contacts: {
                    SoldTo: {
                      Name: destination.Name,
                      AttentionName: destination.AttentionName,
                      Phone: destination.Phone,
                      Address: destination.Address,
                    },
                  },
                  Product: skus.map((sku) => ({
                    Description: [cut(first(sku.skuItemDescription, sku.skuItemName), 35)],
                    Unit: {
                      Number: asText(sku.skuQuantity),
                      UnitOfMeasurement: { Code: 'PCS' },
                      Value:
                        sku.skuItemUnitPrice ??
                        reject('UPS needs the unit prices of the SKUs for customs', 'customs_incomplete'),
                    },
                    CommodityCode: sku.skuHsnCode,
                    OriginCountryCode: first(sku.skuOriginCountry, c.originCountry),
                  })),
                },
        },
        Package: c.itemList.map((item) => ({
          Description: cut(first(item.itemName, goods)?.trim(), 35),
          Packaging: { Code: '02' },
          Dimensions:
            item.itemLength !== undefined &&
            item.itemWidth !== undefined &&
            item.itemHeight !== undefined &&
            item.itemDimensionUom !== undefined &&
            item.itemLength > 0 &&
            item.itemWidth > 0 &&
            item.itemHeight > 0
              ? {
                  UnitOfMeasurement: { Code: sideUnit },
                  Length: side(item.itemLength, item.itemDimensionUom),
                  Width: side(item.itemWidth, item.itemDimensionUom),
                  Height: side(item.itemHeight, item.itemDimensionUom),
                }
              : undefined,
          PackageWeight: {
            UnitOfMeasurement: { Code: `${unit}S` },
            Weight: asText(roundUp(s, convert(s, item.itemWeight, item.itemWeightUom, unit, 3), 0.1)),
          },
          ReferenceNumber: isUs ? [reference, { Value: cut(item.itemReferenceNumber, 35) }] : undefined,
          PackageServiceOptions: signature && isUs ? { DeliveryConfirmation: { DCISType: '2' } } : undefined,
        })),
      },
      LabelSpecification: { LabelImageFormat: { Code: 'ZPL' }, LabelStockSize: { Height: '6', Width: '4' } },
    },
  });
};

interface Created {
  readonly ShipmentResponse: {
    readonly Response: {
      readonly TransactionReference?: { readonly CustomerContext?: string };
      readonly Alert?: readonly { readonly Code: string; readonly Description: string }[];
    };
    readonly ShipmentResults: {
      readonly ShipmentIdentificationNumber?: string;
      readonly PackageResults?: readonly {
        readonly TrackingNumber?: string;
        readonly ShippingLabel?: { readonly GraphicImage?: string };
      }[];
    };
  };
}

const created: ByHand = (given) => {
  const { Response: response, ShipmentResults: results } = (bodyOf(given) as Created).ShipmentResponse;
  const wantsZpl = given.consignment.labelFormat === 'ZPL';
  const result: Record<string, unknown> = {};
  put(result, 'referenceId', response.TransactionReference?.CustomerContext);
  put(result, 'masterTrackingNumber', results.ShipmentIdentificationNumber);
  result['warnings'] = asList(response.Alert).map(({ Code, Description }) => `${Description} (${Code})`);
  result['itemsTrackDetails'] = asList(results.PackageResults).map(({ TrackingNumber, ShippingLabel }, place) =>
    compact({
      itemReferenceNumber: given.consignment.itemList[place]?.itemReferenceNumber,
      trackingNumber: TrackingNumber,
      label:
        wantsZpl && ShippingLabel !== undefined
          ? compact({ content: ShippingLabel.GraphicImage, format: 'ZPL' })
          : undefined,
    }),
  );
  return result;
};

interface Activity {
  readonly date: string;
  readonly time: string;
  readonly gmtOffset?: string;
  readonly status: {
    readonly statusCode?: string;
    readonly description?: string;
    readonly type?: string;
    readonly code?: string;
  };
  readonly location?: {
    readonly slic?: string;
    readonly address?: {
      readonly city?: string;
      readonly stateProvince?: string;
      readonly countryCode?: string;
    };
  };
}

interface Package {
  readonly activity?: readonly Activity[];
  readonly deliveryInformation?: { readonly receivedBy?: string };
}

interface Tracked {
  readonly trackResponse?: { readonly shipment?: readonly { readonly package?: readonly Package[] }[] };
}

const events: ByHand = (given) => {
  const found: unknown[] = [];
  for (const shipment of (bodyOf(given) as Tracked).trackResponse?.shipment ?? []) {
    for (const one of shipment.package ?? []) {
      const receivedBy = one.deliveryInformation?.receivedBy;
      for (const { status, location, date, time, gmtOffset } of one.activity ?? []) {
        const { city, stateProvince, countryCode } = location?.address ?? {};
        found.push(
          compact({
            value: given.item.trackingNumber,
            carrierStatusCode: status.statusCode?.padStart(3, '0'),
            carrierStatusDescription: status.description,
            carrierSubStatusCode: `${status.type ?? ''}-${status.code ?? ''}`,
            statusReceivedAt: `${date}${time}${gmtOffset ?? ''}`,
            locationCode: location?.slic,
            locationName: present([city, stateProvince, countryCode]).join(', '),
            extraInfo: status.type === 'D' && receivedBy !== undefined ? { receivedBy } : undefined,
          }),
        );
      }
    }
  }
  return found.length === 0 ? undefined : found.length === 1 ? found[0] : found;
};

export const ups: Hands = { request: create, response: created, status: events };
