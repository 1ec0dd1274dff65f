/** What is large goes through here one piece at a time, whoever sent it: there is one main thread, and it is for all. */
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { createFairSemaphore } from './fair-semaphore.ts';

/** Nearly all that is sent, to us or by carriers, is smaller. */
export const LARGE_BYTES = 32 * 1024;

/** Of a body that is parsed. An order of 500 packages and 1,000 SKUs, all of whose fields are filled in, has 35,000. */
export const VALUES_MAX = 50_000;

/** Of answers, labels in which are often larger than all else, and cost next to nothing. */
export const LARGE_ANSWER_BYTES = 8 * LARGE_BYTES;
/** What has waited so long is read all the same: its dispatch is held for only a few seconds more than its call may take. */
export const ANSWER_WAIT_MS = 5_000;

/**
 * Three quarters of the time are left to all that is not large. On what one party sends no more than a fortieth is spent here: what comes of
 * it, as a dispatch, costs several times that.
 */
export const largeTurns = createFairSemaphore({ atOnce: 1, rest: 3, ownRest: 39 });

/** What is made of an answer. */
export const readInTurn = async <Result>(
  carrierCode: string,
  bytes: number,
  read: () => Promise<Result>,
): Promise<Result> => {
  if (bytes <= LARGE_ANSWER_BYTES) return await read();
  const turn = await largeTurns.enter(`carrier ${carrierCode}`, ANSWER_WAIT_MS);
  try {
    return await read();
  } finally {
    if (typeof turn !== 'string') turn.leave();
  }
};

/** Work on what has been let in already: it waits for nobody, and what comes anew waits for it. */
export const asLarge = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const turn = largeTurns.take();
  return await work().finally(turn.leave);
};

/** What takes longer keeps others waiting. */
const PIECE_MS = 2;
/** A large piece is followed by as much time for all else as it took, so many times: what is small meets few of them on its way. */
const REST = 2;
let turns = Promise.resolve();
/** What comes from a socket still has its first immediate before the others are looked at. */
const giveWay = async (restMs: number): Promise<void> => {
  await endOfTurn();
  await endOfTurn();
  await sleep(restMs);
};

let isServing = false;
/** From now on there are others to have a turn. Where nobody else is served, the order of calls depends on no time that they took. */
export const takeTurns = (): void => {
  isServing = true;
};

/** A piece of work: where it took long, all else has a turn of the event loop before what follows it, whosever that is. */
export const piece = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
  const beganMs = performance.now();
  const working = work();
  const tookMs = performance.now() - beganMs;
  const result = await working;
  if (tookMs > PIECE_MS && isServing) await (turns = turns.then(async () => await giveWay(REST * tookMs)));
  return result;
};

/** `items.map(one)` in such pieces. */
export const mapInPieces = async <Item, Result>(
  items: readonly Item[],
  one: (item: Item, at: number) => Result,
): Promise<Result[]> => {
  const results: Result[] = [];
  const rest = items.values();
  const go = (): boolean => {
    const untilMs = performance.now() + PIECE_MS;
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      results.push(one(next.value, results.length));
      if (performance.now() > untilMs) return true;
    }
    return false;
  };
  while (await piece(go));
  return results;
};
