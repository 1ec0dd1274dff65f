/** Scenarios of what is asked: the request is built, and says what the consignment says. */
import { UNUSABLE_VALUE } from '../../../engine/error-codes.ts';
import { describeProblem } from '../../../engine/failure.ts';
import { Consignment, ConsignmentItem } from '../../../engine/consignment/consignment.ts';
import { overlay } from '../read.ts';
import { contentTypeOf } from '../requests.ts';
import { type Fields, itemsOf } from '../story.ts';
import type { RunOutcome } from '../../../engine/dispatch/ports.ts';
import { bodiesOf, numberIn, sayTheSame, valuesOf } from './request-values.ts';
import {
  type Acted,
  baseCase,
  begin,
  type Complaint,
  create,
  needCases,
  Pending,
  perform,
  type Scenario,
  scenariosAt,
  type Stage,
  whyNot,
  withOrders,
} from './stage.ts';

const scenario = scenariosAt(({ operations }) => operations.create?.place);

/** By `$reject`; a value that a function refuses is nothing that the author has thought of. */
const isRefusal = (acted: Acted): acted is Acted & { readonly outcome: Extract<RunOutcome, { kind: 'rejected' }> } =>
  acted.outcome.kind === 'rejected' && acted.outcome.problem.code !== UNUSABLE_VALUE;

/** A profile may refuse what its carrier does not take; what it must not do is break. */
const brokenBy = (acted: Acted): readonly Complaint[] => {
  const { outcome, requests, unknown } = acted;
  if (requests.length > 0 || isRefusal(acted) || unknown !== undefined) return [];
  if (outcome.kind !== 'held' && outcome.kind !== 'rejected') return ['nothing is asked of the carrier'];
  const message = `no request is built: ${describeProblem(outcome.problem)}`;
  return [outcome.problem.place === undefined ? message : { message, place: outcome.problem.place }];
};

const requestsIn = (acted: Acted): Acted['requests'] => {
  if (acted.requests.length > 0) return acted.requests;
  throw new Pending(whyNot(acted, 'no request is built'));
};

/** Complains of what breaks; pending where no request can be looked at; else what `look` finds in them. */
const inRequests = async (
  acted: Acted,
  look: (requests: Acted['requests']) => readonly Complaint[] | Promise<readonly Complaint[]> = () => [],
): Promise<readonly Complaint[]> => {
  const broken = brokenBy(acted);
  return broken.length > 0 ? broken : await look(requestsIn(acted));
};

/** The same, but that the profile may refuse. */
const unlessRefused: typeof inRequests = async (acted, look) => (isRefusal(acted) ? [] : await inRequests(acted, look));

const onePackage = scenario('one-package', 'one package', async (stage) => {
  const acted = await create(stage);
  if (isRefusal(acted) && stage.creates.length === 0) {
    throw new Pending(
      `the profile refuses the pack's consignment: ${describeProblem(acted.outcome.problem)}; add a case`,
    );
  }
  return await inRequests(acted);
});

const manyPackages = scenario('many-packages', 'several packages, each of which the carrier is told', async (stage) => {
  if (stage.carrier.capabilities.maxPackages === 1) throw new Pending('capabilities.maxPackages is 1');
  needCases(stage);
  const from = baseCase(stage, (consignment) => itemsOf(consignment).length > 1);
  const items = itemsOf(from.consignment);
  const several = items.length > 1 ? items : [...items, { ...items[0], itemReferenceNumber: 'PKG-2' }];
  const last = several.at(-1) ?? {};
  const change = {
    itemList: several,
    numberOfShipments: several.length,
    totalQuantity: several.length,
    totalWeight: several.reduce((sum, { itemWeight }) => sum + Number(itemWeight), 0),
  };
  return await inRequests(await create(stage, { from, change }), async (requests) => {
    const itemWeight = Number(last['itemWeight']) * 1.5;
    const other = { ...last, itemReferenceNumber: 'PKG-OTHER', itemWeight, itemName: 'Another example' };
    // The sums stay: only the last package itself differs.
    const changed = await create(stage, { from, change: { ...change, itemList: [...several.slice(0, -1), other] } });
    return changed.outcome.kind !== 'rejected' && sayTheSame(valuesOf(requests), valuesOf(changed.requests))
      ? ['nothing of the last package reaches the carrier']
      : [];
  });
});

/** A change that takes away what the contract does not demand. */
const withoutOptional = ({ properties, required }: typeof Consignment | typeof ConsignmentItem): Fields =>
  Object.fromEntries(
    Object.keys(properties)
      .filter((name) => !(required as readonly string[]).includes(name))
      .map((name) => [name, null]),
  );

const NO_VALUES: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '[object Object]', 'Infinity']);

const missingOptionals = scenario('missing-optionals', 'only what the contract demands is given', async (stage) => {
  const from = baseCase(stage);
  const itemList = itemsOf(from.consignment).map((item) => overlay(item, withoutOptional(ConsignmentItem)));
  const acted = await create(stage, { from, change: { ...withoutOptional(Consignment), itemList } });
  const values = [...valuesOf(acted.requests)];
  const whole = await perform(stage, begin(stage, from), { do: 'create' }, { from });
  const kept = new Set(values.map(([path]) => path));
  const lost = [...valuesOf(whole.requests).keys()].filter((path) => !kept.has(path));
  for (const used of stage.used.slice(-1)) used.lost = lost.map((path) => path.replace(/^\d+ body\//, ''));
  const empty = values.filter(([, value]) => NO_VALUES.has(value.trim()));
  const nameless = values.filter(([path]) => /\/(?:\/|$)/.test(path));
  return [
    ...brokenBy(acted),
    ...empty.map(([path, value]) => `${value} is sent at ${path}`),
    ...nameless.map(([path]) => `a key without a name is sent at ${path}`),
  ];
});

const nonAscii = scenario('non-ascii', 'names and streets beyond ASCII', async (stage) => {
  const name = 'Łukasz Åström 山田';
  const acted = await create(stage, {
    change: {
      destinationName: name,
      destinationContactPerson: name,
      destinationAddressLine1: 'Łukasza Straße 1',
      deliveryInstructions: 'Łukasz – “zweimal” läuten',
    },
  });
  return [...brokenBy(acted), ...acted.requests.flatMap(garbled)];
});

/** Ł stays itself, or is written L; any other letter there is another encoding's. */
const garbled = (request: Acted['requests'][number]): readonly Complaint[] => {
  const charset = /charset=["']?([\w-]+)/i.exec(contentTypeOf(request.headers) ?? '')?.[1] ?? 'utf-8';
  try {
    new TextDecoder(charset, { fatal: true }).decode(request.body);
  } catch {
    return [`the body is not the ${charset} that its Content-Type says`];
  }
  return [...valuesOf([request])].flatMap(([path, value]) =>
    !path.endsWith(' url') && /\uFFFD|[^ŁLłl]ukasz/u.test(value)
      ? [`what is sent at ${path} is garbled: ${value.slice(0, 80)}`]
      : [],
  );
};

const units = scenario('units', 'pounds and inches mean what they weigh and measure', async (stage) => {
  const from = baseCase(stage);
  const metric = requestsIn(await create(stage, { from, change: inUnits(from.consignment, 'KG', 'CM') }));
  const imperial = requestsIn(await create(stage, { from, change: inUnits(from.consignment, 'LB', 'IN') }));
  return misread(metric, imperial);
});

const PER_KG = 2.204_622_621_8;
const CM_PER_INCH = 2.54;

const cut = (value: number): number => Math.floor(value * 10_000 + 0.001) / 10_000;

const convert = (value: unknown, isSame: boolean, factor: number): number =>
  isSame ? Number(value) : cut(Number(value) * factor);

/** The same packages, weighed and measured otherwise. Never rounded up: a carrier's next step must not be reached. */
const inUnits = (consignment: Fields | undefined, weightUnit: 'KG' | 'LB', lengthUnit: 'CM' | 'IN'): Fields => {
  const weighed = (value: unknown, unit: unknown): number =>
    convert(value, unit === weightUnit, weightUnit === 'LB' ? PER_KG : 1 / PER_KG);
  const itemList = itemsOf(consignment).map((item) => {
    const unit = item['itemDimensionUom'];
    const measured = (value: unknown): number =>
      convert(value, unit === lengthUnit, lengthUnit === 'IN' ? 1 / CM_PER_INCH : CM_PER_INCH);
    const sizes = ['itemLength', 'itemWidth', 'itemHeight'].filter((name) => item[name] !== undefined);
    return {
      ...item,
      itemWeight: weighed(item['itemWeight'], item['itemWeightUom']),
      itemWeightUom: weightUnit,
      ...Object.fromEntries(sizes.map((name) => [name, measured(item[name])])),
      ...(unit === undefined ? {} : { itemDimensionUom: lengthUnit }),
    };
  });
  const totalWeight = weighed(consignment?.['totalWeight'], consignment?.['uomTotalWeight']);
  return { itemList, totalWeight, uomTotalWeight: weightUnit };
};

const MUCH = 0.3;

/** A number that changes by much while no unit beside it does is sent in a unit that it is not in. */
const misread = (metric: Acted['requests'], imperial: Acted['requests']): readonly Complaint[] => {
  const after = valuesOf(imperial);
  const moved: string[] = [];
  let isRenamed = false;
  for (const [path, value] of valuesOf(metric)) {
    const other = after.get(path);
    if (other === undefined || other === value) continue;
    const [one, two] = [numberIn(value), numberIn(other)];
    if (one === undefined || two === undefined || one === 0) isRenamed = true;
    else if (Math.abs(two / one - 1) > MUCH) moved.push(`${path} (${value} → ${other})`);
  }
  return moved.length === 0 || isRenamed
    ? []
    : [`pounds or inches are sent as kilograms or centimetres: ${moved.join(', ')}`];
};

const cod = scenario('cash-on-delivery', 'cash on delivery: the amount reaches the carrier', async (stage) => {
  if (!stage.carrier.capabilities.cod) throw new Pending('capabilities.cod is false');
  const from = baseCase(stage, ({ paymentMode }) => paymentMode === 'COD');
  const currencyCode = from.consignment?.['currencyCode'] ?? 'EUR';
  const change = { paymentMode: 'COD', amountToBeCollected: 123.45, currencyCode };
  return await unlessRefused(await create(stage, { from, change }), (requests) =>
    [...valuesOf(requests).values()].some((value) => /123[.,]?45(?!\d)/.test(value))
      ? []
      : ['the amount to be collected does not reach the carrier: send it, or say capabilities: { cod: false }'],
  );
});

const returned = scenario('return', 'a return is asked for as one', async (stage) => {
  const { orders } = stage.carrier.capabilities;
  if (!orders.includes('REVERSE')) throw new Pending('capabilities.orders has no REVERSE');
  needCases(stage);
  const base = baseCase(stage, ({ typeOfOrder }) => typeOfOrder === 'REVERSE');
  const back = await create(stage, { from: withOrders(stage, base, 'REVERSE'), change: { typeOfOrder: 'REVERSE' } });
  if (isRefusal(back)) {
    throw new Pending(`the profile refuses it: ${describeProblem(back.outcome.problem)}; add a case with a return`);
  }
  if (!orders.includes('FORWARD')) return brokenBy(back);
  return await inRequests(back, async (requests) => {
    const from = withOrders(stage, base, 'FORWARD');
    const forth = requestsIn(await create(stage, { from, change: { typeOfOrder: 'FORWARD' } }));
    return sayTheSame(bodiesOf(requests), bodiesOf(forth))
      ? ['the body of a return is that of a delivery: say which it is, or say capabilities: { orders: [FORWARD] }']
      : [];
  });
});

const updating = scenariosAt(({ recreate, operations }) => (recreate ? operations.create : operations.update)?.place);

const update = updating('update', 'an update tells the carrier what has changed', async (stage) => {
  const { operations, recreate } = stage.carrier;
  if (!recreate && operations.update === undefined) throw new Pending('the profile has no operation update');
  const change = { destinationAddressLine1: '99 Changed Street' };
  const acted = await later(stage, { do: 'update', change });
  if (isRefusal(acted) && acted.requests.length === 0) return [];
  const broken = messagesOf(brokenBy(acted));
  if (broken.length > 0) return broken;
  if ([...valuesOf(acted.requests).values()].some((value) => /changed/i.test(value))) return [];
  const isWhole = !recreate && operations.update?.steps.length === 1;
  if (acted.unknown !== undefined && !isWhole) throw new Pending(whyNot(acted, 'no request is built'));
  return ['the changed street does not reach the carrier'];
});

const cancelling = scenariosAt(({ operations }) => operations.cancel?.place);

const cancel = cancelling('cancel', 'a consignment is cancelled', async (stage) => {
  if (stage.carrier.operations.cancel === undefined) throw new Pending('the profile has no operation cancel');
  const acted = await later(stage, { do: 'cancel', remark: 'The customer changed her mind' });
  // Of some carriers nothing has to be asked.
  return acted.outcome.kind === 'done' ? [] : messagesOf(await inRequests(acted));
});

/** After a create that comes through. */
const later = async (stage: Stage, step: Parameters<typeof perform>[2]): Promise<Acted> => {
  const created = await create(stage);
  if (created.outcome.kind === 'done') return await perform(stage, created.story, step);
  throw new Pending(whyNot(created, 'no create succeeds'));
};

/** At the place of the scenario, wherever they were found. */
const messagesOf = (complaints: readonly Complaint[]): readonly string[] =>
  complaints.map((one) => (typeof one === 'string' ? one : one.message));

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
