/** Shippers who take webhooks, in a process of their own: of first tries a share is answered 500. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReceiverEntry, ReceiversOptions } from '../mock/receivers.ts';
import { endChild, startNode } from '../world/children.ts';
import { readJournal } from '../world/journal.ts';

export interface Receivers {
  /** The receiver `shop` listens at `/shop`. */
  readonly url: string;
  received(): readonly ReceiverEntry[];
  close(): Promise<void>;
}

export const startReceivers = async (
  folder: string,
  options: Omit<ReceiversOptions, 'journal'>,
): Promise<Receivers> => {
  const journal = path.join(folder, 'receivers.jsonl');
  await writeFile(journal, '');
  const own: ReceiversOptions = { journal, ...options };
  const file = path.join(import.meta.dirname, '../mock/receivers.ts');
  const child = startNode([file, JSON.stringify(own)], { errorLog: path.join(folder, 'receivers.log') });
  if (child.stdout === null) throw new Error('no pipe');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: `http://127.0.0.1:${line.toString().trim()}`,
    received: () => readJournal(journal) as readonly ReceiverEntry[],
    close: async () => await endChild(child),
  };
};
