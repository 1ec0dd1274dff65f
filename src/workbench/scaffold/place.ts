/** Makes a consignment of what a sample sends: each value where its name says, so that the case tells the sample's story. */
import { isUnit, rank, type Ranked, type Site, unitTo } from './sites.ts';
import { canonical, ourUnit, yieldOf } from './values.ts';
import type { Inside, Meaning } from './vocabulary.ts';

export type Fields = Record<string, unknown>;

const HOLDS = { head: 'consignment', package: 'itemList', sku: 'skuList' } as const satisfies Record<Inside, string>;
const insideOf = ({ field }: Meaning): Inside =>
  field.startsWith('item') ? 'package' : field.startsWith('sku') ? 'sku' : 'head';

/** `base`: what the sample does not say. */
export const placeValues = (sites: readonly Site[], base: Readonly<Fields>) => {
  const counts = (kind: Inside): number =>
    Math.max(0, ...sites.filter(({ inside }) => inside === kind).map(({ index }) => index + 1));
  const sides = sites
    .filter(({ inside }) => inside === 'head')
    .flatMap(({ own }) => own.filter((one) => SIDE.test(one)));
  const isPerPackage = counts('package') === 0 && new Set(sides).size >= 3;
  const repeated = (of: Fields, count: number, id: string): Fields[] =>
    Array.from({ length: count }, (_, at) => (at === 0 ? { ...of } : { ...of, [id]: `${String(of[id])}-${at + 1}` }));
  const [item = {}] = base['itemList'] as readonly Fields[];
  const itemList = repeated(item, Math.max(1, counts('package')), 'itemReferenceNumber');
  const { itemReferenceNumber } = item;
  const goods = { skuNumber: 'SKU-1', skuCode: 'SKU-1', skuItemName: 'Goods', skuQuantity: 1, itemReferenceNumber };
  const skuList = repeated(goods, counts('sku'), 'skuNumber');
  const consignment: Fields = { ...base, itemList, ...(skuList.length === 0 ? {} : { skuList }) };
  let serviceCode: string | undefined;

  const lists = { consignment: [consignment], itemList, skuList };
  /** The part of the consignment that a field of that meaning is in. */
  const partOf = (meaning: Meaning, { inside, index }: Site): Fields => {
    const own = insideOf(meaning);
    return lists[HOLDS[own]][own === inside ? index : 0] ?? consignment;
  };
  const placed = new Map<Fields, Set<string>>();
  const put = (part: Fields, field: string, value: unknown): void => {
    part[field] = value;
    placed.set(part, (placed.get(part) ?? new Set()).add(field));
  };
  const isPlaced = (part: Fields, field: string): boolean => placed.get(part)?.has(field) === true;

  const place = (site: Site, { meaning }: Ranked): boolean => {
    const part = partOf(meaning, site);
    const country = meaning.end && (consignment[`${meaning.end}Country`] as string | undefined);
    const { unit } = unitTo(site, meaning);
    const value = canonical(meaning, { text: String(site.shape.example), country, unit }, site.own);
    if (value === undefined) return false;
    if (meaning.type === 'service') return (serviceCode ??= String(value)) === value;
    if (isPlaced(part, meaning.field)) return part[meaning.field] === value;
    put(part, meaning.field, value);
    if (meaning.unit === undefined) return true;
    // What is measured together has one unit.
    const [ours, held] = [ourUnit(unit), part[meaning.unit]];
    if (!isPlaced(part, meaning.unit)) put(part, meaning.unit, ours);
    else if (held !== ours) put(part, meaning.field, yieldOf(`$convert(${value}, "${ours}", "${String(held)}")`, {}));
    return true;
  };

  const ranks = new Map(sites.map((site) => [site, rank(site, isPerPackage)]));
  for (const [site, ranked] of [...ranks].sort(([, one], [, other]) => order(other) - order(one))) {
    const isValue = /^(?:string|number)$/.test(typeof site.shape.example);
    if (isValue && !isUnit(site)) ranked.some((one) => place(site, one));
  }
  for (const list of [itemList, skuList]) sparse(list, placed);
  complete(consignment, itemList, isPlaced);
  return { consignment, itemList, skuList, serviceCode, isPerPackage, ranks, placed, partOf, isPlaced };
};
export type Placed = ReturnType<typeof placeValues>;

/** Countries first: telephone numbers and states are read by them. Then what its name says best. */
const order = ([first]: readonly Ranked[]): number => (first?.meaning.type === 'country' ? 100 : (first?.points ?? 0));

/** What a sample says of one element and not of another, that one lacks. */
const sparse = (list: readonly Fields[], placed: Placed['placed']): void => {
  const said = new Set(list.flatMap((one) => [...(placed.get(one) ?? [])]));
  for (const one of list)
    for (const field of said) if (placed.get(one)?.has(field) !== true && OPTIONAL.test(field)) delete one[field];
};
const OPTIONAL =
  /^item(?:Length|Width|Height|DimensionUom|Name|Value|Code)$|^sku(?:ItemDescription|Weight|WeightUom|ItemUnitPrice|HsnCode|OriginCountry)$/;

const SIDE = /^(?:length|depth|width|height)$/;

/** What follows from what was placed; and nobody has a part of somebody else's name. */
const complete = (consignment: Fields, items: readonly Fields[], isPlaced: Placed['isPlaced']): void => {
  const [first = {}] = items;
  const { totalWeight, uomTotalWeight } = consignment;
  if (!isPlaced(consignment, 'totalWeight')) {
    const sum = items.reduce((total, { itemWeight }) => total + Number(itemWeight), 0);
    Object.assign(consignment, { totalWeight: Number(sum.toPrecision(12)), uomTotalWeight: first['itemWeightUom'] });
  } else if (items.length === 1 && !isPlaced(first, 'itemWeight'))
    Object.assign(first, { itemWeight: totalWeight, itemWeightUom: uomTotalWeight });
  Object.assign(consignment, { totalQuantity: items.length, numberOfShipments: items.length });
  for (const end of ['origin', 'destination']) {
    const [person, name, company] = [`${end}ContactPerson`, `${end}Name`, `${end}CompanyName`];
    const isThere = (field: string): boolean => isPlaced(consignment, field);
    if ([person, name, company].some(isThere)) {
      if (!isThere(name)) consignment[name] = consignment[isThere(person) ? person : company];
      const isSame = consignment[company] === consignment[isThere(person) ? person : name] && isThere(person);
      if (!isThere(company) || isSame) delete consignment[company];
      if (!isThere(person)) delete consignment[person];
    }
    if (isThere(`${end}City`) && !isThere(`${end}StateProvince`)) delete consignment[`${end}StateProvince`];
  }
};
