/** What was seen of an endpoint, and how it is read. */
import { Failure } from '../../engine/failure.ts';
import type { LabelOutcome } from '../../engine/labels/fetch.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { normalise } from '../../engine/statuses/normalise.ts';
import type { TableStatus } from '../../engine/statuses/status.ts';
import { readContractPush, readPush, type StatusUpdate } from '../../engine/statuses/status-update.ts';
import { isMap } from '../../engine/value.ts';
import { type Fields, itemsOf } from './consignments.ts';
import type { Tried } from './perform.ts';

export interface Evidence {
  readonly carrier: Carrier;
  readonly url: string;
  /** Requests are authenticated. */
  readonly isProven: boolean;
  readonly tried: ReadonlyMap<string, Tried>;
  readonly labels: readonly LabelSeen[];
  /** undefined: none were waited for. */
  readonly pushes: readonly Push[] | undefined;
}

/** A label as it was last asked for. */
export interface LabelSeen {
  readonly tried: Tried;
  readonly trackingNumber: unknown;
  readonly url: string;
  readonly outcome: LabelOutcome;
}

/** A request to the push URL, its headers masked. */
export interface Push {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly atMs: number;
  /** It carried the token. */
  readonly isProven: boolean;
}

// Answers -------------------------------------------------------------------------------------------------------------

export const isAnswered = ({ exchange }: Tried): boolean => exchange.responseHeaders !== undefined;
export const statusOf = ({ exchange }: Tried): number => exchange.status ?? 0;

const saysNo = (body: unknown): boolean =>
  isMap(body) && (/^[1345]\d\d$/.test(String(body['status'])) || [body['errors'] ?? []].flat().length > 0);

/** The endpoint says that it did it, whatever else is wrong with its answer. */
export const isAccepted = (tried: Tried | undefined): boolean =>
  tried !== undefined && isAnswered(tried) && String(statusOf(tried)).startsWith('2') && !saysNo(tried.body);

/** In words. */
export const cameOf = ({ exchange: { status }, outcome }: Tried): string =>
  [...(status === undefined ? [] : [status]), ...(outcome.kind === 'done' ? [] : outcome.problem.messages)].join(': ');

/** Entries of an answer, each with its package: by its reference, else by its place. */
export const entriesOf = (tried: Tried) => {
  const list = isMap(tried.body) ? tried.body['itemsTrackDetails'] : undefined;
  const items = itemsOf(tried.consignment);
  return (Array.isArray(list) ? list.filter(isMap) : []).map((held: Fields, at) => ({
    tried,
    held,
    item: items.find((item) => item['itemReferenceNumber'] === held['itemReferenceNumber']) ?? items[at] ?? {},
  }));
};

export const numbersOf = (tried: Tried): readonly unknown[] =>
  entriesOf(tried).map(({ held }) => held['trackingNumber']);

// Pushes --------------------------------------------------------------------------------------------------------------

/** An update as the platform reads it, beside what was written, and the request whose shipment it names. */
interface Pushed {
  readonly push: Push;
  readonly update: StatusUpdate;
  readonly held: Fields;
  readonly of: Tried;
  readonly status: TableStatus;
}

/** `problems`: why it cannot be read, in words. */
export const readPushed = ({ body }: Push) => {
  try {
    const { updates, problems } = readContractPush(body);
    return { updates, problems: problems.map(({ message }) => message) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return { updates: [], problems: [thrown.message] };
  }
};

/** Of shipments of this run, which an update names by the tracking number or the order: a carrier may have others. */
export const pushedOf = ({ pushes = [], tried, carrier }: Evidence): readonly Pushed[] => {
  const made = [...tried.values()].filter(isAccepted);
  return pushes.flatMap((push) => {
    const isRead = readPushed(push).updates.length > 0;
    const list = isRead ? [JSON.parse(push.body.toString()) as unknown].flat().filter(isMap) : [];
    return list.flatMap((held) => {
      const update = readPush(held) ?? {};
      const isOrder = ({ consignment }: Tried): boolean =>
        consignment['orderNumber'] === update.orderNo || consignment['consignmentNumber'] === update.consignmentNumber;
      const of = made.find((one) => numbersOf(one).includes(update.value)) ?? made.find(isOrder);
      const { status } = normalise(carrier, update, push.atMs);
      return of === undefined ? [] : [{ push, update, held, of, status }];
    });
  });
};
