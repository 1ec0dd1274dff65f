/** Scenarios of what is asked: the request is built, and says what the consignment says. */
import { Consignment, ConsignmentItem } from '../../../engine/consignment/consignment.ts';
import type { Place } from '../../../engine/failure.ts';
import { overlay } from '../overlay.ts';
import type { Complaint, Scenario } from './scenario.ts';
import {
  type Acted,
  baseCase,
  create,
  created,
  describe,
  packagesOf,
  Pending,
  perform,
  type Stage,
  whyNot,
} from './stage.ts';
import { areSame, contentTypeOf, leavesOf, numberOf } from './wire.ts';

const placeOf = ({ carrier }: Stage): Place => carrier.operations.create?.place ?? carrier.place;

/** A profile may refuse what its carrier does not take; what it must not do is break. */
const brokenBy = (stage: Stage, acted: Acted): readonly Complaint[] => {
  const { outcome, requests } = acted;
  if (requests.length > 0 || outcome.kind === 'rejected' || acted.double.unknown() !== undefined) return [];
  if (outcome.kind !== 'held') return [{ message: 'nothing is asked of the carrier', place: placeOf(stage) }];
  return [
    { message: `no request is built: ${describe(outcome.problem)}`, place: outcome.problem.place ?? placeOf(stage) },
  ];
};

/** As `create`, where only a request tells something. */
const asked = async (stage: Stage, act: Parameters<typeof create>[1]): Promise<Acted> => {
  const acted = await create(stage, act);
  if (acted.requests.length > 0) return acted;
  throw new Pending(whyNot(acted, 'no request is built'));
};

const onePackage: Scenario = {
  name: 'one-package',
  title: 'one package',
  run: async (stage) => {
    const acted = await create(stage);
    if (acted.outcome.kind === 'rejected' && stage.material.creates.length === 0) {
      throw new Pending(`the profile refuses the pack's consignment: ${describe(acted.outcome.problem)}; add a case`);
    }
    const broken = brokenBy(stage, acted);
    if (broken.length === 0 && acted.requests.length === 0) throw new Pending(whyNot(acted, 'no request is built'));
    return broken;
  },
};

const manyPackages: Scenario = {
  name: 'many-packages',
  title: 'several packages, each of which the carrier is told',
  run: async (stage) => {
    if (stage.carrier.capabilities.maxPackages === 1) throw new Pending('capabilities.maxPackages is 1');
    const from = baseCase(stage, (consignment) => packagesOf(consignment).length > 1);
    const items = packagesOf(from.consignment) as readonly Record<string, unknown>[];
    const several = items.length > 1 ? items : [...items, { ...items[0], itemReferenceNumber: 'PKG-2' }];
    const last = several.at(-1) ?? {};
    const change = countsOf(several);
    const acted = await create(stage, { from, change });
    const broken = brokenBy(stage, acted);
    if (broken.length > 0) return broken;
    if (acted.requests.length === 0) throw new Pending(whyNot(acted, 'no request is built'));
    const heavier = Number(last['itemWeight']) * 1.5;
    const other = { ...last, itemReferenceNumber: 'PKG-OTHER', itemWeight: heavier, itemName: 'Another example' };
    // The sums stay: only the last package itself differs.
    const changed = await create(stage, { from, change: { ...change, itemList: [...several.slice(0, -1), other] } });
    return changed.outcome.kind !== 'rejected' && areSame(leavesOf(acted.requests), leavesOf(changed.requests))
      ? [{ message: 'nothing of the last package reaches the carrier', place: placeOf(stage) }]
      : [];
  },
};

const countsOf = (items: readonly Record<string, unknown>[]): Record<string, unknown> => ({
  itemList: items,
  numberOfShipments: items.length,
  totalQuantity: items.length,
  totalWeight: items.reduce((sum, { itemWeight }) => sum + Number(itemWeight), 0),
});

const optionalOf = ({ properties, required }: typeof Consignment | typeof ConsignmentItem): readonly string[] =>
  Object.keys(properties).filter((name) => !(required as readonly string[]).includes(name));
const nothing = (names: readonly string[]): Record<string, null> =>
  Object.fromEntries(names.map((name) => [name, null]));

const NO_VALUES: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '[object Object]', 'Infinity']);

const missingOptionals: Scenario = {
  name: 'missing-optionals',
  title: 'only what the contract demands is given',
  run: async (stage) => {
    const from = baseCase(stage);
    const items = packagesOf(from.consignment).map((item) => overlay(item, nothing(optionalOf(ConsignmentItem))));
    const change = { ...nothing(optionalOf(Consignment)), itemList: items };
    const acted = await create(stage, { from, change });
    const empty = [...leavesOf(acted.requests)].filter(([, value]) => NO_VALUES.has(value.trim()));
    return [
      ...brokenBy(stage, acted),
      ...empty.map(([path, value]) => ({ message: `${value} is sent at ${path}`, place: placeOf(stage) })),
    ];
  },
};

const nonAscii: Scenario = {
  name: 'non-ascii',
  title: 'names and streets beyond ASCII',
  run: async (stage) => {
    const name = 'Łukasz Åström 山田';
    const acted = await create(stage, {
      change: {
        destinationName: name,
        destinationContactPerson: name,
        destinationAddressLine1: 'Łukasza Straße 1',
        deliveryInstructions: 'Łukasz – “zweimal” läuten',
      },
    });
    return [...brokenBy(stage, acted), ...acted.requests.flatMap((request) => garbled(stage, request))];
  },
};

/** Ł stays itself, or is written L; any other letter there is another encoding's. */
const garbled = (stage: Stage, request: Acted['requests'][number]): readonly Complaint[] => {
  const place = placeOf(stage);
  const charset = /charset=["']?([\w-]+)/i.exec(contentTypeOf(request.headers) ?? '')?.[1] ?? 'utf-8';
  try {
    new TextDecoder(charset, { fatal: true }).decode(request.body);
  } catch {
    return [{ message: `the body is not the ${charset} that its Content-Type says`, place }];
  }
  return [...leavesOf([request])].flatMap(([path, value]) =>
    /\uFFFD|[^ŁLłl]ukasz/u.test(path.endsWith(' url') ? '' : value)
      ? [{ message: `what is sent at ${path} is garbled: ${value.slice(0, 80)}`, place }]
      : [],
  );
};

const units: Scenario = {
  name: 'units',
  title: 'pounds and inches mean what they weigh and measure',
  run: async (stage) => {
    const from = baseCase(stage);
    const items = packagesOf(from.consignment) as readonly Record<string, unknown>[];
    const metric = await asked(stage, { from, change: inUnits(from.consignment, items, 'KG', 'CM') });
    const imperial = await asked(stage, { from, change: inUnits(from.consignment, items, 'LB', 'IN') });
    return misread(stage, metric, imperial);
  },
};

const PER_KG = 2.204_622_621_8;
const CM_PER_INCH = 2.54;

const cut = (value: number): number => Math.floor(value * 10_000 + 0.001) / 10_000;

/** The same packages, weighed and measured otherwise. Never rounded up: a carrier's next step must not be reached. */
const inUnits = (
  consignment: Readonly<Record<string, unknown>> | undefined,
  items: readonly Record<string, unknown>[],
  weight: 'KG' | 'LB',
  length: 'CM' | 'IN',
): Record<string, unknown> => {
  const weighed = (value: unknown, unit: unknown): number =>
    unit === weight ? Number(value) : cut(weight === 'LB' ? Number(value) * PER_KG : Number(value) / PER_KG);
  const measured = (value: unknown, unit: unknown): number =>
    unit === length ? Number(value) : cut(length === 'IN' ? Number(value) / CM_PER_INCH : Number(value) * CM_PER_INCH);
  const sizes = ['itemLength', 'itemWidth', 'itemHeight'];
  const list = items.map((item) => ({
    ...item,
    itemWeight: weighed(item['itemWeight'], item['itemWeightUom']),
    itemWeightUom: weight,
    ...Object.fromEntries(
      sizes.flatMap((name) =>
        item[name] === undefined ? [] : [[name, measured(item[name], item['itemDimensionUom'])]],
      ),
    ),
    ...(item['itemDimensionUom'] === undefined ? {} : { itemDimensionUom: length }),
  }));
  return {
    itemList: list,
    totalWeight: weighed(consignment?.['totalWeight'], consignment?.['uomTotalWeight']),
    uomTotalWeight: weight,
  };
};

/** A number that changes by much while no unit beside it does is sent in a unit that it is not in. */
const misread = (stage: Stage, metric: Acted, imperial: Acted): readonly Complaint[] => {
  const [before, after] = [leavesOf(metric.requests), leavesOf(imperial.requests)];
  const moved: string[] = [];
  let renamed = 0;
  for (const [path, value] of before) {
    const other = after.get(path);
    if (other === undefined || other === value) continue;
    const [one, two] = [numberOf(value), numberOf(other)];
    if (one === undefined || two === undefined || one === 0) renamed += 1;
    else if (Math.abs(two / one - 1) > MUCH) moved.push(`${path} (${value} → ${other})`);
  }
  return moved.length > 0 && renamed === 0
    ? [{ message: `pounds or inches are sent as kilograms or centimetres: ${moved.join(', ')}`, place: placeOf(stage) }]
    : [];
};
const MUCH = 0.3;

const cod: Scenario = {
  name: 'cash-on-delivery',
  title: 'cash on delivery: the amount reaches the carrier',
  run: async (stage) => {
    if (!stage.carrier.capabilities.cod) throw new Pending('capabilities.cod is false');
    const from = baseCase(stage, ({ paymentMode }) => paymentMode === 'COD');
    const currencyCode = from.consignment?.['currencyCode'] ?? 'EUR';
    const acted = await create(stage, {
      from,
      change: { paymentMode: 'COD', amountToBeCollected: 123.45, currencyCode },
    });
    const broken = brokenBy(stage, acted);
    if (broken.length > 0 || acted.outcome.kind === 'rejected') return broken;
    if (acted.requests.length === 0) throw new Pending(whyNot(acted, 'no request is built'));
    const told = [...leavesOf(acted.requests).values()].some((value) => /123[.,]?45(?!\d)/.test(value));
    const message =
      'the amount to be collected does not reach the carrier: send it, or say capabilities: { cod: false }';
    return told ? [] : [{ message, place: placeOf(stage) }];
  },
};

const returned: Scenario = {
  name: 'return',
  title: 'a return is asked for as one',
  run: async (stage) => {
    const { orders } = stage.carrier.capabilities;
    if (!orders.includes('REVERSE')) throw new Pending('capabilities.orders has no REVERSE');
    const from = baseCase(stage, ({ typeOfOrder }) => typeOfOrder === 'REVERSE');
    const back = await create(stage, { from, change: { typeOfOrder: 'REVERSE' } });
    const broken = brokenBy(stage, back);
    if (broken.length > 0 || !orders.includes('FORWARD') || back.outcome.kind === 'rejected') return broken;
    if (back.requests.length === 0) throw new Pending(whyNot(back, 'no request is built'));
    const forth = await create(stage, { from, change: { typeOfOrder: 'FORWARD' } });
    return areSame(leavesOf(back.requests), leavesOf(forth.requests))
      ? [
          {
            message:
              'a return is sent as a delivery would be: say which it is, or say capabilities: { orders: [FORWARD] }',
            place: placeOf(stage),
          },
        ]
      : [];
  },
};

const cancel: Scenario = {
  name: 'cancel',
  title: 'a consignment is cancelled',
  run: async (stage) => {
    const place = stage.carrier.operations.cancel?.place;
    if (place === undefined) throw new Pending('the profile has no operation cancel');
    const story = await created(stage);
    const acted = await perform(stage, story, { do: 'cancel', remark: 'The customer changed her mind' }, {});
    // Of some carriers nothing has to be asked.
    if (acted.outcome.kind === 'done') return [];
    const broken = brokenBy(stage, acted);
    if (broken.length > 0) return broken.map(({ message }) => ({ message, place }));
    if (acted.requests.length === 0) throw new Pending(whyNot(acted, 'no request is built'));
    return [];
  },
};

const update: Scenario = {
  name: 'update',
  title: 'an update tells the carrier what has changed',
  run: async (stage) => {
    const { operations, recreate } = stage.carrier;
    const place = recreate ? placeOf(stage) : operations.update?.place;
    if (place === undefined) throw new Pending('the profile has no operation update');
    const change = { destinationAddressLine1: '99 Changed Street' };
    const acted = await perform(stage, await created(stage), { do: 'update', change }, {});
    if (acted.outcome.kind === 'rejected' && acted.requests.length === 0) return [];
    const broken = brokenBy(stage, acted);
    if (broken.length > 0) return broken.map(({ message }) => ({ message, place }));
    const unseen = acted.double.unknown();
    const told = [...leavesOf(acted.requests).values()].some((value) => /changed/i.test(value));
    if (told) return [];
    const isWhole = !recreate && operations.update?.steps.length === 1;
    if (unseen !== undefined && !isWhole) throw new Pending(whyNot(acted, 'no request is built'));
    return [{ message: 'the changed street does not reach the carrier', place }];
  },
};

export const REQUESTS: readonly Scenario[] = [
  onePackage,
  manyPackages,
  missingOptionals,
  nonAscii,
  units,
  cod,
  returned,
  update,
  cancel,
];
