import { expect, it } from 'vitest';
import { watchShared } from './shared.ts';

const MARK = Symbol('mark');
const typed = Object.getPrototypeOf(Uint8Array.prototype) as object;

it.each([
  [
    'a method in the place of another',
    Map.prototype,
    'forEach',
    { value: (): void => undefined },
    'Map.prototype.forEach',
  ],
  ['a method of its own class', Object, 'assign', { value: (): object => ({}) }, 'Object.assign'],
  ['a value that is equal but another', Array.prototype, Symbol.unscopables, { value: {} }, 'Array.prototype.Symbol'],
  ['a getter', RegExp.prototype, 'flags', { get: (): string => 'g' }, 'RegExp.prototype.flags'],
  ['what shows in every loop', Object.prototype, 'valueOf', { enumerable: true }, 'Object.prototype.valueOf'],
  ['what is new', typed, MARK, { value: 1, configurable: true }, 'TypedArray.prototype.Symbol(mark)'],
])('sees %s', (_what, owner, key, change, told) => {
  const changed = watchShared();
  const before = Reflect.getOwnPropertyDescriptor(owner, key);
  try {
    Object.defineProperty(owner, key, change);
    expect(changed().join()).toContain(told);
    expect(changed()).toHaveLength(1);
  } finally {
    Reflect.deleteProperty(owner, key);
    if (before !== undefined) Object.defineProperty(owner, key, before);
  }
  expect(changed()).toEqual([]);
});

it('sees a class that has got another ancestor', () => {
  const changed = watchShared();
  try {
    Object.setPrototypeOf(Set.prototype, { polluted: true });
    expect(changed()).toEqual(['Set.prototype has another prototype']);
  } finally {
    Object.setPrototypeOf(Set.prototype, Object.prototype);
  }
});
