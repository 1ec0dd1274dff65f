/** Where the fields of a consignment come from: told in the documentation, by findings, and to profiles that need one. */
import { valueAt } from '../value.ts';
import { INFORMATION } from './additional.ts';
import { Consignment } from './consignment.ts';

export interface FieldSchema {
  readonly type?: unknown;
  readonly 'x-level'?: string;
  readonly 'x-from'?: string;
  readonly 'x-made-of'?: string;
  readonly 'x-values'?: Readonly<Record<string, string>>;
  readonly items?: { readonly properties?: object };
}

interface Way {
  /** In the shipper's form; in brackets what is not of the order. */
  readonly from: string;
  readonly to: string;
  /** Every consignment has it. */
  readonly isMandatory?: boolean;
}

const waysOf = (properties: object, scope = { from: '', to: '' }): Way[] =>
  Object.entries(properties as Record<string, FieldSchema>).flatMap(([name, field]) => {
    const { items, 'x-from': from, 'x-made-of': made } = field;
    const to = `${scope.to}${name}`;
    if (items?.properties !== undefined && made !== undefined)
      return waysOf(items.properties, { from: `${made}[].`, to: `${to}[].` });
    const source = from === undefined ? made : `${scope.from}${from}`;
    return source === undefined ? [] : [{ from: source, to, isMandatory: field['x-level'] === 'M' }];
  });

/** Every field that has a source, and its place in the shipper's form. */
export const TRANSLATION: readonly Way[] = [
  ...waysOf(Consignment.properties),
  { from: 'consignmentDetails.specialInstructions', to: 'info.specialInstructions' },
  ...INFORMATION,
];

/**
 * The fields that a consignment may lack, by their names in mappings (`info.incoterm`, `itemList.itemLength`), and the
 * place of each in the shipper's form.
 */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['skuList', 'consignmentDetails.skuDetails'],
  ...TRANSLATION.filter(({ from, isMandatory }) => !from.startsWith('(') && isMandatory !== true).map(
    ({ from, to }) => [to.replace('[]', ''), from] as const,
  ),
  // That of what is collected is there wherever something is.
  ['currencyCode', 'consignmentDetails.additionalInformation.currency'],
]);
export const REQUIRABLE: readonly string[] = [...PLACES.keys()];

/** Where a field of `REQUIRABLE` is in the shipper's form, `[]` for each entry of a list. */
export const placeOf = (name: string): string => PLACES.get(name) ?? name;

/** Lists of `info`, and what they have an entry for. */
export const BESIDE: Readonly<Record<string, string>> = { 'info.packages': 'itemList', 'info.skus': 'skuList' };

/** Where in the order a field of `REQUIRABLE` is missing, by paths of the shipper's form: of a list, each entry that lacks it. */
export const missingAt = (consignment: unknown, name: string): readonly string[] => {
  const place = placeOf(name);
  const keys = name.split('.');
  if (!place.includes('[]')) return isThere(valueAt(consignment, ...keys)) ? [] : [place];
  const [within, key = ''] = [keys.slice(0, -1), keys.at(-1)];
  const entries = valueAt(consignment, BESIDE[within.join('.')] ?? within.join('.'));
  return (Array.isArray(entries) ? entries : []).flatMap((_, at) =>
    isThere(valueAt(consignment, ...within, String(at), key)) ? [] : [place.replace('[]', `[${at}]`)],
  );
};

const isThere = (value: unknown): boolean =>
  typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
