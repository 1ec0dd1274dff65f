import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asking, ask } from '../../src/engine/ask/ask.ts';
import { quote } from '../../src/engine/rates/quote.ts';
import { createMemoryLog } from '../../src/engine/dispatch/attempt-log.ts';
import { UNLIMITED } from '../../src/engine/dispatch/limits.ts';
import { createMemoryTokens } from '../../src/engine/dispatch/token-store.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';
import { createTransport } from '../../src/engine/transport/transport.ts';
import { coverageOf } from '../../src/workbench/cases/coverage.ts';
import { readCase } from '../../src/workbench/cases/read.ts';
import { explainCase } from '../../src/workbench/explain/explain-case.ts';
import { watchMappings } from '../../src/workbench/explain/watch.ts';
import { movedTo } from '../../src/workbench/engine-run.ts';
import type { Simulator } from '../../src/workbench/simulate/running.ts';
import { startSimulator } from '../../src/workbench/simulate/simulator.ts';
import { caseFiles, homes } from '../docs/examples.ts';

const noteExchange = () => Promise.resolve();
const CODES = ['rates', 'pickups', 'slots'] as const;
const loaded = Object.fromEntries(CODES.map((code) => [code, loadCarrier(code, homes).carrier!]));
const given = (code: string, name: string) => {
  const read = readCase(code, name, caseFiles);
  return read.ok ? { ...read.caseFile.content.given, consignment: read.caseFile.consignment } : expect.fail(name);
};

describe('what the cases show of operations that are asked for by themselves', () => {
  let simulator: Simulator;
  const transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
  beforeAll(async () => {
    simulator = await startSimulator({ carriers: Object.values(loaded), files: caseFiles, nowMs: Date.now });
  });
  afterAll(async () => {
    transport.close();
    await simulator.close();
  });
  let seeds = 0;
  const asking = (code: (typeof CODES)[number]): Asking => {
    return {
      seed: `seed-${(seeds += 1)}`,
      carrier: movedTo(loaded[code]!, simulator.carriers[code]!),
      environment: 'production',
      account: { id: 1, version: 1, credentials: {}, settings: {} },
      nowMs: Date.now(),
      ports: {
        attemptLog: createMemoryLog(noteExchange),
        tokens: createMemoryTokens(Date.now),
        carrierLimits: UNLIMITED,
        noteExchange,
        send: transport.send,
        nowMs: Date.now,
        random: () => 0,
      },
    };
  };

  it('is what the simulator answers: prices, and a number of its own for each pickup, by which it is cancelled', async () => {
    const { carrier, account, ...context } = asking('rates');
    expect(await quote(carrier, account, given('rates', 'asked.yaml').consignment ?? {}, context)).toMatchObject({
      offers: [
        { service: 'Parcel', total: 5.95 },
        { service: 'Overnight', total: 17.85 },
      ],
    });
    const pickup = given('pickups', 'booked.yaml').pickup as Parameters<typeof ask<'pickup'>>[1]['pickup'];
    const booked = [];
    for (const reference of ['PU-8', 'PU-9']) {
      const asked = await ask('pickup', { pickup: { ...pickup, reference } }, asking('pickups'));
      if (!asked.ok) expect.fail(asked.problem.messages.join());
      booked.push(asked.result);
    }
    expect(new Set(booked.map(({ number }) => number)).size).toBe(2);
    for (const { number, memo = {} } of booked)
      expect(await ask('cancelPickup', { pickup: { ...pickup, number, memo } }, asking('pickups'))).toMatchObject({
        ok: true,
      });
  });

  it('is told by coverage and by explain', async () => {
    const missed = (await coverageOf('slots', homes, caseFiles))?.missed ?? [];
    expect(missed.filter(({ kind }) => kind !== 'field')).toEqual([]);
    const watch = watchMappings();
    const read = readCase('rates', 'asked.yaml', caseFiles);
    if (!read.ok) expect.fail('no case');
    const explained = await explainCase(
      read.caseFile,
      loadCarrier('rates', homes, undefined, watch.engine).carrier!,
      watch,
    );
    expect(explained.exchanges).toMatchObject([
      { operation: 'rates', step: 'abroad', outcome: 'skipped' },
      { operation: 'rates', step: 'inland', outcome: 'succeed' },
    ]);
    expect(JSON.stringify(explained)).toContain('consignment.originPostalCode');
  });
});
