import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `check` is true (or resolves to it), and fails with `what` when that takes too long. */
export async function until(what: string, check: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await sleep(10);
  }
}
