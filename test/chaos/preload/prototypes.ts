/** Loaded before the server: says on standard error when something that everybody shares has been changed. */
import { writeSync } from 'node:fs';

const shared: Readonly<Record<string, object>> = {
  'Object.prototype': Object.prototype,
  'Array.prototype': Array.prototype,
  'Function.prototype': Function.prototype,
  'String.prototype': String.prototype,
  'Promise.prototype': Promise.prototype,
};
const namesOf = (value: object): string => Reflect.ownKeys(value).map(String).join();
const before = Object.entries(shared).map(([name, value]) => [name, value, namesOf(value)] as const);
const look = (): void => {
  for (const [name, value, names] of before)
    if (namesOf(value) !== names) writeSync(2, `PROTOTYPE CHANGED: ${name} ${namesOf(value)}\n`);
};
setTimeout(() => setInterval(look, 100).unref(), 5_000).unref();
process.on('exit', look);
