// Requests that the simulated carriers accept, in each one's own form. All people and addresses are invented.

export const now = new Date('2026-05-01T08:00:00Z');

export function plainOrder(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    referenceId: 'REF-1',
    orderNumber: 'ORD-1',
    consignmentNumber: 'CON-1',
    typeOfOrder: 'FORWARD',
    typeOfService: 'EXPRESS',
    typeOfAction: 'CREATE',
    carrierCode: 'plain',
    originName: 'Example Goods GmbH',
    originContactNumber: '+49405550100',
    originAddressLine1: 'Example Street 1',
    originCity: 'Hamburg',
    originCountry: 'DE',
    originPostalCode: '20095',
    originTimezone: 'Europe/Berlin',
    destinationName: 'Max Sample',
    destinationContactNumber: '+12125550123',
    destinationAddressLine1: 'Example Street 22',
    destinationCity: 'New York',
    destinationCountry: 'US',
    destinationPostalCode: '10001',
    destinationTimezone: 'America/New_York',
    numberOfShipments: 1,
    totalQuantity: 1,
    totalWeight: 2.4,
    uomTotalWeight: 'KG',
    shippingDateTime: '2026-05-01 10:00:00',
    labelFormat: 'PDF',
    itemList: [{ itemReferenceNumber: 'PKG-1', itemQuantity: 1, itemWeight: 2.4, itemWeightUom: 'KG' }],
    ...change,
  };
}

export function plainItems(count: number): readonly Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    itemReferenceNumber: `PKG-${index + 1}`,
    itemQuantity: 1,
    itemWeight: 1.5,
    itemWeightUom: 'KG',
  }));
}

const dhlAddress = (company: string, phone: string): Record<string, unknown> => ({
  postalAddress: { postalCode: '20095', cityName: 'Hamburg', countryCode: 'DE', addressLine1: 'Example Street 1' },
  contactInformation: { companyName: company, fullName: 'Erika Example', phone },
});

export function dhlOrder(packages: number, change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    plannedShippingDateAndTime: '2026-05-01T12:00:00 GMT+02:00',
    pickup: { isRequested: false },
    productCode: 'N',
    accounts: [{ typeCode: 'shipper', number: '999000111' }],
    customerReferences: [{ value: 'REF-1', typeCode: 'CU' }],
    customerDetails: {
      shipperDetails: dhlAddress('Example Goods GmbH', '+49405550100'),
      receiverDetails: dhlAddress('Max Sample', '+49895550123'),
    },
    content: {
      packages: Array.from({ length: packages }, (_, index) => ({
        weight: 2.4,
        dimensions: { length: 30, width: 20, height: 10 },
        customerReferences: [{ value: `PKG-${index + 1}`, typeCode: 'CU' }],
      })),
      isCustomsDeclarable: false,
      description: 'Coffee grinder',
      incoterm: 'DAP',
      unitOfMeasurement: 'metric',
    },
    ...change,
  };
}

export function sekoOrder(packages: number, change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    DeliveryReference: 'REF-1',
    Destination: {
      Name: 'Sam Sample',
      Address: {
        StreetAddress: '22 Example Street',
        Suburb: 'Melbourne',
        City: 'VIC',
        PostCode: '3000',
        CountryCode: 'AU',
      },
    },
    Commodities: [
      { Description: 'Coffee grinder', Units: 1, UnitValue: 89.5, UnitKg: 2.4, Currency: 'AUD', Country: 'AU' },
    ],
    Packages: Array.from({ length: packages }, (_, index) => ({
      Length: 30,
      Width: 20,
      Height: 10,
      Kg: 2.4,
      Name: `PKG-${index + 1}`,
      Type: 'Box',
    })),
    Service: 'eCommerce Standard Tracked',
    Outputs: ['LABEL_PDF_100X150'],
    ...change,
  };
}

const upsParty = (name: string, state: string, postalCode: string): Record<string, unknown> => ({
  Name: name,
  Phone: { Number: '2125550100' },
  Address: {
    AddressLine: ['1 Example Street'],
    City: 'Example City',
    StateProvinceCode: state,
    PostalCode: postalCode,
    CountryCode: 'US',
  },
});

export function upsOrder(packages: number): Record<string, unknown> {
  return {
    ShipmentRequest: {
      Request: { RequestOption: 'nonvalidate', TransactionReference: { CustomerContext: 'REF-1' } },
      Shipment: {
        Description: 'Coffee grinder',
        Shipper: { ...upsParty('Example Goods Inc', 'NY', '10001'), ShipperNumber: 'A1B2C3' },
        ShipTo: upsParty('Sam Sample', 'CA', '90001'),
        PaymentInformation: { ShipmentCharge: [{ Type: '01', BillShipper: { AccountNumber: 'A1B2C3' } }] },
        Service: { Code: '03' },
        Package: Array.from({ length: packages }, (_, index) => ({
          Packaging: { Code: '02' },
          PackageWeight: { UnitOfMeasurement: { Code: 'LBS' }, Weight: '5.3' },
          ReferenceNumber: [{ Value: 'REF-1' }, { Value: `PKG-${index + 1}` }],
        })),
      },
      LabelSpecification: { LabelImageFormat: { Code: 'ZPL' }, LabelStockSize: { Height: '6', Width: '4' } },
    },
  };
}

const fedexParty = (name: string, state: string, postalCode: string): Record<string, unknown> => ({
  contact: { companyName: name, phoneNumber: '2125550100' },
  address: {
    streetLines: ['1 Example Street'],
    city: 'Example City',
    stateOrProvinceCode: state,
    postalCode,
    countryCode: 'US',
  },
});

export function fedexOrder(packages: number): Record<string, unknown> {
  return {
    labelResponseOptions: 'LABEL',
    accountNumber: { value: '700001234' },
    requestedShipment: {
      shipDatestamp: '2026-05-01',
      pickupType: 'USE_SCHEDULED_PICKUP',
      serviceType: 'FEDEX_2_DAY',
      packagingType: 'YOUR_PACKAGING',
      shipper: fedexParty('Example Goods Inc', 'NY', '10001'),
      recipients: [fedexParty('Sam Sample', 'CA', '90001')],
      shippingChargesPayment: { paymentType: 'SENDER' },
      labelSpecification: { imageType: 'PDF', labelStockType: 'PAPER_4X6' },
      requestedPackageLineItems: Array.from({ length: packages }, (_, index) => ({
        sequenceNumber: index + 1,
        weight: { units: 'LB', value: 5.3 },
        customerReferences: [{ customerReferenceType: 'CUSTOMER_REFERENCE', value: 'REF-1' }],
      })),
    },
  };
}

const eparcelParty = (name: string, state: string, postcode: string): Record<string, unknown> => ({
  name,
  lines: ['1 Example Street'],
  suburb: 'Example Town',
  state,
  postcode,
  country: 'AU',
});

export function eparcelOrder(packages: number): Record<string, unknown> {
  return {
    shipments: [
      {
        shipment_reference: 'REF-1',
        movement_type: 'DESPATCH',
        from: eparcelParty('Erin Example', 'NSW', '2000'),
        to: eparcelParty('Sam Sample', 'VIC', '3000'),
        items: Array.from({ length: packages }, (_, index) => ({
          item_reference: `PKG-${index + 1}`,
          product_id: '3D55',
          weight: 2.4,
          length: 30,
          width: 20,
          height: 10,
        })),
      },
    ],
  };
}
