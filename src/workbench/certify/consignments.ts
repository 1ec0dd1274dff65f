/** What an endpoint is sent: every field of the contract, or the mandatory ones alone. Everybody in it is invented. */
import { Consignment } from '../../engine/consignment/consignment.ts';
import { isMap } from '../../engine/value.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** As much of a schema as a sample needs. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly required?: readonly string[];
}

/** Texts by the end of a field's name, the first that fits; any other is `Example <name>`. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/Latitude$/, '52.5200'],
  [/Longitude$/, '13.4050'],
  [/contactNumber2?$/i, '+49305550100'],
  [/email$|^contact$/i, 'erika@example.com'],
  [/city$/i, 'Berlin'],
  [/postalCode$/i, '10115'],
  [/stateProvince$/i, 'BE'],
  [/itemReferenceNumber$|targetIds$/, 'PKG-1'],
  [/vasCode$/, 'SIGNATURE_REQUIRED'],
  [/currencyCode$/, 'EUR'],
  [/volumeUom$/i, 'CBM'],
  [/unitPrice$/i, '19.90'],
  [/url$/i, 'https://example.com/grinder.png'],
];

const sampleOf = (shape: Shape, name: string, day: string): unknown => {
  if (shape.properties !== undefined) {
    const entries = Object.entries(shape.properties);
    return Object.fromEntries(entries.map(([field, inner]) => [field, sampleOf(inner, field, day)]));
  }
  if (shape.items !== undefined) return [sampleOf(shape.items, name, day)];
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.examples !== undefined) return shape.examples[0];
  if (shape.format === 'local-date-time') return `${day} ${name.endsWith('EndTime') ? '17' : '09'}:00:00`;
  if (shape.format === 'time-zone') return 'Europe/Berlin';
  if (shape.format === 'country') return 'DE';
  if (shape.format === 'date') return day;
  if (shape.type === 'boolean') return false;
  if (shape.type !== 'string') return /weight$/i.test(name) ? 2.5 : 1;
  return TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? `Example ${name}`;
};

const mandatoryOf = (shape: Shape, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((entry: unknown) => mandatoryOf(shape.items ?? {}, entry));
  if (!isMap(value) || shape.properties === undefined) return value;
  const { properties, required = [] } = shape;
  return Object.fromEntries(required.map((field) => [field, mandatoryOf(properties[field] ?? {}, value[field])]));
};

const SHAPE: Shape = Consignment as object;

/** At the top and of a package. */
export const MANDATORY = {
  fields: SHAPE.required ?? [],
  ofPackage: SHAPE.properties?.['itemList']?.items?.required ?? [],
};

/** One package, ready on the day after tomorrow; `number` is pre-assigned to it where every field is given. */
export const sampleConsignments = (nowMs: number, number: string) => {
  const day = new Date(nowMs + 2 * 86_400_000).toISOString().slice(0, 10);
  const all = sampleOf(SHAPE, '', day) as Fields;
  const info = { ...(all['info'] as Fields), billOfLading: 'BOL-1001' };
  const sample = { ...all, typeOfService: 'STANDARD', paymentMode: 'COD', info };
  const complete = ofItems(sample, (item) => ({ ...item, itemTrackingNumber: number }));
  return { complete, mandatory: mandatoryOf(SHAPE, complete) as Fields };
};

export const itemsOf = ({ itemList }: Fields): readonly Fields[] => (itemList ?? []) as readonly Fields[];

export const ofItems = (consignment: Fields, change: (item: Fields) => Fields): Fields => ({
  ...consignment,
  itemList: itemsOf(consignment).map(change),
});

export const withoutFields = (fields: Fields, isLeftOut: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name)));
