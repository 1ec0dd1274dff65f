import type { StatusUpdate } from './status-update.ts';

/** What the status table compares, and lists of unmapped statuses show. */
export interface CarrierStatus {
  readonly code: string;
  readonly subCode: string;
  readonly description: string;
}

// Longer than any carrier's code; both codes and their carrier must fit into one entry of an index.
const CODE_MAX = 300;
const DESCRIPTION_MAX = 2_000;

/** `carrierStatusCode`, else `carrierStatus`, and the sub-code alike (§2.7); missing is empty, too long is cut. */
export const carrierStatusOf = (update: StatusUpdate): CarrierStatus => ({
  code: bounded(update.carrierStatusCode, update.carrierStatus, CODE_MAX),
  subCode: bounded(update.carrierSubStatusCode, update.carrierSubStatus, CODE_MAX),
  description: cleanText(update.carrierStatusDescription ?? '', DESCRIPTION_MAX),
});

const bounded = (first: string | undefined, second: string | undefined, max: number): string =>
  cleanText([first, second].find((text) => text !== undefined && text.trim() !== '') ?? '', max);

/** Text that a column of the records can hold: without NUL and half surrogates, not longer than `max`. */
export const cleanText = (text: string, max: number): string =>
  text.trim().slice(0, max).toWellFormed().replaceAll('\u0000', '\uFFFD');

/** Says nothing of a status: such an event asks for a poll (§2.7). */
export const isWithoutStatus = (update: StatusUpdate): boolean => {
  const { code, subCode, description } = carrierStatusOf(update);
  const isSilent = (update.carrierSubStatusDescription ?? '').trim() === '';
  return isSilent && code === '' && subCode === '' && description === '';
};
