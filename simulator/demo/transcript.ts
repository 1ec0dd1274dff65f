// What a run sent, received and was told, so that other runs of the same day can be compared with it byte by byte. Only
// what is a run's own is masked: ports, keys, times between its start and its end, and how often a carrier was asked.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { LoggedRequest, Simulator } from '../../src/workbench/simulate/running.ts';
import type { ReceivedNotice, Receiver } from './receiver.ts';
import type { Platform, Reply } from './server.ts';

export interface Transcript {
  /** The platform, its answers written down. */
  follow(platform: Platform): Platform;
  /** Ends a carrier's chapter. */
  close(carrier: string, simulator: Simulator, receiver: Receiver): void;
  write(file: string): Promise<void>;
}

export function createTranscript(): Transcript {
  const startedAtMs = Date.now();
  const lines: string[] = [];
  const answers: string[] = [];
  const mask = (text: string): string => maskTimes(maskKeys(text), startedAtMs);
  /** In an order of their own, for what comes by itself comes when it likes. */
  const unordered = (texts: readonly string[]): readonly string[] => [...new Set(texts.map(mask))].toSorted();
  return {
    follow: (platform) => ({
      ...platform,
      call: async (method, path, token, body) => {
        const reply = await platform.call(method, path, token, body);
        answers.push(`${method} ${path}: ${reply.status} ${contentOf(reply)}`);
        return reply;
      },
    }),
    close: (carrier, { requests, shipments }, { received }) => {
      const numbers = shipments(carrier).flatMap(({ words }) => [...words.values()]);
      const sent = requests.filter((request) => request.carrier === carrier);
      const told = withoutChance(received.filter((notice) => notice.carrierCode === carrier));
      lines.push(`${carrier} was sent`, ...unordered(sent.map((request) => written(request, numbers))));
      lines.push('the shipper was answered', ...answers.splice(0).map(mask));
      lines.push('the shipper was told', ...unordered(told));
    },
    write: (file) => writeFile(file, `${lines.join('\n')}\n`),
  };
}

const contentOf = ({ type, body, bytes }: Reply): string =>
  type.includes('json')
    ? JSON.stringify(body, (key, part: unknown) => (key === 'events' ? inOrder(part as readonly unknown[]) : part))
    : `${type} ${createHash('sha256').update(bytes).digest('hex')}`;

/** Two packages have events of the same second. */
const inOrder = (events: readonly unknown[]): readonly unknown[] =>
  events.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** How many packages a carrier is asked about at once, and in which order, is a matter of time. */
const asksForStatus = /track|statusv2|mailpieces|parcellifecycle/i;

const written = ({ method, path, headers, body }: LoggedRequest, numbers: readonly string[]): string => {
  const text = `${method} ${path} ${JSON.stringify(headers)} ${body}`;
  if (!asksForStatus.test(path)) return text;
  return numbers
    .reduce((masked, number) => masked.replaceAll(number, '<number>'), text)
    .replace(/"content-length":"\d+"/, '"content-length":"<length>"')
    .replace(/(.{0,90}?<number>.{0,60}?)(?:(?:,|&|%2C)?\1)+/gs, '$1');
};

/** Labels are fetched side by side, and beside the first status. */
const chanceOf = ({ event, carrierStatus }: ReceivedNotice): object => {
  if (carrierStatus !== undefined) return { labels: undefined };
  return event.startsWith('consignment.label') ? { status: undefined } : {};
};

/** Without what depends on when the carrier was asked: how things stood then, and what it said of a cancelled shipment. */
const withoutChance = (notices: readonly ReceivedNotice[]): readonly string[] => {
  const cancelled = new Set(notices.filter(({ status }) => status === 'Cancelled').map((one) => one.referenceNumber));
  const chance = { sequence: undefined, consignmentStatus: undefined, previousStatus: undefined };
  return notices
    .filter(({ carrierStatus, referenceNumber }) => carrierStatus === undefined || !cancelled.has(referenceNumber))
    .map((notice) =>
      JSON.stringify({ ...notice, ...chance, event: notice.event.replace(/\.\d+$/, ''), ...chanceOf(notice) }),
    );
};

const keys: readonly (readonly [RegExp, string])[] = [
  [/127\.0\.0\.1:\d+/g, '<host>'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\b[0-9a-f]{60}\b/g, '<token>'],
  [/\/v2\/labels\/[\w-]{32}/g, '/v2/labels/<key>'],
  [/\b(evt|sub)_[\w-]{24}/g, '$1_<key>'],
  [/"id":"[\w-]{12}"/g, '"id":"<key>"'],
  [/\b(whsec|wb_shipper|wb_carrier)_[\w+/=-]+/g, '$1_<key>'],
];

const maskKeys = (text: string): string => keys.reduce((masked, [key, name]) => masked.replace(key, name), text);

const time =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT\+0000/g;

const maskTimes = (text: string, startedAtMs: number): string =>
  text.replace(time, (found) => {
    const atMs = Date.parse(found);
    return atMs >= startedAtMs - 1_000 && atMs <= Date.now() ? '<now>' : found;
  });
