/** Logs of mocks and clients: a line of JSON an entry, in the file before anybody is answered. */
import { openSync, readFileSync, writeSync } from 'node:fs';

export type Journal<Entry> = (entry: Entry) => void;

/** Several processes may append to one file: a line goes out in one write. */
export const openJournal = <Entry>(file: string): Journal<Entry> => {
  const descriptor = openSync(file, 'a');
  return (entry) => {
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
  };
};

/** All whole lines of it. */
export const readJournal = (file: string): readonly unknown[] => {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as unknown);
};
