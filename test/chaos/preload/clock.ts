/** Loaded before a server: its clock is off by as many milliseconds as the file `CHAOS_CLOCK` says. */
import { readFileSync } from 'node:fs';

const file = process.env['CHAOS_CLOCK'] ?? '';
const RealDate = Date;
let offMs = 0;
const look = (): void => {
  try {
    offMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // It is being written: the next look sees it.
  }
};
look();
setInterval(look, 20).unref();

const now = (): number => RealDate.now() + offMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], self) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, self) as object,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
