// The rules of a FedEx shipment request that the simulated carrier enforces, all of them told at once.
import { at, isObject, listAt, textAt } from './reply.ts';

export interface Breach {
  readonly code: string;
  readonly message: string;
}

const domestic = new Set([
  'FEDEX_GROUND',
  'GROUND_HOME_DELIVERY',
  'FEDEX_EXPRESS_SAVER',
  'FEDEX_2_DAY',
  'STANDARD_OVERNIGHT',
  'PRIORITY_OVERNIGHT',
]);
const international = new Set(['INTERNATIONAL_ECONOMY', 'FEDEX_INTERNATIONAL_PRIORITY', 'FEDEX_GROUND']);
const pickups = ['CONTACT_FEDEX_TO_SCHEDULE', 'DROPOFF_AT_FEDEX_LOCATION', 'USE_SCHEDULED_PICKUP'];
const stocks: Readonly<Record<string, RegExp>> = { PDF: /^PAPER_/, PNG: /^PAPER_/, ZPLII: /^STOCK_/, EPL2: /^STOCK_/ };
const northAmerica = new Set(['US', 'CA', 'PR']);
const dayMs = 86_400_000;

/** Everything that is wrong with a shipment request; nothing when FedEx would take it. */
export function findBreaches(body: unknown, account: string, now: Date): readonly Breach[] {
  const breaches: Breach[] = [];
  const refuse = (code: string, message: string): void => {
    breaches.push({ code, message });
  };
  const asked = at(body, 'requestedShipment');
  if (textAt(body, 'accountNumber', 'value') !== account)
    refuse('ACCOUNT.NUMBER.MISMATCH', 'Account number is missing or not registered for this project.');
  if (!['LABEL', 'URL_ONLY'].includes(textAt(body, 'labelResponseOptions')))
    refuse('LABELRESPONSEOPTIONS.INVALID', 'Label response options must be LABEL or URL_ONLY.');
  if (!isObject(asked)) {
    refuse('REQUESTEDSHIPMENT.REQUIRED', 'Requested shipment is required.');
    return breaches;
  }
  checkParty('SHIPPER', asked['shipper'], refuse);
  const recipients = listAt(asked, 'recipients');
  if (recipients.length !== 1) refuse('RECIPIENTS.REQUIRED', 'Exactly one recipient is required.');
  for (const recipient of recipients) checkParty('RECIPIENT', recipient, refuse);
  const countries = [asked['shipper'], recipients[0]].map((party) => textAt(party, 'address', 'countryCode'));
  const isDomestic = countries[0] === countries[1];
  const service = textAt(asked, 'serviceType');
  if (!(isDomestic ? domestic : international).has(service))
    refuse('SERVICETYPE.NOT.ALLOWED', 'This service type is not allowed for the given origin and destination.');
  const day = Date.parse(textAt(asked, 'shipDatestamp'));
  const aheadMs = day - Date.parse(now.toISOString().slice(0, 10));
  if (!/^\d{4}-\d\d-\d\d$/.test(textAt(asked, 'shipDatestamp')) || aheadMs < -dayMs || aheadMs > 10 * dayMs)
    refuse('SHIPDATESTAMP.INVALID', 'Ship date is invalid: neither past nor more than ten days ahead.');
  if (!pickups.includes(textAt(asked, 'pickupType'))) refuse('PICKUPTYPE.INVALID', 'Pickup type is invalid.');
  if (textAt(asked, 'packagingType') === '') refuse('PACKAGINGTYPE.REQUIRED', 'Packaging type is required.');
  if (textAt(asked, 'shippingChargesPayment', 'paymentType') === '')
    refuse('PAYMENTTYPE.REQUIRED', 'Payment type is required.');
  const image = textAt(asked, 'labelSpecification', 'imageType');
  if (!stocks[image]?.test(textAt(asked, 'labelSpecification', 'labelStockType')))
    refuse('LABELSPECIFICATION.INVALID', 'Image type and label stock type do not go together.');
  checkPackages(listAt(asked, 'requestedPackageLineItems'), refuse);
  if (!isDomestic) checkCustoms(asked['customsClearanceDetail'], refuse);
  return breaches;
}

type Refuse = (code: string, message: string) => void;

function checkParty(who: string, party: unknown, refuse: Refuse): void {
  const address = at(party, 'address');
  const lines = listAt(address, 'streetLines').map(String);
  if (lines.length === 0 || lines.length > 3 || lines.some((line) => line === '' || line.length > 35))
    refuse(`${who}.STREETLINES.INVALID`, 'Street lines: one to three of at most 35 characters.');
  const city = textAt(address, 'city');
  if (city === '' || city.length > 35) refuse(`${who}.CITY.INVALID`, 'City is missing or longer than 35 characters.');
  const country = textAt(address, 'countryCode');
  if (!/^[A-Z]{2}$/.test(country)) refuse(`${who}.COUNTRYCODE.INVALID`, 'Country code is invalid.');
  if (northAmerica.has(country) && !/^[A-Z]{2}$/.test(textAt(address, 'stateOrProvinceCode')))
    refuse(`${who}.STATEORPROVINCECODE.INVALID`, 'State or province code is missing or invalid.');
  const postalCode = textAt(address, 'postalCode');
  if (country === 'US' ? !/^\d{5}(-?\d{4})?$/.test(postalCode) : postalCode.length > 10)
    refuse(`${who}.POSTALCODE.INVALID`, 'Postal code is missing or has an invalid format.');
  const phone = textAt(party, 'contact', 'phoneNumber');
  if (phone.length < 10 || phone.length > 15)
    refuse(`${who}.PHONENUMBER.INVALID`, 'Phone number needs 10 to 15 characters.');
  const [company, person] = [textAt(party, 'contact', 'companyName'), textAt(party, 'contact', 'personName')];
  if (company === '' && person === '') refuse(`${who}.CONTACT.REQUIRED`, 'Company name or person name is required.');
  if (company.length > 35 || person.length > 70) refuse(`${who}.CONTACT.TOOLONG`, 'Contact name is too long.');
}

function checkPackages(packages: readonly unknown[], refuse: Refuse): void {
  if (packages.length === 0) refuse('REQUESTEDPACKAGELINEITEMS.REQUIRED', 'At least one package is required.');
  if (packages.length > 25) refuse('PACKAGECOUNT.EXCEEDED', 'More packages than the service allows.');
  const units = new Set(packages.map((entry) => textAt(entry, 'weight', 'units')));
  if (units.size > 1 || [...units].some((unit) => unit !== 'KG' && unit !== 'LB'))
    refuse('WEIGHT.UNITS.INVALID', 'Weight units must be KG or LB, and the same for all packages.');
  for (const entry of packages) {
    const weight = at(entry, 'weight', 'value');
    if (typeof weight !== 'number' || weight <= 0 || weight > 150)
      refuse('PACKAGE.WEIGHT.INVALID', 'Package weight is missing or exceeds the maximum.');
    const sides = at(entry, 'dimensions');
    if (sides === undefined) continue;
    const isGood = ['length', 'width', 'height'].every((side) => {
      const value = at(sides, side);
      return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 999;
    });
    if (!isGood || !['CM', 'IN'].includes(textAt(sides, 'units')))
      refuse('PACKAGE.DIMENSIONS.INVALID', 'Dimensions must be whole numbers from 1 to 999, in CM or IN.');
  }
}

function checkCustoms(customs: unknown, refuse: Refuse): void {
  const commodities = listAt(customs, 'commodities');
  if (commodities.length === 0) refuse('COMMODITIES.REQUIRED', 'Commodities are required for international shipments.');
  for (const [index, commodity] of commodities.entries()) {
    const wrong = (what: string): void =>
      refuse(`COMMODITY.${what}.INVALID`, `Commodity ${index + 1}: ${what.toLowerCase()} is missing or invalid.`);
    if (textAt(commodity, 'description') === '') wrong('DESCRIPTION');
    if (!/^[A-Z]{2}$/.test(textAt(commodity, 'countryOfManufacture'))) wrong('COUNTRYOFMANUFACTURE');
    if (typeof at(commodity, 'quantity') !== 'number') wrong('QUANTITY');
    if (textAt(commodity, 'quantityUnits') === '') wrong('QUANTITYUNITS');
    if (typeof at(commodity, 'unitPrice', 'amount') !== 'number') wrong('UNITPRICE');
    if (typeof at(commodity, 'customsValue', 'amount') !== 'number') wrong('CUSTOMSVALUE');
    if (!(Number(at(commodity, 'weight', 'value')) > 0)) wrong('WEIGHT');
  }
  if (textAt(customs, 'dutiesPayment', 'paymentType') === '')
    refuse('DUTIESPAYMENT.REQUIRED', 'Duties payment type is required.');
}
