import { describe, expect, it } from 'vitest';
import { effectsOf, factsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { carrierOf, profileOf } from './world.ts';

const problem = { code: 'E7', messages: ['first', 'second'] };
const done = (result?: unknown): RunOutcome => ({ kind: 'done', result, answers: {} });
const one = { itemReferenceNumber: 'P1', trackingNumber: 'T1', label: undefined, memo: { orderId: 'a' } };
const other = { itemReferenceNumber: 'P2', trackingNumber: 'T2', label: { url: 'https://x.example/l' }, memo: {} };
const head = { masterTrackingNumber: 'M', label: undefined, memo: { all: 1 }, warnings: [] };
const accepted = { ...head, packages: [one, other] };

describe('a create that is done', () => {
  it('accepts the consignment, with numbers, metadata, labels and a notice for each package', () => {
    expect(effectsOf('create', done(accepted), { ...NO_FACTS, firstPollInMs: 60_000 })).toEqual({
      dispatch: { state: 'done', result: accepted },
      acceptance: 'accepted',
      masterTrackingNumber: 'M',
      carrierMetadata: { all: 1 },
      firstPollInMs: 60_000,
      packages: [
        { position: 0, trackingNumber: 'T1', memo: { orderId: 'a' } },
        { position: 1, trackingNumber: 'T2', memo: {} },
      ],
      labels: [{ position: 1, label: other.label }],
      notices: [{ event: 'consignment.tracking', positions: [0, 1] }],
    });
  });

  it('asks for the labels it did not bring, where the profile can', () => {
    const facts = { ...NO_FACTS, asksForLabels: true };
    const label = { content: 'JVBERg==' };
    const own = [
      { position: 1, label: other.label },
      { position: 0, label: undefined },
    ];
    expect(effectsOf('create', done(accepted), facts).labels).toEqual(own);
    expect(effectsOf('create', done({ ...head, packages: [one], label }), facts).labels).toEqual([
      { position: undefined, label },
    ]);
  });
});

describe('any operation', () => {
  it.each(['create', 'update', 'cancel'] as const)('that is not done says so, and changes no more: %s', (operation) => {
    const info = { operation, code: 'E7', messages: ['first', 'second'] };
    const noticeOf = (event: string) => ({ event, reason: 'first; second', info });
    expect(effectsOf(operation, { kind: 'rejected', problem }, NO_FACTS)).toEqual({
      dispatch: { state: 'rejected', failure: { why: 'rejected', problem } },
      // A rejected create frees its reference.
      ...(operation === 'create' ? { acceptance: 'rejected' } : {}),
      notices: [noticeOf('consignment.rejected')],
    });
    for (const why of ['fail', 'config_error', 'unknown_outcome', 'undo_failed'] as const) {
      expect(effectsOf(operation, { kind: 'held', why, problem }, NO_FACTS)).toEqual({
        dispatch: { state: 'held', failure: { why, problem } },
        notices: [noticeOf('consignment.held')],
      });
    }
    expect(effectsOf(operation, { kind: 'waiting', dueAtMs: 7, problem }, NO_FACTS)).toEqual({
      dispatch: { state: 'waiting', dueAtMs: 7, failure: { why: 'waiting', problem } },
      notices: [],
    });
  });
});

it('an update adopts what it carried, and what the carrier gave anew', () => {
  expect(effectsOf('update', done(), NO_FACTS)).toEqual({
    dispatch: { state: 'done', result: undefined },
    adoptInput: true,
    notices: [{ event: 'consignment.tracking', info: { operation: 'update' } }],
  });
  expect(effectsOf('update', done(accepted), NO_FACTS)).toMatchObject({ adoptInput: true, packages: [{}, {}] });
});

it('a cancel that is done ends the consignment and its labels', () => {
  const ended = { acceptance: 'cancelled', status: 'Cancelled', revokeLabels: true };
  expect(effectsOf('cancel', done(), NO_FACTS)).toMatchObject(ended);
});

it.each([
  ['', Infinity],
  ['forEach: consignment.itemList, ', 1],
  ['forEach: consignment.itemList, batch: 20, ', 20],
  ['forEach: consignment.itemList, bestEffort: true, ', Infinity],
])('a create of steps { %spost: / } makes %s packages a call', (keys, packagesPerCall) => {
  const steps = `[{ id: a, post: / }, { id: b, ${keys}post: / }]`;
  const create = `create: { steps: ${steps}, result: '{ "itemsTrackDetails": [] }' }`;
  expect(factsOf(carrierOf(profileOf(create)))).toMatchObject({ packagesPerCall });
});
