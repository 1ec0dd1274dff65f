/** Loaded before the server: says on standard error when something that everybody shares has been changed. */
import { writeSync } from 'node:fs';
import { watchShared } from './shared.ts';

const changed = watchShared();
const look = (): void => {
  for (const what of changed()) writeSync(2, `PROTOTYPE CHANGED: ${what}\n`);
};
setTimeout(() => setInterval(look, 100).unref(), 5_000).unref();
process.on('exit', look);
