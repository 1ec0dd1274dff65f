import { expect, onTestFinished, test } from 'vitest';
import { openInbox } from '../../src/cli/certify-inbox.ts';

test('what proves nothing is soon too much, and takes no room from what does', async () => {
  const inbox = await openInbox(0, '/statuses', 'token-of-the-pushes');
  onTestFinished(inbox.close);
  const push = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${inbox.url}/statuses`, { method: 'POST', headers, body: '{"value":"T-1"}' })).status;
  };
  const strangers: number[] = [];
  for (let number = 0; number < 21; number += 1) strangers.push(await push('another'));
  expect(strangers).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
  expect(await push('token-of-the-pushes')).toBe(200);
  expect(inbox.pushes.map(({ isProven }) => isProven)).toEqual([...Array.from({ length: 20 }, () => false), true]);
});
