// The rules of a UPS shipment request that the simulated carrier enforces, with UPS's own numbers.
import { at, listAt, textAt } from './reply.ts';

export interface Breach {
  readonly code: string;
  readonly message: string;
}

const services = new Set(['01', '02', '03', '07', '08', '11', '12', '13', '14', '54', '59', '65']);
const domesticOnly = new Set(['01', '02', '03', '12', '13', '14', '59']);
const northAmerica = new Set(['US', 'PR', 'CA']);
const packagings = new Set(['01', '02', '03', '04', '21', '24', '25', '30', '2a', '2b', '2c']);
const labelFormats = new Set(['GIF', 'ZPL', 'EPL', 'SPL']);

/** The first rule that a shipment breaks; UPS tells one at a time. */
export function findBreach(body: unknown, account: string): Breach | null {
  const shipment = at(body, 'ShipmentRequest', 'Shipment');
  const option = textAt(body, 'ShipmentRequest', 'Request', 'RequestOption');
  if (!['validate', 'nonvalidate'].includes(option)) return { code: '120051', message: 'Invalid RequestOption' };
  if (textAt(shipment, 'Shipper', 'ShipperNumber') !== account)
    return { code: '120100', message: 'Missing or invalid shipper number' };
  const isDomestic = countryOf(shipment, 'ShipFrom') === countryOf(shipment, 'ShipTo');
  const service = textAt(shipment, 'Service', 'Code');
  if (!services.has(service)) return { code: '120500', message: 'Missing/Invalid Service/Code' };
  if (domesticOnly.has(service) && !isDomestic)
    return { code: '120124', message: 'The requested service is unavailable between the selected locations' };
  const party =
    partyBreach(shipment, 'Shipper', 1201) ??
    partyBreach(shipment, 'ShipTo', 1202) ??
    (at(shipment, 'ShipFrom') === undefined ? null : partyBreach(shipment, 'ShipFrom', 1203));
  if (party) return party;
  if (countryOf(shipment, 'Shipper') !== countryOf(shipment, 'ShipFrom') && !isReturn(shipment))
    return { code: '120317', message: 'The ShipFrom country must be the same as the Shipper country' };
  const [charge] = listAt(shipment, 'PaymentInformation', 'ShipmentCharge');
  if (textAt(charge, 'Type') !== '01' || textAt(charge, 'BillShipper', 'AccountNumber') === '')
    return { code: '120410', message: 'One payment method is required.' };
  if (!isDomestic && textAt(shipment, 'Description') === '')
    return { code: '120512', message: 'Shipment Description is required for this shipment.' };
  if (textAt(shipment, 'Description').length > 50)
    return { code: '120503', message: 'Shipment Description cannot exceed the length of 50 characters' };
  const format = textAt(body, 'ShipmentRequest', 'LabelSpecification', 'LabelImageFormat', 'Code');
  if (!labelFormats.has(format)) return { code: '121050', message: 'Missing/Invalid LabelImageFormat/Code' };
  return referenceBreach(shipment) ?? packagesBreach(shipment) ?? formBreach(shipment);
}

const isReturn = (shipment: unknown): boolean => at(shipment, 'ReturnService') !== undefined;

export function countryOf(shipment: unknown, who: string): string {
  const own = textAt(shipment, who, 'Address', 'CountryCode');
  return own === '' && who === 'ShipFrom' ? countryOf(shipment, 'Shipper') : own;
}

const fits = (text: string, max: number): boolean => text !== '' && text.length <= max;

function partyBreach(shipment: unknown, who: string, group: number): Breach | null {
  const party = at(shipment, who);
  const wrong = (number: number, what: string): Breach => ({
    code: `${group}${String(number).padStart(2, '0')}`,
    message: `Missing/Invalid ${who} ${what}`,
  });
  // Shippers are numbered from 01, the others from 00.
  const first = group === 1201 ? 1 : 0;
  if (!fits(textAt(party, 'Name'), 35)) return wrong(first, group === 1201 ? 'name' : 'CompanyName');
  const address = at(party, 'Address');
  const lines = listAt(address, 'AddressLine').map(String);
  if (lines.length > 3 || !fits(lines[0] ?? '', 35)) return wrong(2, 'AddressLine1');
  const long = lines.findIndex((line) => line.length > 35);
  if (long > 0) return wrong(2 + long, `AddressLine${long + 1}`);
  if (!fits(textAt(address, 'City'), 30)) return wrong(5, 'City');
  const country = textAt(address, 'CountryCode');
  if (!/^[A-Z]{2}$/.test(country)) return wrong(8, 'CountryCode');
  const state = textAt(address, 'StateProvinceCode');
  if (northAmerica.has(country) ? !/^[A-Z]{2}$/.test(state) : state.length > 5) return wrong(6, 'StateProvinceCode');
  const postalCode = textAt(address, 'PostalCode');
  if (country === 'US' ? !/^\d{5}(\d{4})?$/.test(postalCode) : postalCode.length > 9) return wrong(7, 'PostalCode');
  const phone = textAt(party, 'Phone', 'Number');
  const isInternational = countryOf(shipment, 'ShipFrom') !== countryOf(shipment, 'ShipTo');
  if (phone === '' ? isInternational : !/^[0-9]{1,15}$/.test(phone)) return wrong(9, 'PhoneNumber');
  if (phone !== '' && northAmerica.has(country) && phone.length < 10) return wrong(9, 'PhoneNumber');
  if (isInternational && textAt(party, 'AttentionName') === '') return wrong(group === 1201 ? 10 : 1, 'AttentionName');
  if (textAt(party, 'AttentionName').length > 35) return wrong(group === 1201 ? 10 : 1, 'AttentionName');
  return null;
}

/** References stand at the packages inside the US, at the shipment everywhere else; two at most. */
function referenceBreach(shipment: unknown): Breach | null {
  const isUs = countryOf(shipment, 'ShipFrom') === 'US' && countryOf(shipment, 'ShipTo') === 'US';
  const own = listAt(shipment, 'ReferenceNumber');
  const ofPackages = listAt(shipment, 'Package').map((entry) => listAt(entry, 'ReferenceNumber'));
  if (isUs && own.length > 0)
    return { code: '120541', message: 'Shipment/ReferenceNumber is not allowed for this shipment' };
  if (!isUs && ofPackages.some((list) => list.length > 0))
    return { code: '120542', message: 'Package/ReferenceNumber is not allowed for this shipment' };
  if (own.length > 2)
    return { code: '120543', message: 'No more than 2 Shipment/ReferenceNumber can be given per shipment' };
  if (ofPackages.some((list) => list.length > 2))
    return { code: '120544', message: 'No more than 2 Package/ReferenceNumber can be given per package' };
  const values = [own, ...ofPackages].flat().map((entry) => textAt(entry, 'Value'));
  return values.every((value) => value !== '' && value.length <= 35)
    ? null
    : { code: isUs ? '120603' : '120501', message: `Invalid ${isUs ? 'Package' : 'Shipment'}/ReferenceNumber/Value` };
}

/** UPS writes numbers as text; anything else counts as none. */
const number = (value: unknown): number =>
  typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;

function packagesBreach(shipment: unknown): Breach | null {
  const packages = listAt(shipment, 'Package');
  if (packages.length === 0) return { code: '120600', message: 'Missing Package/PackagingType/Code' };
  if (packages.length > 200) return { code: '120020', message: 'Max packages per shipment exceeded.' };
  const units = new Set(packages.map((entry) => textAt(entry, 'PackageWeight', 'UnitOfMeasurement', 'Code')));
  if (units.size > 1)
    return { code: '120529', message: 'A shipment can have only one type of UnitOfMeasurement for a Weight' };
  const wanted = countryOf(shipment, 'ShipFrom') === 'US' ? 'LBS' : 'KGS';
  const [unit = ''] = units;
  if (unit !== wanted && countryOf(shipment, 'ShipFrom') !== 'CA')
    return { code: '120546', message: `${unit} is not a valid unit of measurement for weight for this shipment` };
  for (const entry of packages) {
    if (!packagings.has(textAt(entry, 'Packaging', 'Code')))
      return { code: '120600', message: 'Missing Package/PackagingType/Code' };
    const weight = at(entry, 'PackageWeight', 'Weight');
    if (number(weight) <= 0 || String(weight).length > 5)
      return { code: '120601', message: 'Missing/Invalid Package weight' };
    if (number(weight) > (unit === 'LBS' ? 150 : 70))
      return { code: '120601', message: 'The maximum per package weight is 150.00 pounds or 70.00 kilograms' };
    if (isReturn(shipment) && textAt(entry, 'Description') === '')
      return { code: '120614', message: 'Package Description is required for a shipment with a return service' };
    const sides = at(entry, 'Dimensions');
    if (sides === undefined) continue;
    if (['Length', 'Width', 'Height'].some((side) => number(at(sides, side)) <= 0))
      return { code: '120609', message: 'All Package Dimensions are required and each must be greater than 0' };
    if (textAt(sides, 'UnitOfMeasurement', 'Code') !== (unit === 'LBS' ? 'IN' : 'CM'))
      return { code: '120548', message: 'A shipment cannot have a KGS/IN or LBS/CM as its unit of measurements' };
  }
  return null;
}

function formBreach(shipment: unknown): Breach | null {
  const form = at(shipment, 'ShipmentServiceOptions', 'InternationalForms');
  if (form === undefined) return null;
  if (!listAt(form, 'FormType').includes('01'))
    return { code: '128001', message: 'Invalid or missing international forms form type' };
  if (!/^\d{8}$/.test(textAt(form, 'InvoiceDate')))
    return { code: '128066', message: 'Invalid or missing invoice date. Valid format is yyyyMMdd' };
  if (textAt(form, 'ReasonForExport') === '')
    return { code: '128069', message: 'Invalid or missing reason for export. Valid length is 1 to 20 alphanumeric' };
  const products = listAt(form, 'Product');
  if (products.length === 0 || products.length > 50)
    return { code: '128039', message: 'Invalid number of products. Valid number of products are 1 to 50' };
  for (const [index, product] of products.entries()) {
    const wrong = (code: string, what: string): Breach => ({
      code,
      message: `Invalid or missing ${what} for product number ${index + 1}`,
    });
    if (textAt(product, 'Unit', 'Number') === '') return wrong('128043', 'product unit number');
    if (!(Number(textAt(product, 'Unit', 'Value')) > 0)) return wrong('128046', 'product unit value');
    if (!/^[A-Z]{2}$/.test(textAt(product, 'OriginCountryCode'))) return wrong('128049', 'product origin country code');
  }
  return null;
}

/** The check digit of a 1Z number: its 15 characters, letters as digits, every second one doubled. */
export function checkDigit(fifteen: string): string {
  const sum = fifteen
    .split('')
    .map((char) => (/\d/.test(char) ? Number(char) : (char.charCodeAt(0) - 63) % 10))
    .reduce((total, value, index) => total + (index % 2 === 0 ? value : value * 2), 0);
  return String((10 - (sum % 10)) % 10);
}
