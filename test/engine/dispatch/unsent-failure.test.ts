import { describe, expect, it, vi } from 'vitest';
import type { Inputs, RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import {
  answer,
  carrierOf,
  createWorld,
  each,
  endingOf,
  made,
  profileOf,
  type Reply,
  single,
  worldOf,
} from './world.ts';

const consignment = {
  referenceId: 'REF-1',
  destinationContactNumber: 'ask',
  destinationCountry: 'DE',
  shipper: { contactNumber: 'none', name: 'Shop' },
  originContactNumber: 'none',
  originName: 'Other',
  shippingDateTime: 'soon',
  merchantCode: 'M-1',
  itemList: [
    { itemReferenceNumber: 'A', itemName: 'short', itemVolume: 1, itemVolumeUom: 'CBM', tags: ['a'] },
    { itemReferenceNumber: 'B', itemName: 'a name too long', itemVolume: 2, itemVolumeUom: 'BARREL', tags: ['b', 'c'] },
    { itemReferenceNumber: 'C', itemName: 'brief', itemVolume: 3 },
  ],
  skuList: [{ skuCode: 'S-1', skuOriginCountry: 'UK' }],
  vas: [{ vasCode: 'HAUL_AWAY_OLD', serviceTime: 15 }],
  info: { consignmentDetails: { packageDetails: [{}, { floor: 'top' }] } },
};
const created = { result: `result: '{ "itemsTrackDetails": [] }'` };

const run = async (
  profile: string,
  operation: 'create' | 'update' | 'cancel' = 'create',
  inputs: Inputs = {},
  ...replies: object[]
) => {
  const world = worldOf(profile, ...(replies as []));
  const outcome = await world.run(operation, { consignment, ...inputs });
  return { outcome, requests: world.requests() };
};
const written = (expression: string): string => JSON.stringify(`\${${expression}}`);
const creating = (expression: string): string =>
  profileOf(`create: { post: /orders, body: { json: { x: ${written(expression)} } }, ${created.result} }`);

describe('a value of the order that a function refuses is rejected, by the shipper’s field', () => {
  it.each([
    [
      "$phone(consignment.destinationContactNumber, 'DE', 'e164')",
      'shipTo.contact.contactNumber',
      'this is not a telephone number of DE',
    ],
    [
      '$wrap([consignment.originName, consignment.originAddressLine2], 3, 1)',
      'shipFrom.contact.name',
      'a word has 5 characters, but a line holds 3',
    ],
    [
      '$number(consignment.itemList[1].itemName)',
      'consignmentDetails.packageDetails[1].description',
      'this is not a number',
    ],
    [
      "consignment.itemList.$convert(itemVolume, itemVolumeUom, 'L')",
      'consignmentDetails.packageDetails[1].volumeUom',
      /^it must be one of KG, /,
    ],
    [
      "$convert(consignment.itemList[2].itemVolume, consignment.itemList[2].itemVolumeUom, 'L')",
      'consignmentDetails.packageDetails[2].volumeUom',
      'it is missing',
    ],
    [
      "$country(consignment.skuList[0].skuOriginCountry, 'alpha3')",
      'consignmentDetails.skuDetails[0].originCountry',
      "'UK' is not a country code of ISO 3166-1",
    ],
    ['$number(consignment.vas[0].vasCode)', 'consignmentDetails.vas[0].vasCode', 'this is not a number'],
    ['$single(consignment.itemList)', 'consignmentDetails.packageDetails', /found more than one match$/],
    ['$number(consignment.itemList[1].tags[1])', 'consignmentDetails.packageDetails[1].tags', 'this is not a number'],
    [
      '$number(consignment.info.consignmentDetails.packageDetails[1].floor)',
      'consignmentDetails.packageDetails[1].floor',
      'this is not a number',
    ],
    ['$number(consignment.shipper.contactNumber)', 'shipFrom.contact.contactNumber', 'this is not a number'],
    ['$time(consignment.shippingDateTime)', 'consignmentDetails.shipByDate', /^the text has none of the forms/],
  ])('%s', async (expression, field, said) => {
    const { outcome, requests } = await run(creating(expression));
    expect(outcome).toMatchObject({ kind: 'rejected', problem: { code: 'unusable_value', fields: [field] } });
    const [message = ''] = outcome.kind === 'rejected' ? outcome.problem.messages : [];
    expect(message.slice(`${field}: `.length)).toMatch(said instanceof RegExp ? said : new RegExp(`^${said}$`));
    expect(requests).toEqual([]);
  });

  it('names all fields that it is made of, each with a message', async () => {
    const text = '$wrap([consignment.itemList[0].itemName, consignment.itemList[1].itemName], 9, 1)';
    const fields = [0, 1].map((at) => `consignmentDetails.packageDetails[${at}].description`);
    const messages = fields.map((field) => `${field}: the text does not fit into 1 lines of 9 characters`);
    expect((await run(creating(text))).outcome).toMatchObject({ kind: 'rejected', problem: { fields, messages } });
  });
});

describe('what is not of the order is config_error, as ever', () => {
  it.each([
    ["$phone(settings.account & 'x', consignment.destinationCountry, 'e164')"],
    ["$number(settings.account & 'x')"],
    ["$region(settings.account, 'AU')"],
    ['$number(consignment.merchantCode)'],
    ['$number(consignment.shipper.name)'],
    ["$number(consignment.destinationCountry = 'DE' ? 'x' : '1')"],
  ])('%s', async (expression) => {
    const { outcome } = await run(creating(expression));
    expect(outcome).toMatchObject({ kind: 'held', why: 'config_error', problem: { code: 'mapping_failed' } });
    expect(outcome).not.toHaveProperty('problem.fields');
  });

  it('is what the carrier answered, as ever', async () => {
    const profile = profileOf(`create:
  steps:
    - { id: one, post: /one }
    - { id: two, post: '/two/\${$number(steps.one.body.no)}' }
  ${created.result}`);
    const { outcome, requests } = await run(profile, 'create', {}, { no: 'ten' });
    expect(outcome).toMatchObject({ kind: 'held', problem: { code: 'mapping_failed' } });
    expect(requests).toEqual(['POST /one']);
  });

  it('is a value of the order in a result, when the carrier has acted: nobody knows what it made of it', async () => {
    const profile = profileOf(
      `create: { post: /orders, result: '{ "itemsTrackDetails": [{ "trackingNumber": $string($number(consignment.destinationContactNumber)) }] }' }`,
    );
    expect((await run(profile, 'create', {}, {})).outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('is a value of the order in an outcome’s rule', async () => {
    const profile = profileOf(
      `create: { post: /orders, outcomes: [ { when: '$number(consignment.destinationContactNumber) > 1', do: reject } ], ${created.result} }`,
    );
    expect((await run(profile, 'create', {}, {})).outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });
});

const posted = (forEach: string, expression: string): string =>
  profileOf(`create:
  steps: [ { id: all, forEach: ${JSON.stringify(forEach)}, post: /all, undo: { delete: /all }, body: { json: { x: ${written(expression)} } } } ]
  ${created.result}`);

describe('elements of forEach', () => {
  const field = 'consignmentDetails.packageDetails[1].volumeUom';
  it.each([
    ['the list itself', 'consignment.itemList', "$convert(item.itemVolume, item.itemVolumeUom, 'L')", field],
    [
      'a part of it',
      'consignment.itemList[itemVolume > 1]',
      "$convert(item.itemVolume, item.itemVolumeUom, 'L')",
      field,
    ],
    [
      'one of which it is missing',
      'consignment.itemList[itemVolume > 2]',
      "$convert(item.itemVolume, item.itemVolumeUom, 'L')",
      field.replace('1', '2'),
    ],
    [
      'maps made of it',
      'consignment.itemList.{ "v": itemVolume, "of": itemVolumeUom }',
      "$convert(item.v, item.of, 'L')",
      field,
    ],
    ['texts', '[consignment.itemList[1].itemVolumeUom]', "$convert(1, item, 'L')", field],
    [
      'two levels',
      'consignment.itemList.{ "tags": tags.{ "t": $ } }',
      '$number(item.tags[1].t)',
      'consignmentDetails.packageDetails[1].tags',
    ],
  ])('%s', async (_, forEach, expression, named) => {
    const undone = [made('A'), {}];
    const { outcome } = await run(posted(forEach, expression), 'create', {}, ...undone);
    expect(outcome).toMatchObject({ kind: 'rejected', problem: { code: 'unusable_value', fields: [named] } });
  });

  it('of a batch', async () => {
    const profile = profileOf(`create:
  steps: [ { id: all, forEach: consignment.itemList, batch: 2, post: /all, body: { json: { x: '\${items.$convert(1, itemVolumeUom, ''L'')}' } } } ]
  ${created.result}`);
    expect((await run(profile)).outcome).toMatchObject({ kind: 'rejected', problem: { fields: [field] } });
  });

  it('in the list itself, and in when', async () => {
    const inList = posted('consignment.itemList.{ "n": $number(itemName) }', '1');
    const fields = ['consignmentDetails.packageDetails[0].description'];
    expect((await run(inList)).outcome).toMatchObject({ kind: 'rejected', problem: { fields } });
    const inWhen = each("when: '$number(consignment.destinationContactNumber) > 1'");
    expect((await run(inWhen)).outcome).toMatchObject({
      kind: 'rejected',
      problem: { fields: ['shipTo.contact.contactNumber'] },
    });
  });

  it('of what the carrier gave are the carrier’s', async () => {
    const profile = profileOf(`cancel: { forEach: shipment.packages, post: '/x/\${$number(item.trackingNumber)}' }`);
    const shipment = { packages: [{ trackingNumber: 'T-1' }] };
    expect((await run(profile, 'cancel', { shipment })).outcome).toMatchObject({ kind: 'held', why: 'config_error' });
  });
});

describe.each(['update', 'cancel'] as const)('%s', (operation) => {
  it('is rejected as a create is', async () => {
    const profile = profileOf(`${operation}: { post: '/x/\${$number(consignment.destinationContactNumber)}' }`);
    const problem = { code: 'unusable_value', fields: ['shipTo.contact.contactNumber'] };
    expect((await run(profile, operation)).outcome).toMatchObject({ kind: 'rejected', problem });
  });
});

it('a package that the carrier refuses is named by its place in the order', async () => {
  const { outcome } = await run(each(), 'create', {}, made('A'), 422 as never, {});
  expect(outcome).toMatchObject({ kind: 'rejected', problem: { fields: ['consignmentDetails.packageDetails[1]'] } });
});

const refusing = (fields: string, more = '') =>
  `outcomes: [ { status: 422, do: reject, messages: response.body.errors.text, fields: '${fields}' } ]${more}`;
const said = (...errors: readonly (readonly [text: string, field?: string])[]) =>
  answer(422, { errors: errors.map(([text, field]) => ({ text, field })) });
describe('a rejection by the profile', () => {
  const D = 'consignmentDetails.packageDetails';
  it.each([
    [
      'of one package',
      'consignment.itemList.(itemVolume > 1 and itemName != "brief" ? $reject("too large") : itemVolume)',
      [`${D}[1]`],
    ],
    ['of their sum', '$sum(consignment.itemList.itemVolume) > 5 ? $reject("too large") : 1', undefined],
    ['of what is no package', 'consignment.merchantCode = "M-1" ? $reject("too large") : 1', undefined],
  ])('%s names it, where it is one', async (_, expression, fields) => {
    const { outcome } = await run(creating(expression));
    const problem = { code: 'rejected_by_profile', messages: ['too large'], ...(fields && { fields }) };
    expect((outcome as Extract<RunOutcome, { kind: 'rejected' }>).problem).toEqual(problem);
  });
});

describe('what a carrier refuses, by a rule that names fields', () => {
  const D = 'consignmentDetails.packageDetails';
  const tables = 'tables: { fields: { zip: destinationPostalCode, kg: itemList.itemWeight } }';
  const byTable = 'response.body.errors.$table("fields", field, "")';
  const both = said(['no such place', 'zip'], ['closed today']);
  it.each<[string, string, ReturnType<typeof said>, object]>([
    [
      'one for each message',
      byTable,
      both,
      { messages: ['no such place', 'closed today'], fields: ['shipTo.address.pincode', ''] },
    ],
    ['of every package', byTable, said(['too heavy', 'kg']), { fields: [0, 1, 2].map((at) => `${D}[${at}].weight`) }],
    ['by index', '"itemList[1].itemWeight"', said(['too heavy']), { fields: [`${D}[1].weight`] }],
    [
      'several for one message',
      '["originCity", "destinationCity"]',
      said(['too far']),
      { messages: ['too far', 'too far'], fields: ['shipFrom.address.city', 'shipTo.address.city'] },
    ],
    [
      'one for several messages',
      '"originCity"',
      both,
      { messages: ['no such place; closed today'], fields: ['shipFrom.address.city'] },
    ],
  ])('%s', async (_, fields, reply, problem) => {
    const profile = profileOf(`create: { post: /o, ${refusing(fields)}, ${created.result} }`, tables);
    expect((await run(profile, 'create', {}, reply)).outcome).toMatchObject({ kind: 'rejected', problem });
  });

  it('none where it names nothing', async () => {
    const profile = profileOf(`create: { post: /o, ${refusing(byTable)}, ${created.result} }`, tables);
    const { outcome } = await run(profile, 'create', {}, said(['closed today']));
    expect((outcome as Extract<RunOutcome, { kind: 'rejected' }>).problem).not.toHaveProperty('fields');
  });

  it('of a package with a call of its own, that package’s', async () => {
    const profile = each(refusing(byTable)) + tables;
    const reply = said(['too heavy', 'kg'], ['closed today']);
    const { outcome } = await run(profile, 'create', {}, made('A'), reply, {});
    expect(outcome).toMatchObject({ kind: 'rejected', problem: { fields: [`${D}[1].weight`, `${D}[1]`] } });
  });
});

it('the shipper’s remark is the shipper’s', async () => {
  const profile = profileOf(`cancel: { post: '/x/\${$number(remark)}' }`);
  const { outcome } = await run(profile, 'cancel', { remark: 'no longer wanted' });
  expect(outcome).toMatchObject({ kind: 'rejected', problem: { fields: ['remark'] } });
});

it('what had succeeded before is undone', async () => {
  const profile = each(
    `body: { json: { x: '\${$cut(item.itemName, item.itemReferenceNumber = "B" ? $number(item.itemName) : 3)}' } }`,
  );
  const { outcome, requests } = await run(profile, 'create', {}, made('A'), {});
  expect(outcome).toMatchObject({
    kind: 'rejected',
    problem: { fields: ['consignmentDetails.packageDetails[1].description'] },
  });
  expect(requests).toEqual(['POST /A', 'DELETE /A']);
});

const REFUSED = written('$number(consignment.destinationContactNumber)');
const stepped = (...steps: readonly string[]): string =>
  profileOf(`create:\n  steps:\n${steps.map((step) => `    - { ${step} }\n`).join('')}  ${created.result}`);
const pickup = `id: pickup, post: /pickup, body: { json: { x: ${REFUSED} } }`;
const rejecting = `id: pickup, post: /pickup, body: { json: { x: ${written("$reject('too far')")} } }`;
const unasked = "id: pickup, when: '$number(consignment.destinationContactNumber) > 1', post: /pickup";
const second = written("item.itemReferenceNumber = 'B' ? $number(item.itemName) : 1");
const packages = `id: all, forEach: consignment.itemList, post: '/all', body: { json: { x: ${second} } }`;
const phone = ['shipTo.contact.contactNumber'];
const name = ['consignmentDetails.packageDetails[1].description'];
const left = (step: string) => [`could not take back step ${step}`, 'the step has no undo'];

describe('what was done before it and has no undo', () => {
  it.each<[string, string, number, readonly string[] | undefined, readonly string[]]>([
    ['in an earlier step', stepped('id: book, post: /book', pickup), 1, phone, left('book')],
    ['before a step that cannot be begun', stepped('id: book, post: /book', unasked), 1, phone, left('book')],
    ['for an earlier element', stepped(packages), 1, name, left('all, element 0')],
    ['where it is rejected by $reject', stepped('id: book, post: /book', rejecting), 1, undefined, left('book')],
  ])('holds it for an operator, as the order must not be sent again: %s', async (_, profile, calls, fields, said) => {
    const { outcome, requests } = await run(profile, 'create', {}, {});
    expect(endingOf(outcome)).toBe('held: undo_failed');
    const { problem } = outcome as Extract<typeof outcome, { kind: 'held' }>;
    expect([problem.fields, problem.messages.slice(1), requests.length]).toEqual([fields, said, calls]);
  });

  it.each([
    ['was a GET', 'id: book, get: /book', [{}]],
    ['is said to need none', "id: book, post: /book, undo: { when: 'false', delete: /book }", [{}]],
    ['is not needed', 'id: book, post: /book, bestEffort: true', [{}]],
    [
      'goes with what an earlier step is undone by',
      'id: room, post: /room, undo: { delete: /room } }\n    - { id: book, post: /book, undo: room',
      [{}, {}, 204],
    ],
  ])('holds nothing where it %s', async (_, before, replies: readonly Reply[]) => {
    const world = worldOf(stepped(before, pickup), ...replies);
    expect((await world.run('create', { consignment })).kind).toBe('rejected');
  });

  it.each<[string, number, string, readonly string[]]>([
    ['rejects', 422, stepped('id: book, post: /book', 'id: pickup, post: /pickup'), left('book')],
    [
      'does not accept the account for',
      403,
      stepped('id: book, post: /book', 'id: pickup, post: /pickup'),
      left('book'),
    ],
    [
      'rejects for another package',
      422,
      stepped("id: all, forEach: consignment.itemList, post: '/all'"),
      left('all, element 0'),
    ],
  ])('holds it, too, where the carrier %s what comes after it', async (_, status, profile, said) => {
    const world = worldOf(profile, {}, status);
    const outcome = await world.run('create', { consignment });
    expect(endingOf(outcome)).toBe('held: undo_failed');
    expect((outcome as Extract<typeof outcome, { kind: 'held' }>).problem.messages.slice(1)).toEqual(said);
  });

  it.each([
    ['', 'rejected'],
    ['idempotency: none, ', 'held: undo_failed'],
  ])(
    'of a cancel { %sdelete: … } whose second package is refused is %s: only a repeat may do harm',
    async (keys, ending) => {
      const cancel = `cancel: { ${keys}forEach: consignment.itemList, delete: '/\${item.itemReferenceNumber}' }`;
      expect(await worldOf(single('', cancel), {}, 422).endings(1, 'cancel', { consignment })).toEqual([ending]);
    },
  );

  it.each([
    ['that refuses its request', pickup],
    ['that cannot be begun', unasked],
    ['that rejects', rejecting],
  ])('holds it, too, when the undo of another had to wait, in a step %s', async (_, last) => {
    const undone = 'id: room, post: /room, undo: { delete: /room }';
    const world = worldOf(stepped('id: book, post: /book', undone, last), {}, {}, 503, 204);
    expect(await world.endings(2, 'create', { consignment })).toEqual(['waiting', 'held: undo_failed']);
    expect(world.requests()).toEqual(['POST /book', 'POST /room', 'DELETE /room', 'DELETE /room']);
  });
});

describe('of many packages', () => {
  const itemList = Array.from({ length: 40 }, (_, at) => ({ itemReferenceNumber: `P-${at}`, itemName: `box ${at}` }));
  const traced = async (step: string) => {
    const carrier = carrierOf(stepped(step));
    const list = carrier.operations.create?.steps[0].forEach ?? expect.fail('no forEach');
    const trace = vi.spyOn(list as Required<typeof list>, 'trace');
    const outcome = await createWorld(carrier, []).run('create', { consignment: { ...consignment, itemList } });
    return { outcome, times: trace.mock.calls.length };
  };

  it('twenty fields are named, and the list is traced once', async () => {
    const text = written("$number($join(items.itemName, '-'))");
    const { outcome, times } = await traced(
      `id: all, forEach: consignment.itemList, batch: 500, post: /all, body: { json: { x: ${text} } }`,
    );
    const { fields = [], messages } = outcome.kind === 'rejected' ? outcome.problem : expect.fail(outcome.kind);
    expect([new Set(fields).size, messages, times]).toEqual([
      20,
      fields.map((one) => `${one}: this is not a number`),
      1,
    ]);
  });

  it('the list is traced once when each of them is refused', async () => {
    const text = written('$number(item.itemName)');
    const { outcome, times } = await traced(
      `id: all, forEach: consignment.itemList, partial: true, post: /all, body: { json: { x: ${text} } }`,
    );
    expect([outcome.kind, times]).toEqual(['rejected', 1]);
  });
});
