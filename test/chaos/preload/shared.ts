/** What all code of a process shares: who changes it changes it for everybody. */
const NAMES =
  'Array ArrayBuffer BigInt Boolean Buffer Date Error Float64Array Function Map Number Object Promise RegExp';
const CLASSES = [
  ...[...NAMES.split(' '), 'Set', 'String', 'Symbol', 'Uint8Array', 'WeakMap'].map((name) => globalThis[name as 'Map']),
  Object.getPrototypeOf(Uint8Array) as typeof Uint8Array,
];
const SHARED = new Map<string, object>([
  ...CLASSES.flatMap((one): [string, object][] => [
    [one.name, one],
    [`${one.name}.prototype`, one.prototype],
  ]),
  ['JSON', JSON],
  ['Math', Math],
  ['Reflect', Reflect],
]);

const PARTS = ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'] as const;

const isSame = (one: PropertyDescriptor | undefined, other: PropertyDescriptor | undefined): boolean =>
  PARTS.every((part) => Object.is(one?.[part], other?.[part]));

/** Remembers all of it as it is; the function yields what has been changed since. */
export const watchShared = (): (() => readonly string[]) => {
  const before = [...SHARED].map(([name, value]) => ({
    name,
    value,
    parent: Reflect.getPrototypeOf(value),
    properties: new Map(Reflect.ownKeys(value).map((key) => [key, Reflect.getOwnPropertyDescriptor(value, key)])),
  }));
  return () =>
    before.flatMap(({ name, value, parent, properties }) => {
      const keys = new Set([...properties.keys(), ...Reflect.ownKeys(value)]);
      const changed = [...keys]
        .filter((key) => !isSame(properties.get(key), Reflect.getOwnPropertyDescriptor(value, key)))
        .map((key) => `${name}.${String(key)}`);
      return Reflect.getPrototypeOf(value) === parent ? changed : [`${name} has another prototype`, ...changed];
    });
};
