import { describe, expect, it } from 'vitest';
import { parse } from '../../../../src/engine/jsonata/parse.ts';
import { checkExpression } from '../../../../src/engine/mapping/types/check-expression.ts';
import type { TypeFinding } from '../../../../src/engine/mapping/types/type-walk.ts';
import { type Position, type Root, seenIn } from '../../../../src/engine/mapping/roots.ts';
import { Consignment } from '../../../../src/engine/consignment/consignment.ts';
import { schemaType } from '../../../../src/engine/mapping/types/schema-type.ts';
import { shownType } from '../../../../src/engine/mapping/types/sample-type.ts';
import {
  ANY,
  listOf,
  NUMBER,
  objectOf,
  closedTexts,
  TEXT,
  type Type,
} from '../../../../src/engine/mapping/types/type.ts';

/** What a test declares; what it does not is open. */
interface Declared {
  readonly settings?: readonly string[];
  readonly memo?: readonly string[];
  /** Answers that the cases show. */
  readonly answers?: readonly unknown[];
}

const named = (names: readonly string[] | undefined, name: string, origin: 'declared' | 'memo'): Type =>
  names === undefined ? ANY : objectOf(new Map(names.map((each) => [each, TEXT])), { name, origin });

const rootsOf = (positions: readonly Position[], given: Declared): ReadonlyMap<Root, Type> => {
  const memo = named(given.memo, 'memo', 'memo');
  const known: Partial<Record<Root, Type>> = {
    consignment: schemaType(Consignment, 'consignment'),
    service: objectOf({ code: closedTexts(['STD', 'EXP']) }, { name: 'service' }),
    shipment: objectOf({ memo, packages: listOf(objectOf({ memo }, { name: 'packages' })) }, { name: 'shipment' }),
    settings: named(given.settings, 'settings', 'declared'),
    response: objectOf({ status: NUMBER, body: shownType(given.answers ?? [], 'the answer') }, { name: 'response' }),
    request: ANY,
  };
  return new Map([...seenIn(positions)].map((root) => [root, known[root] ?? ANY]));
};

const found = (
  text: string,
  given: Declared & { readonly positions?: readonly Position[] } = {},
): readonly TypeFinding[] => {
  const { positions = ['request'] } = given;
  return checkExpression(parse(text), text, { positions, roots: rootsOf(positions, given) }).findings;
};
const check = (text: string, given?: Parameters<typeof found>[1]) =>
  found(text, given).map(
    ({ rule, offset, message, help }) => `${rule} at ${offset}: ${message}${help === undefined ? '' : ` (${help})`}`,
  );
const rules = (text: string, given?: Parameters<typeof found>[1]) => found(text, given).map(({ rule }) => rule);

describe('an expression without a finding', () => {
  it.each([
    'settings.account',
    'consignment.itemList.{ "w": itemWeight, "a": $settings.account }',
    'consignment.itemList[itemWeight > $settings.max].itemName',
    '$map(consignment.itemList, function($i, $n) { settings.x & $i.itemName & $n })',
    '($c := consignment; $c.itemList.{ "s": $c.originName, "n": itemName })',
    'consignment.itemList@$i.skuList[itemReferenceNumber = $i.itemReferenceNumber]',
    'consignment.itemList#$at.{ "n": $at }',
    '$.settings.account & $$.settings.account',
    'consignment.itemList^(>itemWeight).itemName',
    'consignment.itemList^(>itemWeight)#$at.{ "n": $at }',
    'consignment.itemList^(>itemWeight)[itemName = "Lamp"]#$at.{ "n": $at }',
    'consignment.info.anything.at.all',
    'response.body.{ "x": shipment.id, "i": item.ref, "s": service }',
    'steps.create.{ "itemReferenceNumber": item.itemReferenceNumber, "n": body.shipment.trackingNumber }',
    '$first($item.itemName, "x") ~> $uppercase',
    'consignment ~> |itemList|{ "w": itemWeight }|',
    '($f := function($n) { $n < 2 ? 1 : $n * $f($n - 1) }; $f(3))',
    'item.memo.a ?? item.memo.b',
  ])('%s', (text) => {
    expect(check(text)).toEqual([]);
  });
});

describe('an expression with a finding', () => {
  it('names an unknown root, and what was probably meant', () => {
    expect(check('{ "a": setings.account }')).toEqual([
      "unknown-root at 7: there is no root 'setings' (did you mean settings?)",
    ]);
    expect(check('consignment.itemList.{ "a": $setings.x }')).toEqual([
      'unknown-root at 28: there is no root, function or variable $setings (did you mean $settings?)',
    ]);
  });

  it('finds a root inside a path without its $', () => {
    expect(check('consignment.itemList.{ "w": itemWeight, "a": settings.account }')).toEqual([
      "root-inside-path at 45: inside a path, 'settings' is a field of itemList, not the root (write $settings for the root)",
    ]);
    expect(rules('consignment.{ "code": service.code }')).toEqual(['root-inside-path']);
    expect(rules('consignment.$cut(originName, settings.width)')).toEqual(['root-inside-path']);
    expect(rules('consignment.itemList[itemWeight > settings.max]')).toEqual(['root-inside-path']);
    expect(rules('response.body.{ "a": settings.account }')).toEqual(['root-inside-path']);
    expect(rules('($c := consignment; $c.{ "a": item.itemName })')).toEqual(['root-inside-path']);
  });

  it('finds a number of the contract that stands as a filter, and only where it is surely that number', () => {
    expect(check('consignment.itemList[itemWeight].itemName')).toEqual([
      'number-as-index at 21: [itemWeight] is the element of that number, not those that have one (write [$exists(itemWeight)], or compare it)',
    ]);
    expect(rules('($all := consignment.itemList; $all[itemWeight])')).toEqual(['number-as-index']);
    expect(rules('consignment.{ "a": itemList[itemHeight] }')).toEqual(['number-as-index']);
    expect(rules('consignment.itemList[itemName].itemCode & consignment.itemList[itemWeight > 1].itemName')).toEqual(
      [],
    );
    expect(rules('steps.create.body.parcels[itemWeight]')).toEqual([]);
    expect(rules('consignment.itemList[-1].itemName & consignment.itemList[$exists(itemHeight)].itemName')).toEqual([]);
  });

  it('finds a root that the position does not see', () => {
    expect(check('request.body.x')[0]).toMatch(/^unknown-root at 0: request is not seen in request/);
    expect(rules('consignment.originName', { positions: ['events'] })).toEqual(['unknown-root']);
    expect(rules('webhook.url')).toEqual(['unknown-root']);
    expect(rules('webhook.url', { positions: ['register'] })).toEqual([]);
  });

  it('tells a secret that would be shown', () => {
    expect(rules('credentials.key', { positions: ['result'] })).toEqual(['secret-shown']);
    expect(rules('response.body.{ "k": $auths.login.token }', { positions: ['result'] })).toEqual(['secret-shown']);
  });

  it('takes what any of the positions of a shared file sees', () => {
    const positions = ['result', 'events'] as const;
    expect(rules('$first($response.body, $request.body.data).events', { positions })).toEqual([]);
    expect(rules('$first($response.body, $credentials.x)', { positions })).toEqual(['secret-shown']);
  });

  it('finds a field that the contract, or the profile, does not declare', () => {
    expect(check('consignment.{ "n": destinationNmae }')).toEqual([
      "unknown-path at 19: consignment has no 'destinationNmae' (did you mean destinationName?)",
    ]);
    const declared = { settings: ['account'], memo: ['orderId'] };
    expect(rules('settings.acount', declared)).toEqual(['undeclared-field']);
    expect(rules('shipment.packages.memo.orderID', declared)).toEqual(['undeclared-memo']);
    expect(rules('shipment.memo.orderId & settings.account', declared)).toEqual([]);
  });

  it('finds a function that is not there, and one without its $', () => {
    expect(check("$frist(settings.a, 'b')")).toEqual([
      'unknown-function at 0: there is no function $frist (did you mean $first?)',
    ]);
    expect(check("first(settings.a, 'b')")).toEqual([
      "unknown-function at 0: 'first' is not a function (write $first(…))",
    ]);
  });

  it('says each once, though the parser doubles the left side of ??', () => {
    expect(rules('nothing.at ?? 1')).toEqual(['unknown-root']);
  });
});

describe('what the cases show of an answer', () => {
  const answers = [{ parcel: { id: 'P1', labels: [{ url: 'https://acme.example/1' }] } }, { error: { code: 7 } }];

  it.each([
    ['response.body.parcel.id', []],
    ['response.body.parcel.weight', []],
    ['response.body.parcle.id', ["unshown-path at 14: no case has a 'parcle' in the answer (did you mean parcel?)"]],
    ['response.body.parcel.labels.ulr', ["unshown-path at 28: no case has a 'ulr' in labels (did you mean url?)"]],
    ['response.body.error.code2', []],
    ['response.body.**.cod', ["unshown-path at 17: no case has a 'cod' in the answer (did you mean code?)"]],
  ])('%s', (text, expected) => {
    expect(check(text, { positions: ['result'], answers })).toEqual(expected);
  });
});

describe('what is not certain is not reported', () => {
  it.each([
    '($f := function($party) { $party.email }; [$f({ "email": "a" }), $f({ "name": "b" })])',
    '($unit := consignment.itemList[0].itemWeightUom; $unit = "KG")',
    '($f := function($country) { $country = "CA" }; $f("US"))',
    'consignment.info.whatever.it.holds',
    '$merge([{ "a": 1 }, { "b": 2 }]).b',
    '$lookup({ "KG": 1, "LB": 2 }, consignment.uomTotalWeight)',
    '(consignment.typeOfOrder = "REVERSE" ? { "a": 1 } : { "b": 2 }).a',
    '$reduce(consignment.itemList, function($sum, $item) { $sum + $item.itemWeight }, 0)',
    '($by := consignment.itemList{ itemName: $sum(itemWeight) }; $by.anything)',
    '$json(response.body.payload).any.path',
  ])('%s', (text) => {
    expect(check(text)).toEqual([]);
  });
});
