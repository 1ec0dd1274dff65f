import { describe, expect, it } from 'vitest';
import { effectsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { HeldWhy, RunOutcome } from '../../../src/engine/dispatch/ports.ts';

const problem = { code: 'E7', messages: ['first', 'second'] };
const done = (result: unknown): RunOutcome => ({ kind: 'done', result, answers: {} });
const held = (why: HeldWhy): RunOutcome => ({ kind: 'held', why, problem });
const one = { itemReferenceNumber: 'P1', trackingNumber: 'T1', label: undefined, memo: { orderId: 'a' } };
const other = { itemReferenceNumber: 'P2', trackingNumber: 'T2', label: { url: 'https://x.example/l' }, memo: {} };
const accepted = {
  packages: [one, other],
  masterTrackingNumber: 'M',
  label: undefined,
  memo: { all: 1 },
  warnings: [],
};

describe('a create', () => {
  it('that is done accepts the consignment, with numbers, memory, labels and a notice for each package', () => {
    expect(effectsOf('create', done(accepted), { asksForLabels: false, firstPollInMs: 60_000 })).toEqual({
      dispatch: { state: 'done', result: accepted },
      acceptance: 'accepted',
      masterTrackingNumber: 'M',
      memo: { all: 1 },
      firstPollInMs: 60_000,
      packages: [
        { position: 0, trackingNumber: 'T1', memo: { orderId: 'a' } },
        { position: 1, trackingNumber: 'T2', memo: {} },
      ],
      labels: [{ position: 1, label: other.label }],
      notices: [
        { event: 'consignment.tracking', position: 0 },
        { event: 'consignment.tracking', position: 1 },
      ],
    });
  });

  it('asks for the labels it did not bring, where the profile can', () => {
    const facts = { ...NO_FACTS, asksForLabels: true };
    expect(effectsOf('create', done(accepted), facts).labels).toEqual([
      { position: 1, label: other.label },
      { position: 0, label: undefined },
    ]);
    const label = { content: 'JVBERg==' };
    expect(effectsOf('create', done({ ...accepted, packages: [one], label }), facts).labels).toEqual([
      { position: undefined, label },
    ]);
  });

  it('that is rejected frees its reference and tells the carrier’s words', () => {
    expect(effectsOf('create', { kind: 'rejected', problem }, NO_FACTS)).toEqual({
      dispatch: { state: 'rejected', failure: { why: 'rejected', problem } },
      acceptance: 'rejected',
      notices: [
        {
          event: 'consignment.rejected',
          reason: 'first; second',
          info: { operation: 'create', code: 'E7', messages: ['first', 'second'] },
        },
      ],
    });
  });
});

describe('any operation', () => {
  it.each(['fail', 'config_error', 'unknown_outcome', 'undo_failed'] as const)(
    'that is held for %s leaves the consignment as it was, and says so',
    (why) => {
      for (const operation of ['create', 'update', 'cancel'] as const) {
        const effects = effectsOf(operation, held(why), NO_FACTS);
        expect(effects).toMatchObject({
          dispatch: { state: 'held', failure: { why } },
          notices: [{ event: 'consignment.held', info: { operation } }],
        });
        expect(effects.acceptance).toBeUndefined();
        expect(effects.adoptInput).toBeUndefined();
      }
    },
  );

  it.each(['update', 'cancel'] as const)('that is rejected changes nothing, and says which it was: %s', (operation) => {
    expect(effectsOf(operation, { kind: 'rejected', problem }, NO_FACTS)).toEqual({
      dispatch: { state: 'rejected', failure: { why: 'rejected', problem } },
      notices: [
        {
          event: 'consignment.rejected',
          reason: 'first; second',
          info: { operation, code: 'E7', messages: ['first', 'second'] },
        },
      ],
    });
  });

  it('that waits is only put off', () => {
    expect(effectsOf('cancel', { kind: 'waiting', dueAtMs: 7, problem }, NO_FACTS)).toEqual({
      dispatch: { state: 'waiting', dueAtMs: 7, failure: { why: 'waiting', problem } },
      notices: [],
    });
  });
});

describe('an update', () => {
  it('adopts what it carried, and what the carrier gave anew', () => {
    expect(effectsOf('update', done(undefined), NO_FACTS)).toEqual({
      dispatch: { state: 'done', result: undefined },
      adoptInput: true,
      notices: [{ event: 'consignment.tracking', info: { operation: 'update' } }],
    });
    expect(effectsOf('update', done(accepted), NO_FACTS)).toMatchObject({ adoptInput: true, packages: [{}, {}] });
  });
});

describe('a cancel', () => {
  it('that is done ends the consignment and its labels', () => {
    expect(effectsOf('cancel', done(undefined), NO_FACTS)).toMatchObject({
      acceptance: 'cancelled',
      status: 'Cancelled',
      revokeLabels: true,
    });
  });
});
