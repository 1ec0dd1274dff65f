import type { HeldWhy, Inputs, RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import type { OperationName } from '../../../src/engine/profile/carrier.ts';
import type { Accepted } from '../../../src/engine/consignment/answer.ts';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';

/** A carrier with every operation, and one that can only create. */
export const PROFILES = {
  acme: `
carrier: acme
name: Acme Parcels
environments: { production: { url: 'https://acme.example.com' }, sandbox: { url: 'https://sandbox.acme.example.com' } }
credentials: { token: { secret: true, example: example-of-a-secret } }
settings: { depot: { pattern: '^[0-9]{3}$', default: '001' } }
services: { Express: { typeOfService: EXPRESS }, Standard: { typeOfService: STANDARD } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
  cancel: { post: /cancel, body: { json: consignment } }
statuses:
  webhook: { auth: none, allow: [127.0.0.0/8], events: request.body }
  table: { PICKED_UP: Order Picked Up, DELIVERED: Order Delivered, CANCELLED: Cancelled }
  returns: { Returned to Origin: [DELIVERED] }
`,
  solo: `
carrier: solo
name: Solo Post
capabilities: { orders: [FORWARD], cod: false }
environments: { production: { url: 'https://solo.example.com' } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
statuses: { table: { DELIVERED: Order Delivered } }
`,
};

export const done = (result?: unknown): RunOutcome => ({ kind: 'done', result, answers: {} });
export const rejected = (...messages: string[]): RunOutcome => ({
  kind: 'rejected',
  problem: { code: 'refused', messages },
});
export const held = (why: HeldWhy, message = 'no luck'): RunOutcome => ({
  kind: 'held',
  why,
  problem: { code: why, messages: [message] },
});
/** It is away since then, and tried again then. */
export const away = (sinceMs: number, dueAtMs: number, code = 'connection_refused'): RunOutcome => ({
  kind: 'waiting',
  awaySinceMs: sinceMs,
  dueAtMs,
  problem: { code, messages: ['nobody listens'] },
});
/** A carrier's acceptance: a number for each package, and a label unless told otherwise. */
export const accepted = ({ referenceId, itemList }: Consignment, { labels = true, master = '' } = {}): RunOutcome =>
  done({
    packages: itemList.map(({ itemReferenceNumber }) => ({
      itemReferenceNumber,
      trackingNumber: `T-${referenceId}-${itemReferenceNumber}`,
      memo: {},
      label: labels ? { content: Buffer.from('%PDF-1.4\nexample\n%%EOF\n') } : undefined,
    })),
    ...(master === '' ? {} : { masterTrackingNumber: master }),
    memo: {},
    warnings: [],
  } satisfies Accepted);

/** How the carrier ends dispatches; as by itself, not at all (they stay pending), or by an error of ours. */
type Answers =
  | RunOutcome
  | 'as usual'
  | 'nothing'
  | Error
  | ((operation: OperationName, input: Inputs) => Answers | Promise<RunOutcome>);

/** Stands for the calls of all carriers. */
export const fakeCarrier = () => {
  let answers: Answers = 'as usual';
  const outcomeOf = async (
    operation: OperationName,
    input: Inputs,
    given: Answers,
  ): Promise<RunOutcome | undefined> => {
    const consignment = input.consignment as Consignment;
    if (typeof given === 'function') return await outcomeOf(operation, input, await given(operation, input));
    if (given === 'as usual') return operation === 'create' ? accepted(consignment) : done();
    if (given instanceof Error) throw given;
    return given === 'nothing' ? undefined : given;
  };
  const carrier = {
    /** All that it was asked and gave an answer to during this test. */
    sent: [] as {
      readonly operation: string;
      readonly consignment: Consignment;
      // oxlint-disable-next-line typescript/no-explicit-any -- tests look into inputs of every operation
      readonly input: any;
    }[],
    asked: () => carrier.sent.map(({ operation }) => operation),
    /** How it answers from now on. */
    answers: (next: Answers) => {
      answers = next;
    },
    perform: async (operation: OperationName, input: Inputs): Promise<RunOutcome | undefined> => {
      const consignment = input.consignment as Consignment;
      const outcome = await outcomeOf(operation, input, answers);
      if (outcome !== undefined) carrier.sent.push({ operation, consignment, input });
      return outcome;
    },
    reset: () => {
      answers = 'as usual';
      carrier.sent = [];
    },
  };
  return carrier;
};
