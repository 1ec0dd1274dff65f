import { describe, expect, it } from 'vitest';
import { evaluate } from '../evaluating.ts';

const berlin = { time: { zone: 'Europe/Berlin', formats: ['dd.MM.yyyy HH:mm'] } };

describe('$time', () => {
  it('uses formats and zone of the profile unless told', async () => {
    expect(await evaluate("$time('02.05.2026 14:30')", {}, berlin)).toBe('2026-05-02T14:30:00+02:00');
    expect(await evaluate("$time('02/05/2026', 'MM/dd/yyyy', 'UTC')", {}, berlin)).toBe('2026-02-05T00:00:00Z');
    expect(await evaluate("$time('02/05/2026', ['yyyy', 'MM/dd/yyyy'])").catch(String)).toMatch(/no M, no d/);
  });
});

describe('$formatTime', () => {
  it('takes our own times only, in the zone of the profile unless told', async () => {
    expect(await evaluate("$formatTime('2026-05-02 14:30:00', 'HHmm')", {}, berlin)).toBe('1430');
    expect(await evaluate("$formatTime('2026-05-02T14:30:00Z', 'HHmm')", {}, berlin)).toBe('1630');
    expect(await evaluate("$formatTime('2026-05-02T14:30:00Z', 'HHmm', 'UTC')", {}, berlin)).toBe('1430');
  });
});

describe('$addTime', () => {
  it('adds days of the calendar, and hours of the clock', async () => {
    expect(await evaluate("$addTime('2026-03-28 12:00:00', '1d')", {}, berlin)).toBe('2026-03-29T12:00:00+02:00');
    expect(await evaluate("$addTime('2026-03-28 12:00:00', '24h')", {}, berlin)).toBe('2026-03-29T13:00:00+02:00');
    expect(await evaluate("$addTime('2026-03-02T12:00:00Z', '-90m')", {}, berlin)).toBe('2026-03-02T10:30:00Z');
  });
});

describe('$workday', () => {
  it.each([
    ['2026-03-06T10:00:00', 0, undefined, '2026-03-06'],
    ['2026-03-07T10:00:00', 0, undefined, '2026-03-09'],
    ['2026-03-08T10:00:00', 1, undefined, '2026-03-09'],
    ['2026-03-06T10:00:00', 1, undefined, '2026-03-09'],
    ['2026-03-06T10:00:00', 5, undefined, '2026-03-13'],
    ['2026-03-09T10:00:00', -1, undefined, '2026-03-06'],
    ['2026-03-05T10:00:00', 1, 'SA', '2026-03-08'],
  ])('%s and %i in %s is %s', async (time, n, country, day) => {
    const found = await evaluate('$workday(time, n, country)', { time, n, country }, berlin);
    expect(String(found).slice(0, 10)).toBe(day);
  });

  it('counts days of the zone of the profile', async () => {
    const lateOnFriday = { now: '2026-03-06T23:30:00Z' };
    expect(await evaluate('$workday(now, 0)', lateOnFriday)).toBe('2026-03-06T23:30:00Z');
    expect(await evaluate('$workday(now, 0)', lateOnFriday, berlin)).toBe('2026-03-09T00:30:00+01:00');
  });
});
