import { createHash, timingSafeEqual } from 'node:crypto';

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether two texts are the same, in a time that does not tell where they differ. */
export const isSameText = (given: string, expected: string): boolean =>
  timingSafeEqual(hashOf(given), hashOf(expected));
