import { afterEach, expect, it } from 'vitest';
import { rememberTexts, remembering } from '../../src/engine/remembered.ts';

afterEach(() => rememberTexts(0));

it('what is made of texts is made once, but only where that was asked for', () => {
  let made = 0;
  const make = remembering((one: string, other: string) => ({ one, other, number: (made += 1) }));
  expect([make('a', 'b').number, make('a', 'b').number]).toEqual([1, 2]);
  rememberTexts(2);
  const first = make('a', 'b');
  expect(make('a', 'b')).toBe(first);
  expect(make('ab', '')).not.toBe(first);
  make('c', 'd');
  expect(make('a', 'b')).not.toBe(first);
});

it('what fails is tried again', () => {
  rememberTexts(2);
  let tries = 0;
  const make = remembering((text: string) => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return text;
  });
  expect(() => make('a')).toThrow('not yet');
  expect(make('a')).toBe('a');
});
