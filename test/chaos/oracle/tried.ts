import type { Evidence } from './evidence.ts';

/** Where nothing succeeds, nothing is lost or doubled either: of each kind of work, some has to be done. */
export const findUntried = ({
  carriers,
  receivers,
  records,
}: Pick<Evidence, 'carriers' | 'receivers' | 'records'>): readonly string[] => [
  ...(records.dispatches.some(({ state }) => state === 'done') ? [] : ['no dispatch was done']),
  ...(carriers.some((entry) => entry.what === 'push' && entry.status === 200) ? [] : ['no status push was taken']),
  ...(receivers.some(({ status }) => status === 200) ? [] : ['no webhook was delivered']),
];
