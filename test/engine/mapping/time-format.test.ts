import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoAt, parseTime, unreadableFormat, writeTime } from '../../../src/engine/mapping/time-format.ts';
import { startCost } from '../../support/cost.ts';

const read = (text: string, formats: string | readonly string[] = [], zone = 'Europe/Berlin') => {
  const parsed = parseTime(text, [formats].flat(), zone);
  return parsed.ok ? isoAt(parsed.instantMs, parsed.zone) : parsed.reason;
};

describe('a time is read', () => {
  it.each([
    ['02.05.2026 14:30', 'dd.MM.yyyy HH:mm', '2026-05-02T14:30:00+02:00'],
    ['02.05.2026  14:30', 'dd.MM.yyyy HH:mm', '2026-05-02T14:30:00+02:00'],
    ['8/17/2021 7:11:26 PM', 'M/d/yyyy h:mm:ss a', '2021-08-17T19:11:26+02:00'],
    ['8/17/2021 12:00:00 am', 'M/d/yyyy h:mm:ss a', '2021-08-17T00:00:00+02:00'],
    ['8/17/2021 12:00:00\u202FPM', 'M/d/yyyy h:mm:ss a', '2021-08-17T12:00:00+02:00'],
    ['20260502143005', 'yyyyMMddHHmmss', '2026-05-02T14:30:05+02:00'],
    ['21990502143005', 'yyyyMMddHHmmss', '2199-05-02T14:30:05+02:00'],
    ['260502', 'yyMMdd', '2026-05-02T00:00:00+02:00'],
    ['Sat, 02 May 2026 14:30:00 +0000', 'EEE, dd MMM yyyy HH:mm:ss Z', '2026-05-02T14:30:00Z'],
    ['Saturday, May 2, 2026', 'EEEE, MMMM d, yyyy', '2026-05-02T00:00:00+02:00'],
    ['02-MAY-26', 'dd-MMM-yy', '2026-05-02T00:00:00+02:00'],
    ['2026-05-02T14:30:00.5-07:00', 'yyyy-MM-ddTHH:mm:ss.SSSXXX', '2026-05-02T14:30:00.500-07:00'],
    ["2026-05-02 at 2 o'clock", "yyyy-MM-dd 'at' H 'o''clock'", '2026-05-02T02:00:00+02:00'],
    ['2026-05-02 14:30 UTC', 'yyyy-MM-dd HH:mm z', '2026-05-02T14:30:00Z'],
    ['2026-05-02 14:30 GMT+2', 'yyyy-MM-dd HH:mm z', '2026-05-02T14:30:00+02:00'],
    ['2026-05-02 14:30 Asia/Kolkata', 'yyyy-MM-dd HH:mm VV', '2026-05-02T14:30:00+05:30'],
    ['/Date(1777732200000+0200)/', 'net', '2026-05-02T16:30:00+02:00'],
    ['1777732200', 'epoch', '2026-05-02T16:30:00+02:00'],
    ['1777732200.25', 'epoch', '2026-05-02T16:30:00.250+02:00'],
    ['1777732200000', 'epochMs', '2026-05-02T16:30:00+02:00'],
    ['2026-05-02T05:48:00.000Z', 'dd.MM.yyyy', '2026-05-02T05:48:00Z'],
    ['2026-05-02 05:48:00', [], '2026-05-02T05:48:00+02:00'],
    ['2026-05-02', [], '2026-05-02T00:00:00+02:00'],
    ['20260502T054800Z', [], '2026-05-02T05:48:00Z'],
    ['2026-05-02T05:48:00.123456789+0530', [], '2026-05-02T05:48:00.123+05:30'],
    [' 2026-05-02T05:48Z ', [], '2026-05-02T05:48:00Z'],
    ['13/01/2026', ['MM/dd/yyyy', 'dd/MM/yyyy'], '2026-01-13T00:00:00+01:00'],
  ])('%j by %j is %s', (text, formats, iso) => {
    expect(read(text, formats)).toBe(iso);
  });

  it('tells the instant and the zone', () => {
    expect(parseTime('02.05.2026 14:30', ['dd.MM.yyyy HH:mm'], 'Asia/Kolkata')).toEqual({
      ok: true,
      instantMs: Date.UTC(2026, 4, 2, 9, 0),
      zone: 'Asia/Kolkata',
    });
    expect(parseTime('2026-05-02T14:30:00-07:00', [], 'Asia/Kolkata')).toMatchObject({ zone: '-07:00' });
  });

  it('takes the earlier of a time that comes twice', () => {
    expect(read('2026-10-25 02:30')).toBe('2026-10-25T02:30:00+02:00');
  });
});

describe('a time is refused', () => {
  it.each([
    ['2026-03-29 02:30', [], /clocks of Europe\/Berlin jumped over/],
    ['2026-02-29', [], /no such day/],
    ['31.04.2026', 'dd.MM.yyyy', /no such day/],
    ['2026-05-02T24:00:00Z', [], /no such time of day/],
    ['2026-06-30T23:59:60Z', [], /no such time of day/],
    ['2026-05-02T05:48:00+25:00', [], /no such offset/],
    ['13:00 PM 2026-05-02', 'h:mm a yyyy-MM-dd', /no such time of day/],
    ['Fri 2026-05-02', 'EEE yyyy-MM-dd', /day of the week/],
    ['0001-01-01T00:00:00', [], /year is not between/],
    ['0085-01-01T00:00:00', [], /year is not between/],
    ['0', 'epoch', /year is not between/],
    ['/Date(-62135596800000)/', 'net', /year is not between/],
    ['9999-12-31', [], /year is not between/],
    ['tomorrow', 'dd.MM.yyyy', /none of the forms dd.MM.yyyy, iso/],
    ['', [], /empty/],
    ['1'.repeat(200), 'epoch', /more than 100/],
    ['2026-05-02 14:30 Mars/Base', 'yyyy-MM-dd HH:mm VV', /no known time zone/],
    ['2026-05-02 14:30 EST', 'yyyy-MM-dd HH:mm z', /none of the forms/],
  ])('%j by %j', (text, formats, reason) => {
    expect(read(text, formats)).toMatch(reason);
  });

  it('in a zone that is none', () => {
    expect(read('2026-05-02', [], 'Mars/Base')).toMatch(/not a time zone/);
  });
});

describe('a format', () => {
  it.each([
    ['dd.MM.yyyy', undefined],
    ['iso', undefined],
    ['net', undefined],
    ['HH:mm', /no y, no M, no d/],
    ['dd.MM.yyyy hh:mm', /h without a/],
    ['dMdMdMdMdMdMdMdMdMdMyyyy', /d twice/],
    ['dd.MM.yyyy Q', /'Q' means nothing/],
    ['yyyyy', /'yyyyy' means nothing/],
    ["yyyy 'open", /quote is not closed/],
    ['---', /no letters/],
    ['d'.repeat(101), /at most 100/],
  ])('%s: %s', (format, reason) => {
    if (reason === undefined) expect(unreadableFormat(format)).toBeUndefined();
    else expect(unreadableFormat(format)).toMatch(reason);
  });
});

describe('a time is written', () => {
  const instantMs = Date.UTC(2026, 2, 2, 23, 5, 9, 70);
  it.each([
    ['yyyyMMdd', 'UTC', '20260302'],
    ['d.M.yy H:m:s', 'Europe/Berlin', '3.3.26 0:5:9'],
    ["EEEE, d. MMMM yyyy 'at' hh:mm a", 'UTC', 'Monday, 2. March 2026 at 11:05 PM'],
    ['yyyy-MM-ddTHH:mm:ss.SSSXXX', 'America/New_York', '2026-03-02T18:05:09.070-05:00'],
    ['S SS SSSSSS', 'UTC', '0 07 070000'],
    ['X XX XXX', 'UTC', 'Z Z Z'],
    ['x xx xxx Z ZZZZZ z', 'UTC', '+00 +0000 +00:00 +0000 Z UTC'],
    ['X XX XXX Z z VV', 'Asia/Kolkata', '+0530 +0530 +05:30 +0530 GMT+05:30 Asia/Kolkata'],
    ['iso', 'Asia/Kolkata', '2026-03-03T04:35:09.070+05:30'],
    ['epoch', 'UTC', '1772492709'],
    ['epochMs', 'UTC', '1772492709070'],
    ['net', 'UTC', '/Date(1772492709070)/'],
  ])('by %j in %s: %s', (format, zone, text) => {
    expect(writeTime(instantMs, format, zone)).toEqual({ ok: true, text });
  });

  it('but not by a format that is none, or in a zone that is none', () => {
    expect(writeTime(0, 'Q', 'UTC').ok).toBe(false);
    expect(writeTime(0, 'iso', 'Mars/Base').ok).toBe(false);
  });

  it('and read again is the same instant, whatever the format, zone and day', () => {
    const formats =
      'yyyy-MM-dd HH:mm:ss XXX|EEE, d MMM yyyy h:mm:ss a Z|yyyyMMddHHmmssx|d.M.yyyy H:m:s VV|dd/MM/yy HH:mm:ss z|iso|epoch|net';
    const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Auckland'];
    const seconds = fc.integer({ min: Date.UTC(1981, 0) / 1000, max: Date.UTC(2065, 0) / 1000 });
    fc.assert(
      fc.property(
        seconds,
        fc.constantFrom(...formats.split('|')),
        fc.constantFrom(...zones),
        (second, format, zone) => {
          const written = writeTime(second * 1000, format, zone);
          if (!written.ok) throw new Error(written.reason);
          const parsed = parseTime(written.text, [format], 'UTC');
          if (!parsed.ok) throw new Error(`${written.text}: ${parsed.reason}`);
          // A name of a zone says nothing about which of two equal times it was.
          const again = format.includes('VV') ? [second * 1000, (second - 3600) * 1000] : [second * 1000];
          expect(again).toContain(parsed.instantMs);
        },
      ),
      { numRuns: 500 },
    );
  });
});

it('blanks that stand side by side are one, however often they are quoted', () => {
  const format = `dd${"' ' ".repeat(20)}MM.yyyy`;
  const cost = startCost();
  expect(parseTime(`01${' '.repeat(90)}05.2026`, [format], 'UTC')).toMatchObject({ ok: true });
  expect(parseTime(`01${' '.repeat(90)}x`, [format], 'UTC')).toMatchObject({ ok: false });
  expect(cost()).toBeLessThan(50);
});
