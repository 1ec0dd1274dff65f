import { createHmac } from 'node:crypto';
import type { ReceiverEntry } from '../mock/receivers.ts';
import type { DeliveryRow, Evidence } from './evidence.ts';

type Untold = Pick<Evidence, 'carriers' | 'receivers' | 'records' | 'webhookSecrets' | 'deliveryTries'>;

/** I4: every status push that got a 200 is one stored event, delivered or visibly exhausted; signatures hold. */
export const findUntold = (evidence: Untold): readonly string[] => {
  const { carriers, receivers, records, webhookSecrets } = evidence;
  const forged = receivers.flatMap((entry) =>
    isSigned(entry, webhookSecrets[entry.receiver] ?? '')
      ? []
      : [`I4: ${entry.webhookId} came to ${entry.receiver} without a valid signature`],
  );
  const received = new Set(
    receivers.filter(({ status }) => status === 200).map(({ webhookId, receiver }) => `${webhookId}/${receiver}`),
  );
  const undelivered = records.deliveries.flatMap((row) => deliveryProblem(row, received, evidence.deliveryTries));

  const pushes = carriers.filter((entry) => entry.what === 'push');
  const answered = new Set(pushes.filter(({ status }) => status === 200).map(({ id }) => id));
  const sent = new Set(pushes.map(({ id }) => id));
  const events = Map.groupBy(records.events, ({ id }) => id ?? '');
  const notices = Map.groupBy(
    records.deliveries.filter(({ event }) => !/^consignment\.(tracking|label|rejected|held)(\.\d+)?$/.test(event)),
    ({ eventId }) => eventId ?? '',
  );
  const lost = [...answered].flatMap((id) => {
    const stored = events.get(id) ?? [];
    if (stored.length !== 1) return [`I4: the push ${id} was answered 200 and is ${stored.length} events`];
    if (stored[0]?.match !== 'matched') return [`I4: the event ${id} is ${stored[0]?.match}`];
    const told = new Set((notices.get(id) ?? []).map(({ notice }) => notice));
    return told.size === 1 ? [] : [`I4: the event ${id} has ${told.size} notices`];
  });
  const invented = [...events.keys()].filter((id) => !sent.has(id)).map((id) => `I4: nobody sent the event ${id}`);
  const refused = pushes
    .filter(({ status }) => status !== 0 && status !== 200 && status !== 429 && status !== 503)
    .map(({ id, status }) => `I4: the push ${id} was answered ${status}`);
  return [...lost, ...invented, ...refused, ...undelivered, ...forged];
};

const deliveryProblem = (row: DeliveryRow, received: ReadonlySet<string>, tries: number): string[] => {
  const what = `${row.event} ${row.notice}`;
  switch (row.state) {
    case 'delivered':
      return received.has(`${row.notice}/${row.receiver}`) ? [] : [`I4: ${what} is delivered, and nobody got it`];
    case 'failed':
      return row.tries >= tries ? [] : [`I4: ${what} failed after ${row.tries} tries of ${tries}`];
    case null:
      return [`I4: ${what} goes to nobody`];
    default:
      return [`I4: ${what} is still ${row.state}`];
  }
};

const isSigned = ({ webhookId, timestamp, signature, body }: ReceiverEntry, secret: string): boolean => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64');
  return signature.split(' ').includes(`v1,${wanted}`);
};
