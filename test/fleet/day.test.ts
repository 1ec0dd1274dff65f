/** A day of the fleet: planned, changed by hand, driven, and told to those whose consignments they are. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { COMPANION_MIGRATIONS } from '../../src/cli/records.ts';
import { pdfTexts, readPdf } from '../support/barcode.ts';
import { until } from '../support/until.ts';
import { greatCircleTable } from '../../src/fleet/plan/great-circle.ts';
import { pushDue, startOutbox } from '../../src/fleet/execution/outbox.ts';
import { PNG } from './png.ts';
import { consignment, DAY, fleetWorld, furnish } from './world.ts';

/** Once, while a day is being worked on. */
let meanwhile: (() => Promise<void>) | undefined;
const world = fleetWorld({
  travelOf: async (places) => {
    const once = meanwhile;
    meanwhile = undefined;
    await once?.();
    return greatCircleTable(places, { speedKmh: 40 });
  },
});
beforeAll(async () => await furnish(world));
beforeEach(async () => {
  await world.database.rows(
    `truncate fleet.outbox, fleet.proofs, fleet.events, fleet.packages, fleet.tasks, fleet.stops, fleet.routes, fleet.plans, fleet.reservations cascade`,
  );
  world.sent.length = 0;
});

const { ask } = world;
const send = async (referenceId: string, more: object = {}): Promise<string> => {
  const { status, body } = await world.carrier('POST', '/consignments', consignment(referenceId, more));
  expect(status, JSON.stringify(body)).toBe(200);
  return body.itemsTrackDetails[0].trackingNumber as string;
};
/** Copies of a task, without its window. */
const many = async (of: string, reference: string, count: number, demand: string, lastDay = 'first_day') =>
  await world.database.rows(`
    insert into fleet.tasks (link_id, reference_id, order_number, consignment_number, kind, depot, zone, first_day, last_day, consignment, demand)
    select link_id, '${reference}-' || at, order_number, consignment_number, kind, depot, zone, first_day, ${lastDay}, consignment,
      (demand - 'window') || '${demand}'
    from fleet.tasks, generate_series(1, ${count}) as at where reference_id = '${of}'`);
const whysOf = ({ unassigned }: { unassigned: readonly { task: { referenceId: string }; why: string }[] }) =>
  new Map(unassigned.map(({ task, why }) => [task.referenceId, why]));
const board = async () => (await ask('GET', `/board?depot=BER&day=${DAY}`)).body;
const plan = async (more: object = {}) => {
  const { status, body } = await ask('POST', '/plans', { depot: 'BER', day: DAY, iterations: 200, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  let found: { state: string; error?: string; best: { routes: object[]; unassigned: object[] } } | undefined;
  await until('the plan is made', async () => {
    found = (await ask('GET', `/plans/${body.planId}`)).body;
    return found?.state !== 'solving';
  });
  expect(found).toMatchObject({ state: 'solved' });
  return { id: body.planId as string, best: found!.best };
};
const planned = async (more: object = {}) => {
  const { id } = await plan(more);
  const { status, body } = await ask('POST', `/plans/${id}/adopt`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const edit = async (change: object, more: object = {}) =>
  await ask('POST', '/edits', { depot: 'BER', day: DAY, version: (await board()).version, edit: change, ...more });
const event = (type: string, at: string, more: object = {}) => ({
  id: randomUUID(),
  type,
  at: `2026-12-01T${at}Z`,
  ...more,
});
const tokenOf = async (driver: string): Promise<{ authorization: string }> => {
  const { body } = await ask('POST', `/resources/drivers/${driver}/token`, {});
  return { authorization: `Bearer ${body.token}` };
};
const pushed = async (): Promise<readonly { value: string; carrierStatusCode: string }[]> => {
  await pushDue(world.deps);
  return world.sent.flatMap(({ body }) => body as { value: string; carrierStatusCode: string }[]);
};
const codesOf = async (number: string) =>
  (await pushed()).filter(({ value }) => value === number).map((one) => one.carrierStatusCode);
const upload = async (
  auth: Record<string, string>,
  stopId: string,
  kind: string,
  bytes: Buffer = PNG,
  id: string = randomUUID(),
) => ({
  id,
  ...(await ask('PUT', `/driver/proofs/${id}?stopId=${stopId}&kind=${kind}`, bytes, {
    ...auth,
    'content-type': 'image/png',
  })),
});

const times = (end: 'destination' | 'origin', from: string, to: string) => ({
  exchangeOrderNumber: 'APART',
  [`${end}PreferredStartTime`]: `${DAY} ${from}:00`,
  [`${end}PreferredEndTime`]: `${DAY} ${to}:00`,
});
const pickup = (reference: string, latitude: string) => {
  const { originPostalCode, originCity, destinationPostalCode, destinationCity } = consignment('') as Record<
    string,
    string
  >;
  return [
    reference,
    {
      typeOfOrder: 'REVERSE',
      originPostalCode: destinationPostalCode,
      originCity: destinationCity,
      destinationPostalCode: originPostalCode,
      destinationCity: originCity,
      originLatitude: latitude,
      originLongitude: '13.4',
    },
  ] as const;
};

describe('planning', () => {
  it('makes routes of what is open, that keep to every rule, and says what it left', async () => {
    for (let at = 0; at < 8; at += 1)
      await send(`P-${at}`, { destinationLatitude: String(52.5 + at / 200), destinationLongitude: '13.40' });
    await send('TWO', { vas: [{ vasCode: 'TWO_MAN_DELIVERY', serviceTime: 20 }] });
    // Each alone is possible, both at the same time are not: only one crew is of two.
    for (const reference of ['SAME-1', 'SAME-2'])
      await send(reference, {
        vas: [{ vasCode: 'TWO_MAN_DELIVERY', serviceTime: 300 }],
        destinationPreferredStartTime: '2026-12-01 10:00:00',
        destinationPreferredEndTime: '2026-12-01 10:30:00',
      });
    const { routes, unassigned, costs } = await planned();
    const stops = routes.flatMap((route: { driver: string; stops: { tasks: { referenceId: string }[] }[] }) =>
      route.stops.flatMap((stop) => stop.tasks.map(({ referenceId }) => [referenceId, route.driver])),
    );
    expect(Object.fromEntries(stops)).toMatchObject({ TWO: 'erik' });
    expect(stops).toHaveLength(10);
    expect(unassigned).toMatchObject([{ task: { referenceId: expect.stringMatching(/^SAME-/), state: 'open' } }]);
    expect(unassigned[0].why).toContain('dana');
    expect(routes.flatMap((route: { violations: object[] }) => route.violations)).toEqual([]);
    expect(costs.cost).toBeGreaterThan(0);
  });

  it('of more than can be planned at once, what ends first is planned first, and how many are left is said', async () => {
    await send('FIRST', times('destination', '09:00', '10:00'));
    await many('FIRST', 'MANY', 2_100, '{}', 'null');
    const { left, unassigned } = await board();
    expect([left, unassigned.length]).toEqual([101, 2_000]);
    expect(unassigned.some(({ task }: { task: { referenceId: string } }) => task.referenceId === 'FIRST')).toBe(true);
  });

  it('of more than can be planned at once, what nobody can do comes last, and the board says why', async () => {
    await send('FREE');
    const overMs = Date.parse(`${DAY}T00:00:00Z`);
    await many('FREE', 'SKILL', 1_500, `{"skills": ["piano"]}`);
    await many('FREE', 'OVER', 1_000, `{"window": {"fromMs": ${overMs - 1}, "toMs": ${overMs}}}`);
    await many('FREE', 'HEAVY', 10, `{"weightKg": 99999}`);
    const first = await board();
    const whys = whysOf(first);
    expect([first.left, whys.size, whys.has('FREE')]).toEqual([511, 2_000, true]);
    expect([...whys.values()].filter((why) => why.includes('skills piano'))).toHaveLength(100);
    const { best } = await plan({ iterations: 1 });
    expect(best.routes).toHaveLength(1);
    await many('FREE', 'MORE', 2_100, `{}`);
    const full = await board();
    const shown = [...whysOf(full)].filter(([reference]) => reference.startsWith('SKILL'));
    expect([full.left, shown.length]).toEqual([2_511, 100]);
    for (const [, why] of shown) expect(why).toContain('skills piano');
  });

  it('brings both parts of an exchange to one door, and more depots keep their own', async () => {
    await send('SWAP-OUT', { exchangeOrderNumber: 'SWAP' });
    const back = Object.fromEntries(
      Object.entries(consignment('X')).flatMap(([name, value]) => {
        const other = name.startsWith('origin')
          ? name.replace('origin', 'destination')
          : name.startsWith('destination')
            ? name.replace('destination', 'origin')
            : undefined;
        return other === undefined ? [] : [[other, value]];
      }),
    );
    await send('SWAP-BACK', { exchangeOrderNumber: 'SWAP', typeOfOrder: 'REVERSE', ...back });
    const { routes } = await planned();
    expect(routes).toHaveLength(1);
    expect(routes[0].stops).toMatchObject([
      {
        tasks: [
          { referenceId: 'SWAP-OUT', kind: 'DELIVERY' },
          { referenceId: 'SWAP-BACK', kind: 'PICKUP' },
        ],
      },
    ]);
  });

  it('both parts of an exchange are apart where their times are', async () => {
    await send('NEW', {
      destinationLatitude: '52.52',
      destinationLongitude: '13.4',
      ...times('destination', '09:00', '10:00'),
    });
    const { originPostalCode, originCity, destinationPostalCode, destinationCity } = consignment('OLD') as Record<
      string,
      string
    >;
    await send('OLD', {
      typeOfOrder: 'REVERSE',
      originPostalCode: destinationPostalCode,
      originCity: destinationCity,
      destinationPostalCode: originPostalCode,
      destinationCity: originCity,
      originLatitude: '52.52',
      originLongitude: '13.4',
      ...times('origin', '14:00', '15:00'),
    });
    const { routes, unassigned } = await planned();
    expect(unassigned).toEqual([]);
    expect(routes.flatMap(({ stops }: { stops: object[] }) => stops)).toHaveLength(2);
  });

  it('an order that nobody brought in its time can be planned for a later day', async () => {
    await send('LATE', {
      destinationPreferredStartTime: `${DAY} 09:00:00`,
      destinationPreferredEndTime: `${DAY} 12:00:00`,
    });
    const next = '2026-12-02';
    const onBoard = async (): Promise<object[]> => (await ask('GET', `/board?depot=BER&day=${next}`)).body.unassigned;
    expect(await onBoard()).toEqual([]);
    world.clock.advance(24 * 3_600_000);
    onTestFinished(() => world.clock.advance(-24 * 3_600_000));
    expect(await onBoard()).toHaveLength(1);
    expect((await board()).unassigned).toMatchObject([{ why: 'its time is over: it can be planned for a later day' }]);
    const { best } = await plan({ day: next });
    expect([best.routes.length, best.unassigned]).toEqual([1, []]);
  });

  it('an update that changes nothing of the way leaves an order on its route, another takes it off', async () => {
    await send('SAME');
    await planned();
    await send('SAME', { typeOfAction: 'UPDATE', destinationName: 'Max Example' });
    expect((await board()).unassigned).toEqual([]);
    await send('SAME', { typeOfAction: 'UPDATE', totalWeight: 20 });
    expect((await board()).unassigned).toHaveLength(1);
  });

  it('the same seed and iterations give the same plan; one that others overtook is not adopted', async () => {
    for (let at = 0; at < 6; at += 1) await send(`S-${at}`, { destinationLatitude: String(52.5 + at / 100) });
    const first = await plan({ seed: 7 });
    expect((await plan({ seed: 7 })).best).toEqual(first.best);
    await send('LATE');
    const { status, body } = await ask('POST', `/plans/${first.id}/adopt`);
    expect([status, body.code]).toEqual([409, 'stale']);
  });

  it('an order that is called off while its plan is adopted stays so', async () => {
    await send('OFF-1');
    await send('ON-1', { destinationLatitude: '52.53' });
    const { id } = await plan();
    meanwhile = async () => {
      const { status } = await world.carrier('POST', '/consignments', consignment('OFF-1', { typeOfAction: 'CANCEL' }));
      expect(status).toBe(200);
    };
    expect((await ask('POST', `/plans/${id}/adopt`)).body).toMatchObject({ status: 409, code: 'stale' });
    expect(await world.database.values(`select state from fleet.tasks order by reference_id`)).toEqual([
      'cancelled',
      'open',
    ]);
    const { routes } = await planned();
    expect(routes.flatMap(({ stops }: { stops: object[] }) => stops)).toHaveLength(1);
  });

  it('an order whose stop is gone when an edit is written is left as it is now', async () => {
    await send('MOVED');
    const {
      routes: [route],
    } = await planned();
    const before = await board();
    meanwhile = async () => {
      const more = { typeOfAction: 'UPDATE', destinationLatitude: '52.54' };
      expect((await world.carrier('POST', '/consignments', consignment('MOVED', more))).status).toBe(200);
    };
    const change = {
      depot: 'BER',
      day: DAY,
      version: before.version,
      edit: { kind: 'lock', stopIds: [route.stops[0].id] },
    };
    expect((await ask('POST', '/edits', change)).body).toMatchObject({ status: 409, code: 'stale' });
    expect((await board()).unassigned).toMatchObject([{ task: { referenceId: 'MOVED', state: 'open' } }]);
  });

  it('can be ended early, and then has its best plan', async () => {
    for (let at = 0; at < 6; at += 1) await send(`A-${at}`);
    const { body } = await ask('POST', '/plans', { depot: 'BER', day: DAY, seconds: 600 });
    await until('it is under way', async () => (await ask('GET', `/plans/${body.planId}`)).body.progress !== undefined);
    expect((await ask('POST', `/plans/${body.planId}/abort`)).body.state).toBe('aborted');
    await until('its best is there', async () => (await ask('GET', `/plans/${body.planId}`)).body.best !== undefined);
    expect((await ask('POST', `/plans/${body.planId}/adopt`)).body.routes[0].stops).toHaveLength(6);
  });

  it('a day on which nobody works is told', async () => {
    await world.put('calendars', 'holiday', { closed: ['2026-12-25'] });
    const { status, body } = await ask('POST', '/plans', { depot: 'BER', day: '2026-12-25' });
    expect([status, body.code]).toEqual([422, 'nobody_works']);
  });
});

describe('by hand', () => {
  it('a move is tried for its cost, refused where it breaks a rule, and done', async () => {
    await send('LIGHT');
    await send('HEAVY', { totalWeight: 2_000, destinationLatitude: '52.54' });
    const { routes } = await planned();
    const truck = routes.find(({ driver }: { driver: string }) => driver === 'erik');
    const light = (await board()).routes
      .flatMap((route: { stops: { tasks: { id: string; referenceId: string }[] }[] }) =>
        route.stops.flatMap(({ tasks }) => tasks),
      )
      .find(({ referenceId }: { referenceId: string }) => referenceId === 'LIGHT');
    await edit({ kind: 'unassign', taskId: light.id });
    const off = await board();
    expect(off.unassigned).toMatchObject([{ task: { referenceId: 'LIGHT' } }]);
    const tried = await edit({ kind: 'move', taskId: light.id, routeId: truck.id }, { dryRun: true });
    expect(tried.body.cost.after).toBeGreaterThan(tried.body.cost.before);
    expect((await board()).unassigned).toHaveLength(1);
    expect((await edit({ kind: 'move', taskId: light.id, routeId: truck.id })).body.board.unassigned).toEqual([]);
    const changed = await edit({ kind: 'reassign', routeId: truck.id, driver: 'dana', vehicle: 'VAN-1' });
    expect(changed.status).toBe(422);
    expect(changed.body.message).toBe('dana: The load is too large for the vehicle.');
  });

  it('a locked stop stays where it is when the day is planned anew, and a stale board changes nothing', async () => {
    await send('L-1');
    await send('L-2', { destinationLatitude: '52.54' });
    const { routes, version } = await planned();
    await edit({ kind: 'lock', stopIds: routes[0].stops.map(({ id }: { id: string }) => id) });
    await send('L-3', { destinationLatitude: '52.55' });
    const after = await planned({ scope: 'open' });
    expect(after.routes[0].driver).toBe(routes[0].driver);
    expect(after.routes[0].stops.filter(({ locked }: { locked: boolean }) => locked)).toHaveLength(2);
    const stale = await ask('POST', '/edits', {
      depot: 'BER',
      day: DAY,
      version,
      edit: { kind: 'lock', stopIds: ['1'] },
    });
    expect([stale.status, stale.body.code]).toEqual([409, 'stale']);
  });

  it('what is wrong with an edit is told at its field, the plan unharmed', async () => {
    await send('E-1');
    const before = await planned();
    const [route] = before.routes;
    const [{ id: taskId }] = route.stops[0].tasks;
    for (const [change, status, message] of [
      [{ kind: 'move', routeId: route.id }, 400, 'edit.taskId is needed by move'],
      [{ kind: 'move', taskId, routeId: '999' }, 404, 'There is no route 999'],
      [
        { kind: 'split', routeId: route.id, position: 9, driver: 'dana', vehicle: 'VAN-1' },
        400,
        'edit.position is beyond the stops of the route',
      ],
      [{ kind: 'lock', stopIds: ['999'] }, 400, 'edit.stopIds[0] names stop 999'],
      [{ kind: 'reassign', routeId: route.id, driver: 'nobody' }, 422, 'does not work that day'],
    ] as const) {
      const reply = await edit(change);
      expect([reply.status, reply.body.message]).toEqual([status, expect.stringContaining(message)]);
    }
    expect((await board()).routes).toEqual(before.routes);
  });

  it('explains what each crew would take for a task, or why it cannot', async () => {
    await send('PIANO', { vas: [{ vasCode: 'TWO_MAN_DELIVERY' }] });
    const [{ task }] = (await board()).unassigned;
    const { body } = await ask('GET', `/tasks/${task.id}/explanation?day=${DAY}`);
    expect(body.options).toEqual([
      expect.objectContaining({ driver: 'erik', addedKm: expect.any(Number), arrival: expect.stringContaining(DAY) }),
      expect.objectContaining({ driver: 'dana', why: expect.any(String) }),
    ]);
  });
});

it('a route is on paper as it is on the board', async () => {
  const numbers = [await send('M-1'), await send('M-2', { destinationLatitude: '52.53' })];
  const { routes } = await planned();
  const { body } = await ask('GET', `/routes/${routes[0].id}/manifest`);
  expect(await readPdf(body)).toEqual([[`ROUTE-${routes[0].id}`]]);
  const [page] = await pdfTexts(body);
  for (const number of numbers) expect(page?.lines.join(' ')).toContain(number);
});

describe('on the road', () => {
  it('what is reported twice, late and out of order comes to the same as once and in order', async () => {
    const number = await send('R-1');
    await send('R-2', { destinationLatitude: '52.54' });
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const [first, second] = route.stops;
    const started = event('route_started', '08:00:00');
    const events = [
      started,
      event('en_route', '08:05:00', { stopId: first.id }),
      event('arrived', '08:20:00', { stopId: first.id }),
      event('delivered', '08:30:00', { stopId: first.id, receivedBy: 'Max Sample', relation: 'Self' }),
    ];
    world.clock.advance(4 * 3_600_000);
    const late = await ask('POST', '/driver/events', [events[3], events[2], events[2]], auth);
    expect(late.body.results.map(({ result }: { result: string }) => result)).toEqual([
      'recorded',
      'recorded',
      'repeated',
    ]);
    const again = await ask('POST', '/driver/events', events, auth);
    expect(again.body.results.map(({ result }: { result: string }) => result)).toEqual([
      'recorded',
      'recorded',
      'repeated',
      'repeated',
    ]);
    const [shown, next] = again.body.route.stops;
    expect([shown.state, shown.tasks[0].state, next.state, again.body.route.state]).toEqual([
      'done',
      'delivered',
      'pending',
      'started',
    ]);
    const expected =
      Date.parse('2026-12-01T08:30:00Z') + (Date.parse(second.plannedArrival) - Date.parse(first.plannedDeparture));
    expect(Math.abs(Date.parse(next.eta) - expected)).toBeLessThan(2_000);
    const mine =
      first.tasks[0].packages[0].trackingNumber === number ? number : first.tasks[0].packages[0].trackingNumber;
    expect((await codesOf(mine)).toSorted()).toEqual(['ARRIVED', 'DELIVERED', 'EN_ROUTE', 'OUT_FOR_DELIVERY']);
    world.clock.advance(-4 * 3_600_000);
  });

  it('a delay moves the times of what is to come, and its receivers hear of it', async () => {
    const number = await send('D-1');
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    world.clock.advance(2 * 3_600_000);
    await ask('POST', '/driver/events', [event('route_started', '07:30:00')], auth);
    const before = (await ask('GET', '/driver/route', undefined, auth)).body.route.stops[0].eta;
    await ask('POST', '/driver/events', [event('delayed', '07:40:00', { minutes: 45, comment: 'Traffic' })], auth);
    const after = (await ask('GET', '/driver/route', undefined, auth)).body.route.stops[0].eta;
    expect(Date.parse(after) - Date.parse(before)).toBe(45 * 60_000);
    expect(await codesOf(number)).toEqual(['OUT_FOR_DELIVERY', 'DELAYED']);
    world.clock.advance(-2 * 3_600_000);
  });

  it('proof of delivery goes along, with photos, signature and what was put up', async () => {
    await world.put('service-times', 'INSTALLATION', { stopMinutes: 10, skills: ['installer'] });
    const number = await send('POD', {
      vas: [{ vasCode: 'SIGNATURE_REQUIRED' }, { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['PKG-1'] }],
    });
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const [stop] = route.stops;
    const unsigned = await ask(
      'POST',
      '/driver/events',
      [
        event('delivered', '06:01:00', { stopId: stop.id }),
        event('partly_delivered', '06:01:00', { stopId: stop.id, packages: ['PKG-1'] }),
      ],
      auth,
    );
    const findings = [{ field: 'proofs', message: 'proofs must have a signature: the order asks for one' }];
    expect(unsigned.body.results).toMatchObject([
      { result: 'refused', findings },
      { result: 'refused', findings },
    ]);
    const signature = await upload(auth, stop.id, 'signature');
    const photo = await upload(auth, stop.id, 'photo');
    expect((await upload(auth, stop.id, 'photo', PNG, photo.id)).body.url).toBe(photo.body.url);
    const { body } = await ask(
      'POST',
      '/driver/events',
      [
        event('delivered', '06:01:00', {
          stopId: stop.id,
          proofs: [signature.id, photo.id],
          receivedBy: 'Max Sample',
          relation: 'Self',
          latitude: 52.517,
          longitude: 13.389,
          comment: 'Left door',
          vas: [{ vasCode: 'INSTALLATION', itemReferenceNumber: 'PKG-1', done: true }],
        }),
      ],
      auth,
    );
    expect(body.results).toMatchObject([{ result: 'recorded' }]);
    const update = (await pushed()).find(
      ({ value, carrierStatusCode }) => value === number && carrierStatusCode === 'DELIVERED',
    );
    expect(update).toMatchObject({
      driverName: 'Erik Example',
      latitude: '52.517',
      eventTimezone: 'Europe/Berlin',
      statusReceivedAt: '2026-12-01 07:01:00',
      statusIdentifierValue: 'FORWARD',
      extraInfo: {
        receivedBy: 'Max Sample',
        relation: 'Self',
        comments: 'Left door',
        signature: signature.body.url,
        pod: [{ type: 'photo', url: photo.body.url }],
      },
      installationItems: [{ itemReferenceNumber: 'PKG-1', vasCode: 'INSTALLATION', status: 'COMPLETED' }],
    });
    const served = await ask('GET', new URL(photo.body.url).pathname.replace('/fleet/v1', ''));
    expect([served.status, Buffer.compare(served.body, PNG)]).toEqual([200, 0]);
  });

  it('a part is delivered, the rest has failed; what comes back is tried again, three times in all', async () => {
    const item = { itemQuantity: 1, itemWeight: 1, itemWeightUom: 'KG' };
    const box = await send('PART', {
      itemList: [
        { itemReferenceNumber: 'A', ...item },
        { itemReferenceNumber: 'B', ...item },
      ],
    });
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    await ask(
      'POST',
      '/driver/events',
      [event('partly_delivered', '06:01:00', { stopId: route.stops[0].id, packages: ['A'], reason: 'DAMAGED' })],
      auth,
    );
    expect(await codesOf(box)).toEqual(['OUT_FOR_DELIVERY', 'DELIVERED']);
    expect((await pushed()).filter(({ carrierStatusCode }) => carrierStatusCode === 'DELIVERY_FAILED')).toMatchObject([
      { carrierSubStatusCode: 'DAMAGED' },
    ]);
    await ask('POST', '/driver/events', [event('route_finished', '06:01:30')], auth);
    const number = await send('TRY');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const { routes } = await planned();
      const now = routes.find(({ state }: { state: string }) => state === 'planned');
      const driver = await tokenOf(now.driver);
      await ask(
        'POST',
        '/driver/events',
        [event('failed', `06:01:${attempt}1`, { stopId: now.stops[0].id, reason: 'NOT_HOME' })],
        driver,
      );
      await ask(
        'POST',
        '/driver/events',
        [event('returned_to_depot', `06:01:${attempt}2`), event('route_finished', `06:01:${attempt}3`)],
        driver,
      );
    }
    expect((await codesOf(number)).filter((code) => !code.startsWith('OUT'))).toEqual([
      'DELIVERY_FAILED',
      'AT_FACILITY',
      'DELIVERY_FAILED',
      'AT_FACILITY',
      'DELIVERY_FAILED',
      'RETURNED_TO_ORIGIN',
    ]);
    expect(await world.database.values(`select state from fleet.tasks where reference_id = 'TRY'`)).toEqual([
      'returned',
    ]);
  });

  it('a van breaks down: what it has not brought is planned anew, and a late report of a delivery still counts', async () => {
    const numbers = await Promise.all(
      ['B-1', 'B-2'].map(
        async (reference, at) => await send(reference, { destinationLatitude: String(52.51 + at / 50) }),
      ),
    );
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    await ask('POST', '/driver/events', [event('route_started', '06:00:30')], auth);
    const { body } = await ask('POST', `/routes/${route.id}/break-down`, { comment: 'Engine' });
    expect(body.route.state).toBe('broken_down');
    expect((await board()).unassigned).toHaveLength(2);
    for (const number of numbers) expect(await codesOf(number)).toEqual(['OUT_FOR_DELIVERY', 'DELAYED']);
    const again = await planned();
    expect(
      again.routes
        .filter(({ state }: { state: string }) => state === 'planned')
        .flatMap(({ stops }: { stops: object[] }) => stops),
    ).toHaveLength(2);
    const [first] = route.stops;
    await ask('POST', `/routes/${route.id}/events`, [event('delivered', '06:00:50', { stopId: first.id })]);
    const after = await board();
    expect(
      after.routes
        .filter(({ state }: { state: string }) => state === 'planned')
        .flatMap(({ stops }: { stops: object[] }) => stops),
    ).toHaveLength(1);
    expect(await world.database.values(`select count(*) from fleet.tasks where state = 'delivered'`)).toEqual([1]);
  });

  it('bad reports are refused at their field and harm nothing', async () => {
    await send('BAD-1');
    await send('BAD-2', { vas: [{ vasCode: 'TWO_MAN_DELIVERY' }], destinationLatitude: '52.54' });
    const { routes } = await planned({ objective: 'balanced' });
    const route = routes.find(({ driver }: { driver: string }) => driver === 'erik');
    const auth = await tokenOf('erik');
    const stopId = route.stops[0].id as string;
    const other = await upload(auth, route.stops.at(-1).id, 'photo');
    const fields = async (one: object) => {
      const { body } = await ask('POST', '/driver/events', [one], auth);
      expect(body.results[0].result).toBe('refused');
      return body.results[0].findings.map(({ message }: { message: string }) => message);
    };
    expect(await fields(event('arrived', '23:00:00', { stopId }))).toEqual(['at lies in the future']);
    expect(await fields({ ...event('arrived', '06:00:00', { stopId }), at: '2026-11-01T06:00:00Z' })).toEqual([
      'at is more than 7 days ago',
    ]);
    expect(await fields(event('arrived', '06:00:00', { stopId: '999999' }))).toEqual([
      'stopId names 999999, which is no stop of the route',
    ]);
    expect(await fields(event('delayed', '06:00:00', { stopId: '999999', minutes: 5 }))).toEqual([
      'stopId names 999999, which is no stop of the route',
    ]);
    expect(await fields(event('failed', '06:00:00', { stopId, reason: 'BAD_MOOD' }))).toEqual([
      expect.stringContaining('reason must be one of NOT_HOME'),
    ]);
    expect(await fields(event('failed', '06:00:00', { stopId }))).toEqual(['reason says why']);
    expect(await fields(event('partly_delivered', '06:00:00', { stopId, packages: ['NONE'] }))).toEqual([
      'packages[0] names NONE, which is no package of the task',
    ]);
    expect(await fields({ id: 'x', type: 'dance', at: 'noon' })).toEqual(expect.arrayContaining(['id must be a UUID']));
    if (route.stops.length > 1)
      expect(await fields(event('delivered', '06:00:00', { stopId, proofs: [other.id] }))).toEqual([
        expect.stringContaining('which is no photo or signature of this stop'),
      ]);
    expect(await fields(event('delivered', '06:00:00', { stopId, proofs: [randomUUID()] }))).toEqual([
      expect.stringContaining('which is no photo or signature of this stop'),
    ]);
    expect((await board()).routes).toMatchObject(routes.map(({ state }: { state: string }) => ({ state })));
    expect(await pushed()).toEqual([]);
  });

  it('takes no image that is none, none for another’s stop, and no driver’s link but a valid one', async () => {
    await send('I-1');
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const stranger = await tokenOf(route.driver === 'dana' ? 'erik' : 'dana');
    const stopId = route.stops[0].id as string;
    expect((await upload(auth, stopId, 'photo', Buffer.from('<svg onload=alert(1)>'))).body.findings).toMatchObject([
      { field: 'body', code: 'malformed' },
    ]);
    expect((await upload(auth, stopId, 'photo', PNG.subarray(0, 40))).status).toBe(400);
    expect((await upload(auth, stopId, 'photo', Buffer.concat([PNG, Buffer.alloc(5_000_000)]))).status).toBe(413);
    expect((await upload(stranger, stopId, 'photo')).body.findings).toMatchObject([{ field: 'stopId' }]);
    expect((await ask('GET', '/driver/route', undefined, stranger)).body.route).toBeUndefined();
    expect((await ask('GET', '/driver/route', undefined, { authorization: 'Bearer drv_none' })).status).toBe(401);
    const { body } = await ask('POST', '/driver/events', [event('arrived', '06:00:00', { stopId })], stranger);
    expect(body.results).toMatchObject([{ result: 'refused', findings: [{ field: 'stopId' }] }]);
    const replaced = await tokenOf(route.driver);
    expect((await ask('GET', '/driver/route', undefined, auth)).status).toBe(401);
    expect((await ask('GET', '/driver/route', undefined, replaced)).status).toBe(200);
  });

  it('what was reported yesterday, and comes today, is about yesterday’s route', async () => {
    await send('Y-1');
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    await ask('POST', '/driver/events', [event('route_started', '06:00:00')], auth);
    world.clock.advance(24 * 3_600_000);
    onTestFinished(() => world.clock.advance(-24 * 3_600_000));
    await send('Y-2');
    const next = { depot: 'BER', day: '2026-12-02' };
    const { id } = await plan(next);
    await ask('POST', `/plans/${id}/adopt`);
    const stateOf = async (day: string) =>
      (await ask('GET', `/board?depot=BER&day=${day}`)).body.routes.map(({ state }: { state: string }) => state);
    await ask('POST', '/driver/events', [event('route_finished', '15:00:00')], auth);
    expect([await stateOf(DAY), await stateOf(next.day)]).toEqual([['finished'], ['planned']]);
    expect((await ask('GET', '/driver/route?day=2026-11-20', undefined, auth)).status).toBe(400);
  });

  it('a stop that is called off on the way keeps nobody from changing the others', async () => {
    for (const [reference, latitude] of [
      ['P-1', '52.51'],
      ['P-2', '52.53'],
      ['P-3', '52.55'],
    ] as const)
      await send(...pickup(reference, latitude));
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const [stop] = route.stops;
    await ask(
      'POST',
      '/driver/events',
      [event('route_started', '06:00:00'), event('en_route', '06:00:10', { stopId: stop.id })],
      auth,
    );
    const [{ referenceId }] = stop.tasks;
    const [, more] = pickup(referenceId, '52.5');
    expect(
      (await world.carrier('POST', '/consignments', consignment(referenceId, { ...more, typeOfAction: 'CANCEL' })))
        .status,
    ).toBe(200);
    const changed = await edit({ kind: 'lock', stopIds: [route.stops.at(-1).id] });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  });

  it('each collected parcel is handed over once, and what was delivered has not failed later', async () => {
    const numbers: string[] = [];
    for (const [reference, latitude] of [
      ['C-1', '52.51'],
      ['C-2', '52.53'],
    ] as const)
      numbers.push(await send(...pickup(reference, latitude)));
    const brought = await send('C-3');
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    // oxlint-disable-next-line typescript/no-explicit-any -- a board
    const stops: any[] = route.stops;
    const own = stops.find(({ tasks }) => tasks[0].kind === 'DELIVERY').id;
    const handedOver = stops.filter(({ id }) => id !== own);
    await ask(
      'POST',
      '/driver/events',
      [
        ...stops.map(({ id }) => event('delivered', '06:00:10', { stopId: id, receivedBy: 'Max Sample' })),
        event('failed', '06:00:20', { stopId: own, reason: 'NOT_HOME' }),
        ...handedOver.map(({ id, tasks }) =>
          event('returned_to_depot', '06:00:30', { stopId: id, taskIds: [tasks[0].id] }),
        ),
      ],
      auth,
    );
    expect(await codesOf(brought)).toEqual(['OUT_FOR_DELIVERY', 'DELIVERED']);
    for (const number of numbers)
      expect((await codesOf(number)).filter((code) => code === 'DELIVERED')).toHaveLength(1);
  });

  it('a hand-over is told once, in whatever order the pickup and two returns are reported', async () => {
    const [picked, back, again] = [0, 1, 2];
    const orders = [
      [picked, back, again],
      [picked, again, back],
      [back, picked, again],
      [back, again, picked],
      [again, picked, back],
      [again, back, picked],
    ];
    const numbers: string[] = [];
    for (const at of orders.keys()) numbers.push(await send(...pickup(`ORDER-${at}`, `52.5${at}`)));
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    for (const [at, number] of numbers.entries()) {
      // oxlint-disable-next-line typescript/no-explicit-any -- a board
      const stop = route.stops.find(({ tasks }: any) => tasks[0].packages[0].trackingNumber === number);
      const events = [
        event('delivered', '06:00:10', { stopId: stop.id, receivedBy: 'Max Sample' }),
        event('returned_to_depot', '06:00:10', { stopId: stop.id }),
        event('returned_to_depot', '06:00:30', { stopId: stop.id }),
      ];
      for (const one of orders[at] ?? []) await ask('POST', '/driver/events', [events[one]], auth);
      expect(await codesOf(number), String(orders[at])).toEqual(['OUT_FOR_PICKUP', 'PICKED_UP', 'DELIVERED']);
    }
  });

  it('a hand-over that was told before packages noted it is not told again', async () => {
    const number = await send(...pickup('TOLD', '52.51'));
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const { id: stopId } = route.stops[0];
    const delivered = event('delivered', '06:00:10', { stopId, receivedBy: 'Max Sample' });
    await ask('POST', '/driver/events', [delivered, event('returned_to_depot', '06:00:20')], auth);
    await world.database.rows('update fleet.packages set state = null');
    const migration = readFileSync(`${COMPANION_MIGRATIONS.fleet}/0003-handed-over.sql`, 'utf8');
    await world.database.rows(
      migration.replace('update packages', 'update fleet.packages').replace('outbox,', 'fleet.outbox,'),
    );
    await ask('POST', '/driver/events', [event('returned_to_depot', '06:00:30')], auth);
    expect(await codesOf(number)).toEqual(['OUT_FOR_PICKUP', 'PICKED_UP', 'DELIVERED']);
  });

  it('a return brings in what was collected before it, not what was later', async () => {
    const number = await send(...pickup('LATER', '52.51'));
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const report = async (...reported: Parameters<typeof event>): Promise<void> =>
      void (await ask('POST', '/driver/events', [event(...reported)], auth));
    await report('returned_to_depot', '06:00:10');
    await report('delivered', '06:00:20', { stopId: route.stops[0].id, receivedBy: 'Max Sample' });
    expect(await codesOf(number)).not.toContain('DELIVERED');
    await report('returned_to_depot', '06:00:30');
    await report('route_finished', '06:00:40');
    expect(await codesOf(number)).toEqual(['OUT_FOR_PICKUP', 'PICKED_UP', 'DELIVERED']);
  });

  it('a delivery that failed is back at the depot once, also where its return is reported before', async () => {
    const number = await send('BACK');
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const failed = event('failed', '06:00:10', { stopId: route.stops[0].id, reason: 'NOT_HOME' });
    const returns = ['06:00:30', '06:00:40'].map((at) => event('returned_to_depot', at));
    await ask('POST', '/driver/events', returns, auth);
    await ask('POST', '/driver/events', [failed], auth);
    expect(await codesOf(number)).toEqual(['OUT_FOR_DELIVERY', 'DELIVERY_FAILED', 'AT_FACILITY']);
    expect((await board()).unassigned).toMatchObject([{ task: { referenceId: 'BACK', attempts: 1 } }]);
  });

  it('of an exchange of which only one part was done, the other has failed, and is planned again', async () => {
    const at = { destinationLatitude: '52.51', destinationLongitude: '13.4', exchangeOrderNumber: 'SWAP-1' };
    const item = { itemQuantity: 1, itemWeight: 1, itemWeightUom: 'KG' };
    const brought = await send('SWAP-OUT', { ...at, itemList: [{ itemReferenceNumber: 'NEW', ...item }] });
    const [reference, more] = pickup('SWAP-BACK', '52.51');
    const taken = await send(reference, {
      ...more,
      exchangeOrderNumber: 'SWAP-1',
      itemList: [{ itemReferenceNumber: 'OLD', ...item }],
    });
    const {
      routes: [route],
    } = await planned();
    expect(route.stops).toHaveLength(1);
    const auth = await tokenOf(route.driver);
    const report = { stopId: route.stops[0].id, packages: ['NEW'], receivedBy: 'Max Sample' };
    await ask('POST', '/driver/events', [event('partly_delivered', '06:00:10', report)], auth);
    expect(await codesOf(brought)).toEqual(['OUT_FOR_DELIVERY', 'PARTIALLY_DELIVERED']);
    expect(await codesOf(taken)).toEqual(['OUT_FOR_PICKUP', 'PICKUP_FAILED']);
    await ask(
      'POST',
      '/driver/events',
      [event('returned_to_depot', '06:00:30'), event('route_finished', '06:00:40')],
      auth,
    );
    expect(await codesOf(taken)).toEqual(['OUT_FOR_PICKUP', 'PICKUP_FAILED']);
    expect((await board()).unassigned).toMatchObject([
      { task: { referenceId: 'SWAP-BACK', state: 'open', attempts: 1 } },
    ]);
    // oxlint-disable-next-line typescript/no-explicit-any -- a board
    const again = (await planned()).routes.find(({ state }: any) => state === 'planned');
    expect(again.stops).toMatchObject([{ tasks: [{ referenceId: 'SWAP-BACK' }] }]);
  });

  it('of a part that was collected, what was collected is handed over', async () => {
    const item = { itemQuantity: 1, itemWeight: 1, itemWeightUom: 'KG' };
    const [reference, more] = pickup('C-PART', '52.51');
    await send(reference, {
      ...more,
      itemList: [
        { itemReferenceNumber: 'A', ...item },
        { itemReferenceNumber: 'B', ...item },
      ],
    });
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    const stopId = route.stops[0].id;
    await ask(
      'POST',
      '/driver/events',
      [
        event('partly_delivered', '06:00:10', { stopId, packages: ['B'], receivedBy: 'Max Sample' }),
        event('returned_to_depot', '06:00:30'),
      ],
      auth,
    );
    const numbers = Map.groupBy(await pushed(), ({ value }) => value);
    expect([...numbers.values()].map((all) => all.map(({ carrierStatusCode }) => carrierStatusCode))).toEqual([
      ['OUT_FOR_PICKUP', 'PICKUP_FAILED'],
      ['OUT_FOR_PICKUP', 'PICKED_UP', 'DELIVERED'],
    ]);
  });

  it('the link of a driver who has left opens nothing', async () => {
    const auth = await tokenOf('dana');
    const { data } = (await ask('GET', '/resources/drivers')).body.items.find(
      ({ code }: { code: string }) => code === 'dana',
    );
    await world.put('drivers', 'dana', { ...data, active: false });
    onTestFinished(async () => await world.put('drivers', 'dana', data));
    expect((await ask('GET', '/driver/route', undefined, auth)).status).toBe(401);
  });

  it('a status that is not confirmed is pushed again, and none of the task overtakes it', async () => {
    const number = await send('O-1');
    const {
      routes: [route],
    } = await planned();
    const auth = await tokenOf(route.driver);
    let isDown = true;
    const deps = {
      ...world.deps,
      send: async (...given: Parameters<typeof world.deps.send>) =>
        isDown
          ? ({ kind: 'answer', status: 503, headers: {}, body: Buffer.from('') } as const)
          : await world.deps.send(...given),
    };
    await ask(
      'POST',
      '/driver/events',
      [event('route_started', '06:00:00'), event('arrived', '06:00:10', { stopId: route.stops[0].id })],
      auth,
    );
    await pushDue(deps);
    expect(world.sent).toEqual([]);
    isDown = false;
    await pushDue(deps);
    expect(world.sent).toEqual([]);
    await world.database.rows('update fleet.outbox set due_at = now() where sent_at is null');
    expect(await codesOf(number)).toEqual(['OUT_FOR_DELIVERY', 'ARRIVED']);
    expect((await ask('GET', '/links')).body.items).toMatchObject([{ name: 'shop', unsent: 0 }]);
  });

  it('a link that does not answer keeps no other waiting, however much there is to push to it', async () => {
    const numbers: string[] = [];
    for (let at = 0; at < 40; at += 1) numbers.push(await send(`L-${at}`));
    const [link] = await world.database.rows<{ id: string }>(
      `insert into fleet.links (name, token_hash, status_url, status_token)
      values ('silent', '\\x01', 'https://silent.example/', 'sealed x') returning id`,
    );
    onTestFinished(async () => {
      await world.database.rows('truncate fleet.outbox');
      await world.database.rows(`delete from fleet.links where name = 'silent'`);
    });
    await world.database.rows(`
      insert into fleet.outbox (link_id, task_id, body)
      select case when row_number() over (order by id) <= 30 then ${link!.id} else link_id end, id, '[]' from fleet.tasks order by id`);
    const asked: string[] = [];
    const silence = Promise.withResolvers<void>();
    const outbox = startOutbox({
      ...world.deps,
      send: async (request, options) => {
        asked.push(new URL(request.url).host);
        if (request.url.includes('silent')) await silence.promise;
        return await world.deps.send(request, options);
      },
    });
    const askedOf = (name: string): number => asked.filter((host) => host === name).length;
    await until('the others are told', () => askedOf('waybill.example') === 10 && askedOf('silent.example') >= 16);
    expect(askedOf('silent.example')).toBe(16);
    silence.resolve();
    await until('all are told', () => asked.length === 40);
    await outbox.close();
    expect(await world.database.rows('select id from fleet.outbox where sent_at is null')).toEqual([]);
  });
});
