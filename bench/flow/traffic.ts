/** What a shipper sends, what its carriers are sent, and what they push: everybody in it is invented. */

/** Each gets a tracking number, of which the shipper is told. */
export const PACKAGES = 3;
const SKUS = 6;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export const referenceOf = (number: number): string => `FLOW-${number}`;

/** A create request of about 4 KB. */
export const orderOf = (carrier: string, number: number): object => {
  const referenceNumber = referenceOf(number);
  const day = inDays(2);
  return {
    consignmentDetails: {
      referenceNumber,
      orderNumber: `O-${referenceNumber}`,
      consignmentNumber: `C-${referenceNumber}`,
      consignmentType: 'FORWARD',
      serviceType: 'Express',
      shipByDate: day,
      totalWeight: 12.3,
      totalWeightUom: 'KG',
      totalQuantity: PACKAGES,
      totalVolume: 0.84,
      totalVolumeUom: 'CBM',
      specialInstructions: 'Example: second floor, no lift',
      deliveryInstructions: 'Example: ring twice, then call',
      packageDetails: Array.from({ length: PACKAGES }, (_, at) => ({
        id: `PKG-${at}`,
        type: 'Carton',
        length: 10,
        width: 20,
        height: 30,
        dimensionUom: 'CM',
        weight: 4.1,
        weightUom: 'KG',
        quantity: SKUS / PACKAGES,
        description: `Example appliance, part ${at}`,
        value: 39.96,
        volume: 0.28,
        volumeUom: 'CBM',
        tags: ['Fragile'],
        instructions: 'This side up',
      })),
      skuDetails: Array.from({ length: SKUS }, (_, at) => ({
        code: `SKU-${at}`,
        name: `Example thing ${at}`,
        quantity: 1,
        unitPrice: 19.98,
        value: 19.98,
        packageIds: [`PKG-${at % PACKAGES}`],
        lineItemNo: String(at),
        category: 'HOME',
        hsnName: '8471',
        originCountry: 'DE',
        weight: 0.6,
        weightUom: 'KG',
        description: 'Example product with a description as long as they are',
      })),
      vas: [
        { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['0'], serviceTime: 20, remark: 'Example: to the wall' },
      ],
    },
    carrier: { code: carrier },
    shipFrom: {
      contact: {
        name: 'Example Goods',
        contactNumber: '+49405550100',
        email: 'dock@example.com',
        companyName: 'Example Goods',
      },
      address: {
        line1: 'Example Street 1',
        line2: 'Gate 4',
        city: 'Hamburg',
        state: 'HH',
        pincode: '20095',
        country: 'DE',
        latitude: 53.55,
        longitude: 9.99,
        type: 'FACILITY',
      },
      timezone: 'Europe/Berlin',
      pickupStartDateTime: `${day} 08:00:00`,
      pickupEndDateTime: `${day} 12:00:00`,
    },
    shipTo: {
      contact: { name: 'Erika Example', contactNumber: '+420601555012', email: 'erika@example.net' },
      address: {
        line1: 'Sample Road 22',
        line2: 'Second floor',
        city: 'Praha',
        county: 'Praha 1',
        state: 'PR',
        pincode: '11000',
        country: 'CZ',
        latitude: 50.09,
        longitude: 14.42,
        type: 'Residential',
      },
      timezone: 'Europe/Prague',
      deliveryStartDateTime: `${inDays(3)} 09:00:00`,
      deliveryEndDateTime: `${inDays(3)} 17:00:00`,
    },
    returnTo: {
      contact: { name: 'Example Returns', contactNumber: '+49405550101' },
      address: { line1: 'Example Street 3', city: 'Hamburg', pincode: '20095', country: 'DE' },
    },
  };
};

/** A status of the first package, as a carrier pushes it. */
export const statusOf = (carrier: string, number: number): object => {
  const reference = referenceOf(number);
  const at = `${inDays(3)} 10:00:00`;
  return {
    orderNo: `O-${reference}`,
    type: 'Tracking',
    value: `T-${reference}-PKG-0`,
    consignmentNumber: `C-${reference}`,
    carrierCode: carrier,
    carrierStatus: 'On its way',
    carrierStatusCode: 'IN_TRANSIT',
    carrierStatusDescription: 'Example: left the hub',
    statusReceivedAt: at,
    eventTimezone: 'Europe/Prague',
    locationCode: 'PRG',
    locationName: 'Example hub',
    latitude: '50.1',
    longitude: '14.4',
    lastUpdatedAt: at,
  };
};

/** What `MAPPING` makes of an order, as far as the carrier looks at it. */
export interface ShipRequest {
  readonly customerReferences: readonly { readonly value: string }[];
  readonly content: { readonly packages: readonly { readonly reference: string }[] };
}

/** Some sixty fields, as the carriers' own APIs want them. */
const MAPPING = `(
  $party := function($c, $end) {{
    "postalAddress": {
      "postalCode": $lookup($c, $end & "PostalCode"),
      "cityName": $lookup($c, $end & "City"),
      "countryCode": $lookup($c, $end & "Country"),
      "addressLine1": $substring($lookup($c, $end & "AddressLine1"), 0, 45),
      "addressLine2": $lookup($c, $end & "AddressLine2")
    },
    "contactInformation": {
      "email": $lookup($c, $end & "Email"),
      "phone": $lookup($c, $end & "ContactNumber"),
      "companyName": $lookup($c, $end & "CompanyName"),
      "fullName": $lookup($c, $end & "Name")
    }
  }};
  {
    "plannedShippingDateAndTime": $replace(consignment.shippingDateTime, " ", "T"),
    "productCode": service.code,
    "accounts": [{ "typeCode": "shipper", "number": "000000000" }],
    "customerReferences": [{ "value": consignment.referenceId, "typeCode": "CU" }],
    "customerDetails": {
      "shipperDetails": $party(consignment, "origin"),
      "receiverDetails": $party(consignment, "destination")
    },
    "content": {
      "packages": [consignment.itemList.{
        "reference": itemReferenceNumber,
        "weight": itemWeight,
        "dimensions": { "length": itemLength, "width": itemWidth, "height": itemHeight }
      }],
      "isCustomsDeclarable": consignment.originCountry != consignment.destinationCountry,
      "exportDeclaration": {
        "lineItems": [consignment.skuList.{
          "description": skuItemName,
          "price": $number(skuItemUnitPrice),
          "quantity": { "value": skuQuantity, "unitOfMeasurement": "PCS" },
          "commodityCodes": [{ "typeCode": "outbound", "value": skuHsnCode }],
          "manufacturerCountry": skuOriginCountry
        }]
      },
      "declaredValue": $sum(consignment.skuList.($number(skuItemUnitPrice) * skuQuantity)),
      "unitOfMeasurement": "metric"
    }
  }
)`;

const indented = (text: string, spaces: number): string => text.replaceAll(/^/gm, ' '.repeat(spaces));

/** The profile of a carrier that listens on this port. */
export const profileOf = (carrier: string, port: number): string => `carrier: ${carrier}
name: Flow ${carrier}
environments:
  production: { url: 'http://127.0.0.1:${port}/${carrier}' }
credentials:
  token: { secret: true, example: t }
auth: { bearer: { token: '\${credentials.token}' } }
capabilities: { orders: [FORWARD], cod: true, vas: [INSTALLATION] }
services: { Express: { typeOfService: EXPRESS, code: P } }
operations:
  create:
    post: /ship
    body:
      json: |
${indented(MAPPING, 8)}
    result: |
      { "itemsTrackDetails": response.body.packages.{
          "itemReferenceNumber": item, "trackingNumber": trackingNumber } }
statuses:
  table:
    IN_TRANSIT: In Transit
`;
