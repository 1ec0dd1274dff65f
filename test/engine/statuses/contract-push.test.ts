import { describe, expect, it } from 'vitest';
import { readContractPush, UPDATES_MAX } from '../../../src/engine/statuses/contract-push.ts';

const read = (body: unknown) => readContractPush(Buffer.from(JSON.stringify(body)));

describe("The body of the contract's push", () => {
  it('is one status update or several', () => {
    expect(read({ value: 'T1' })).toEqual({ updates: [{ value: 'T1' }], problems: [] });
    expect(read([{ value: 'T1' }, { value: 'T2' }]).updates).toHaveLength(2);
    expect(read([])).toEqual({ updates: [], problems: [] });
  });

  it('loses nothing of the rest for what cannot be read', () => {
    expect(read([{ value: 'T1' }, 7, null, { value: 'T2' }])).toEqual({
      updates: [{ value: 'T1' }, { value: 'T2' }],
      problems: ['[1] a status update must be an object', '[2] a status update must be an object'],
    });
  });

  it.each(['', '{', '7', '"x"', 'null', '[null]', `${'['.repeat(500)}${']'.repeat(500)}`])('refuses %j', (text) => {
    expect(() => readContractPush(Buffer.from(text))).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^(body_not_readable|body_too_large|push_not_readable)$/),
      }),
    );
  });

  it('is bounded', () => {
    const many = Array.from({ length: UPDATES_MAX + 1 }, () => ({}));
    expect(() => read(many)).toThrow(expect.objectContaining({ code: 'push_too_large' }));
  });
});
