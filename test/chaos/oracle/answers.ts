/** What every row asks of answers: in time, in their shape, and that something was done at all. */
import type { ClientAnswer } from '../world/load.ts';
import type { Evidence } from './evidence.ts';

/** Nobody waits longer than was promised: no client, and no carrier with a status. */
export const findHung = ({ answers, carriers, answerWithinMs }: Evidence): readonly string[] => [
  ...answers
    .filter(({ ms }) => ms > answerWithinMs)
    .map(({ operation, reference, ms }) => `the ${operation} of ${reference} hung for ${ms} ms`),
  ...carriers
    .filter((entry) => entry.what === 'push')
    .filter(({ ms }) => ms > answerWithinMs)
    .map(({ id, ms }) => `the push ${id} hung for ${ms} ms`),
];

/** Where nothing succeeds, nothing is lost or doubled either: of each kind of work, some has to be done. */
export const findUntried = ({ carriers, receivers, records }: Evidence): readonly string[] => [
  ...(records.dispatches.some(({ state }) => state === 'done') ? [] : ['no dispatch was done']),
  ...(carriers.some((entry) => entry.what === 'push' && entry.status === 200) ? [] : ['no status push was taken']),
  ...(receivers.some(({ status }) => status === 200) ? [] : ['no webhook was delivered']),
];

/** Whoever is sent away is told when to come back, and why, in the one shape of errors. */
export const findUnclean = ({ answers }: Evidence): readonly string[] =>
  answers
    .filter(({ status }) => status === 429 || status === 503)
    .filter((answer) => !isClean(answer))
    .map(
      ({ operation, reference, status, retryAfter = 'none', text }) =>
        `the ${operation} of ${reference} got a ${status} with Retry-After ${retryAfter}: ${text.slice(0, 200)}`,
    );

const WORDS: Readonly<Record<number, string>> = { 429: 'TOO_MANY_REQUESTS', 503: 'SERVICE_UNAVAILABLE' };

const isClean = ({ status, retryAfter, text }: ClientAnswer): boolean => {
  if (!/^[1-9]\d{0,3}$/.test(retryAfter ?? '')) return false;
  try {
    const body = JSON.parse(text) as { readonly status?: unknown; readonly errors?: unknown };
    const { errors } = body;
    return body.status === WORDS[status] && Array.isArray(errors) && errors.length > 0 && errors.every(isSentence);
  } catch {
    return false;
  }
};

const isSentence = (said: unknown): boolean => typeof said === 'string' && said !== '';
