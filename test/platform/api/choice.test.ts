import { describe, expect, it } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import type { Offer } from '../../../src/engine/rates/offer.ts';
import { accepted, done, held, rejected } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const profile = (code: string, more = ''): string => `
carrier: ${code}
name: ${code[0]?.toUpperCase()}${code.slice(1)} Parcels
environments: { production: { url: 'https://${code}.example.com' } }
${more}
services: { Express: { typeOfService: EXPRESS, code: ${code}-x }, Standard: { typeOfService: STANDARD, code: ${code}-s } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
  cancel: { post: /cancel, body: { json: consignment } }
  rates: { post: /rates, body: { json: consignment }, result: '[]' }
statuses: { table: { PICKED_UP: Order Picked Up } }
`;
const PRICES: Readonly<Record<string, number>> = { north: 7, south: 5, west: 6 };
const offerOf = (code: string): Offer => ({
  service: 'Express',
  total: PRICES[code] ?? 9,
  currency: 'EUR',
  rateId: `R-${code}`,
});

const api = apiWorld(
  {
    quote: ({ carrier }) => Promise.resolve({ quoted: { offers: [offerOf(carrier.code)] }, askedAtMs: 0 }),
  },
  {
    profiles: {
      north: profile('north'),
      south: profile('south', 'capabilities: { cod: false }'),
      west: profile('west'),
    },
    policies: {
      inline: 'policy: inline\ncarriers: [north, south, solo]\n',
      cheap: 'policy: cheap\ncarriers: [north, south, west]\nrank: cheapest\nfallback: { most: 1 }\n',
      promised: 'policy: promised\ncarriers: [north, { carrier: south, minimum: { orders: 1, per: day } }]\n',
      alone: 'policy: alone\ncarriers: [north, south]\nfallback: none\n',
      shares:
        'policy: shares\nrank: shares\ncarriers: [{ carrier: north, share: 50 }, { carrier: south, share: 50 }]\n',
      far: 'policy: far\ncarriers: [{ carrier: north, to: { countries: [FR] } }, { carrier: south, when: consignment.totalWeight > 30, because: South takes heavy things }]\n',
    },
  },
);
const { shop, carrier } = api;

const by = (policy: string, changes: object = {}, reference = 'REF-1') =>
  order({ 'carrier.code': policy, ...changes }, reference);
/** How each carrier ends a create; the others take it, without a label. */
const ends = (outcomes: Readonly<Record<string, RunOutcome | 'nothing'>>): void =>
  carrier.answers((operation, { consignment }) => {
    if (operation !== 'create') return done();
    const { carrierCode } = consignment as Consignment;
    return outcomes[carrierCode] ?? accepted(consignment as Consignment, { labels: false });
  });
const asked = () => carrier.sent.map(({ operation, consignment }) => `${operation} at ${consignment.carrierCode}`);
const codesOf = (findings: readonly { code: string; field: string }[]) =>
  findings.map(({ code, field }) => `${field} ${code}`);
const firsts = async () => {
  const found: string[] = [];
  for (let at = 0; at < 8; at += 1) {
    const { body } = await shop.create(by('shares', {}, `REF-${at}`));
    found.push(body.errors[0].split(':')[0]);
  }
  return found;
};
const carrierOf = async () => {
  const { carrierCode, choice } = await shop.read();
  return [carrierCode, choice?.policy, choice?.total];
};
const REFUSED = { code: 'refused', messages: ['too bulky'] };

describe('A create that names a policy', () => {
  it('goes with the first of its ranks, at the price of that', async () => {
    ends({});
    const { status, body } = await shop.create(by('cheap'));
    const price = { policy: 'cheap', service: 'Express', total: 5, currency: 'EUR' };
    expect([status, body.data[0]]).toMatchObject([
      200,
      {
        acceptance: 'accepted',
        trackingDetails: [{ carrierDetails: { code: 'south', name: 'South Parcels', info: price } }],
        choice: { ...price, carrierCode: 'south', tried: [] },
      },
    ]);
    expect(carrier.sent[0]?.consignment).toMatchObject({ carrierCode: 'south', info: { rateId: 'R-south' } });
    const { carrierCode, choice } = await shop.read();
    expect([
      carrierCode,
      choice.considered.map((one: { carrier: string; rank?: number }) => [one.carrier, one.rank]),
    ]).toEqual([
      'south',
      [
        ['south', 1],
        ['west', 2],
        ['north', 3],
        ['acme', undefined],
        ['solo', undefined],
      ],
    ]);
    expect((await api.stored()).order.carrier).toEqual({ code: 'cheap' });
  });

  it('takes any service where the order wishes for none', async () => {
    ends({});
    const { status, body } = await shop.create(by('inline', { 'consignmentDetails.serviceType': undefined }));
    expect([status, body.data[0].choice]).toMatchObject([200, { carrierCode: 'north', service: 'Express' }]);
  });

  it('by AUTO is one that names the shipper’s default policy', async () => {
    const { code } = await shop.opened();
    expect(await shop.create(by('AUTO'))).toMatchObject({
      status: 422,
      body: {
        findings: [{ code: 'policy_known', field: 'carrier.code', message: expect.stringContaining('you have none') }],
      },
    });
    const edit = (policy: string) => api.admin.put(`/admin/shippers/${code}`, { name: 'Example Shop', policy });
    expect(await edit('nobody')).toMatchObject({
      status: 422,
      body: { findings: [{ code: 'policy_known', field: 'policy' }] },
    });
    expect((await edit('alone')).body).toMatchObject({ policy: 'alone' });
    expect((await shop.create(by('AUTO'))).body.data[0].choice).toMatchObject({
      policy: 'alone',
      carrierCode: 'north',
    });
    expect((await api.admin.get(`/admin/shippers/${code}`)).body.policy).toBe('alone');
  });

  it('is 422 where the policy is unknown or leaves no carrier, with each carrier’s reason, and nothing is dispatched', async () => {
    const unknown = await shop.create(by('nobody'));
    expect([unknown.status, codesOf(unknown.body.findings)]).toEqual([422, ['carrier.code carrier_known']]);
    const { status, body } = await shop.create(by('far'));
    expect([status, body.code, body.message]).toEqual([
      422,
      'no_carrier',
      'Policy far leaves no carrier for the consignment',
    ]);
    expect(body.errors).toEqual([
      'carrier.code "far" does not take north (Express): it is not for what goes to IN 400001',
      'carrier.code "far" does not take south (Express): South takes heavy things',
      expect.stringContaining('acme: the policy does not name it'),
      expect.stringContaining('solo'),
      expect.stringContaining('west'),
    ]);
    const wrong = await shop.create(by('cheap', { 'shipTo.address.country': 'Nowhere' }));
    expect([wrong.status, wrong.body.errors[0].details]).toEqual([
      400,
      [expect.stringContaining('shipTo.address.country')],
    ]);
    expect([asked(), (await shop.get('/v2/consignments')).body.data]).toEqual([[], []]);
  });

  it('is that of an offer where it names one', async () => {
    const { status, body } = await shop.create(by('cheap', { 'carrier.offerId': 'none' }));
    expect([status, codesOf(body.findings)]).toEqual([422, ['carrier.offerId offer_known']]);
  });

  it('passes over carriers whose circuit breaker is open', async () => {
    ends({});
    await api.admin.post('/admin/breakers/south/open', {});
    try {
      const { choice } = (await shop.create(by('cheap'))).body.data[0];
      expect(choice.carrierCode).toBe('west');
      const { considered } = (await shop.read()).choice;
      expect(considered).toContainEqual(
        expect.objectContaining({ carrier: 'south', excluded: expect.objectContaining({ code: 'breaker_open' }) }),
      );
    } finally {
      await api.admin.post('/admin/breakers/south/close', {});
    }
  });

  it.each([
    ['passes over a carrier whose circuit breaker opened a moment ago', 1_000, 'west'],
    ['tries it again once the pause of the breaker is over', 3_600_000, 'south'],
  ])('%s', async (_, sinceMs, taken) => {
    ends({});
    const opened = { failures: 99, newestMs: api.clock.now() - sinceMs, healthyMs: null };
    for (const party of await api.sql('select id from accounts')) api.state.breakers.set(`south/${party.id}`, opened);
    api.state.breakers.set('south', opened);
    expect((await shop.create(by('cheap'))).body.data[0].choice.carrierCode).toBe(taken);
    api.state.breakers.clear();
  });

  it('gets the same carrier of its shares each time it is sent', async () => {
    ends({ north: rejected('no'), south: rejected('no') });
    const first = await firsts();
    expect(new Set(first).size).toBe(2);
    expect(await firsts()).toEqual(first);
  });
});

describe('A create by a policy that guarantees a minimum', () => {
  it('goes to who has not got it yet, of which what was refused or cancelled is no part', async () => {
    ends({});
    const carriers: string[] = [];
    for (const at of [1, 2, 3, 4]) {
      const { body } = await shop.create(by('promised', {}, `REF-${at}`));
      carriers.push(body.data[0].choice.carrierCode);
      if (at === 2) await shop.cancel('REF-1');
    }
    expect(carriers).toEqual(['south', 'north', 'south', 'north']);
  });
});

describe('A create that its carrier certainly did not do', () => {
  it.each([
    ['rejects it', rejected('too bulky'), 'refused'],
    ['fails', held('fail', 'too bulky'), 'fail'],
    ['cannot be asked', held('config_error', 'too bulky'), 'config_error'],
  ] as const)('goes to the next where the first %s', async (_, outcome, code) => {
    ends({ south: outcome });
    const { status, body } = await shop.create(by('cheap'));
    const tried = [{ carrierCode: 'south', service: 'Express', code, messages: ['too bulky'], at: expect.any(String) }];
    const choice = { policy: 'cheap', carrierCode: 'west', total: 6, tried };
    expect([status, body.data[0]]).toMatchObject([
      200,
      { acceptance: 'accepted', trackingDetails: [{ carrierDetails: { code: 'west', info: { total: 6 } } }], choice },
    ]);
    expect(asked()).toEqual(['create at south', 'create at west']);
    const [first, second] = carrier.sent;
    expect(second?.consignment).toMatchObject({
      ...first?.consignment,
      carrierCode: 'west',
      info: { rateId: 'R-west' },
    });
    expect(second?.input.service.code).toBe('west-x');
    const story = (await api.admin.get(`/admin/consignments/${(await api.stored()).id}`)).body;
    expect(story).toMatchObject({ carrierCode: 'west', choice, order: { carrier: { code: 'cheap' } } });
    expect(story.dispatches.map(({ state }: { state: string }) => state)).toEqual([
      outcome.kind === 'held' ? 'cancelled' : 'rejected',
      'done',
    ]);
    const [{ body: told }, ...others] = await api.sql(
      'select body::json as body from notices where consignment_id = (select max(id) from consignments)',
    );
    expect([told, others]).toMatchObject([{ event: 'consignment.tracking', carrierCode: 'west', choice }, []]);
    const [{ code: account }] = await api.sql(
      'select a.carrier_code as code from accounts a join consignments c on c.account_id = a.id order by c.id desc limit 1',
    );
    expect(account).toBe('west');
  });

  it('is 422 with the words of all that were asked once no carrier is left, and its reference is free', async () => {
    ends({ south: rejected('too bulky'), west: rejected('too far'), north: rejected('never asked') });
    const { status, body } = await shop.create(by('cheap'));
    expect([status, body.code, body.message, body.errors]).toEqual([
      422,
      'carrier_rejected',
      'None of the carriers of policy cheap took it',
      ['south: too bulky', 'west: too far'],
    ]);
    expect((await shop.read()).choice.tried).toHaveLength(2);
    ends({});
    expect((await shop.create(by('alone'))).status).toBe(200);
  });

  it('stays with it where the policy says so', async () => {
    ends({ north: rejected('too bulky') });
    expect(await shop.create(by('alone'))).toMatchObject({
      status: 422,
      body: { message: 'North Parcels rejected the create', errors: ['too bulky'] },
    });
    expect(asked()).toEqual(['create at north']);
  });

  it('goes on though nobody waits, and whoever dies meanwhile', async () => {
    ends({ south: rejected('too bulky') });
    expect((await shop.create(by('cheap'), { prefer: 'respond-async' })).body.data[0]).toMatchObject({
      acceptance: 'pending',
      choice: { carrierCode: 'south' },
    });
    await api.work();
    // What is next is written with the refusal itself: nobody has to be alive for it.
    expect(await api.sql(`select state, operation from dispatches order by id desc limit 2`)).toEqual([
      { state: 'pending', operation: 'create' },
      { state: 'rejected', operation: 'create' },
    ]);
    expect(await shop.read()).toMatchObject({
      acceptance: 'pending',
      carrierCode: 'west',
      choice: { tried: [REFUSED] },
    });
    await api.work();
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted', carrierCode: 'west' });
    expect(asked()).toEqual(['create at south', 'create at west']);
  });

  it('answers a repeat by who has it, though the first refusal was told to nobody', async () => {
    ends({ south: rejected('too bulky') });
    const key = { 'idempotency-key': 'unheard' };
    const recordsAreBack = await api.loseAnswers();
    expect((await shop.create(by('cheap'), key)).status).toBe(500);
    await recordsAreBack();
    expect(await shop.create(by('cheap'), key)).toMatchObject({
      status: 200,
      body: { data: [{ acceptance: 'accepted', choice: { carrierCode: 'west', tried: [REFUSED] } }] },
    });
    expect(asked()).toEqual(['create at south', 'create at west']);
  });

  it('is one create under a key, whose repeats are answered alike', async () => {
    ends({ south: rejected('too bulky') });
    const key = { 'idempotency-key': 'policy' };
    const first = await shop.create(by('cheap'), key);
    expect((await shop.create(by('cheap'), key)).text).toBe(first.text);
    expect(asked()).toHaveLength(2);
  });

  it('is for an operator to say of one that nobody knows of', async () => {
    ends({ south: held('unknown_outcome', 'no answer') });
    expect((await shop.create(by('cheap'))).body.data[0]).toMatchObject({
      acceptance: 'held',
      choice: { carrierCode: 'south', tried: [] },
    });
    expect(asked()).toEqual(['create at south']);
    const [{ id }] = await api.sql('select max(id) as id from dispatches');
    const said = await api.admin.post(`/admin/dispatches/${id}/resolve`, { outcome: 'not_done', note: 'asked them' });
    expect(said.status).toBe(200);
    await api.work();
    expect(await shop.read()).toMatchObject({
      acceptance: 'accepted',
      carrierCode: 'west',
      choice: { tried: [{ carrierCode: 'south', code: 'resolved_by_operator' }] },
    });
  });

  it.each(['undo_failed', 'partial'] as const)('is held where it is %s', async (why) => {
    ends({ south: held(why) });
    await shop.create(by('cheap'));
    expect([asked(), (await shop.read()).carrierCode]).toEqual([['create at south'], 'south']);
  });
});

describe('An update of an order that names a policy', () => {
  it('chooses anew where it names a policy while no label exists', async () => {
    ends({});
    await shop.create(by('inline'));
    expect(await carrierOf()).toEqual(['north', 'inline', undefined]);
    const { status, body } = await shop.change({ deliveryInstructions: 'new' }, { carrier: { code: 'cheap' } });
    expect([status, body.data[0]]).toMatchObject([
      200,
      { acceptance: 'accepted', choice: { carrierCode: 'south', total: 5 } },
    ]);
    expect(asked()).toEqual(['create at north', 'cancel at north', 'create at south']);
    expect(carrier.sent.at(-1)?.input.service.code).toBe('south-x');
    expect((await api.stored()).order.carrier.code).toBe('cheap');
  });

  it('goes on to the next where the newly chosen one refuses', async () => {
    ends({ south: rejected('too bulky') });
    await shop.create(by('inline'));
    const { body } = await shop.change({}, { carrier: { code: 'cheap' } });
    expect(body.data[0]).toMatchObject({ acceptance: 'accepted', choice: { carrierCode: 'west', tried: [REFUSED] } });
  });

  it('keeps the carrier where it names none, and the price as long as that holds', async () => {
    ends({});
    await shop.create(by('cheap'));
    expect((await shop.change({ deliveryInstructions: 'new' })).status).toBe(200);
    expect(await carrierOf()).toEqual(['south', 'cheap', 5]);
    expect(
      (
        await shop.change(
          {},
          { shipTo: { ...order().shipTo, address: { ...order().shipTo.address, pincode: '400002' } } },
        )
      ).status,
    ).toBe(200);
    expect(await carrierOf()).toEqual(['south', 'cheap', undefined]);
    expect(asked()).toEqual(['create at south', 'update at south', 'update at south']);
    expect(carrier.sent[1]?.consignment.info).toMatchObject({ rateId: 'R-south' });
    expect(carrier.sent[2]?.input.service.code).toBe('south-x');
    await shop.cancel();
    expect(carrier.sent.at(-1)?.input.service.code).toBe('south-x');
  });

  it('is of the order as it is now for whoever comes next', async () => {
    ends({ south: { kind: 'waiting', dueAtMs: api.clock.now() + 1_000, problem: { code: 'busy', messages: [] } } });
    await shop.create(by('cheap'));
    expect((await shop.change({ deliveryInstructions: 'new' })).body.data[0].acceptance).toBe('pending');
    ends({ south: rejected('too bulky') });
    api.clock.advance(2_000);
    await api.work();
    await api.work();
    expect(carrier.sent.at(-1)?.consignment).toMatchObject({ carrierCode: 'west', deliveryInstructions: 'new' });
  });

  it('is fixed to its carrier once a label exists', async () => {
    await shop.create(by('cheap'));
    expect((await shop.change({ deliveryInstructions: 'new' }, { carrier: { code: 'cheap' } })).status).toBe(200);
    expect(await carrierOf()).toEqual(['south', 'cheap', 5]);
    for (const code of ['inline', 'AUTO', 'north'])
      expect(await shop.change({}, { carrier: { code } })).toMatchObject({
        status: 422,
        body: { findings: [{ code: 'carrier_fixed', field: 'carrier.code' }] },
      });
    expect(asked()).toEqual(['create at south', 'update at south']);
  });

  it('is no policy’s any more where it names a carrier', async () => {
    ends({});
    await shop.create(by('cheap'));
    expect((await shop.change({}, { carrier: { code: 'north' } })).status).toBe(200);
    expect(await carrierOf()).toEqual(['north', undefined, undefined]);
  });
});

describe('POST /v2/carriers/choose', () => {
  it('says of each carrier why it would be taken or not, and records nothing', async () => {
    const { status, body } = await shop.post(
      '/v2/carriers/choose',
      by('inline', { 'consignmentDetails.paymentTobeCollected': { paymentMode: 'COD', amount: 5, currency: 'EUR' } }),
    );
    expect([status, body.data]).toEqual([
      200,
      {
        policy: 'inline',
        rule: 'the policy',
        carrierCode: 'north',
        service: 'Express',
        considered: [
          { carrier: 'north', service: 'Express', rank: 1 },
          {
            carrier: 'south',
            service: 'Express',
            excluded: { code: 'capability', reason: expect.stringContaining('COD') },
          },
          {
            carrier: 'solo',
            service: 'EXPRESS',
            excluded: { code: 'capability', reason: expect.stringContaining('COD') },
          },
          { carrier: 'acme', excluded: { code: 'not_in_rule', reason: expect.any(String) } },
          { carrier: 'west', excluded: { code: 'not_in_rule', reason: expect.any(String) } },
        ],
      },
    ]);
    const none = await shop.post('/v2/carriers/choose', by('far'));
    expect([none.status, none.body.data.carrierCode, none.body.data.considered.length]).toEqual([200, undefined, 5]);
    expect((await shop.post('/v2/carriers/choose', by('acme'))).body.findings).toMatchObject([
      { code: 'policy_known', field: 'carrier.code' },
    ]);
    expect([asked(), (await shop.get('/v2/consignments')).body.data]).toEqual([[], []]);
  });
});
