import type { ClientAnswer } from '../world/load.ts';
import type { Evidence } from './evidence.ts';

/** Whoever is sent away is told when to come back, and why, in the one shape of errors. */
export const findUnclean = ({ answers }: Pick<Evidence, 'answers'>): readonly string[] =>
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
