import { fixedKeys } from './closure-groups.ts';
import { quote, typedValue, type Context, type Emitter, type Value } from './emitter.ts';
import type { Node, Pair } from './tree.ts';

/** True if the value may be a part of something else, or an array of our own class. */
const mayBeShared = (value: Value): boolean => value.type === 'unknown';

const isStored = (value: Value): boolean => value.js !== 'undefined';

/** An array constructor. */
export const emitArray = (e: Emitter, node: Node & { kind: 'array' }, context: Context): Value => {
  const result = e.hold('[]', 'a');
  for (const { node: part, nested } of node.items) {
    const value = e.node(part, context);
    if (!isStored(value)) continue;
    const scalar = ['string', 'number', 'boolean', 'object', 'function'].includes(value.type);
    const mixed = value.freshItems === true ? '' : 'c.mixed = true; ';
    const whole = nested && value.type === 'unknown' ? `if (typeof ${value.js} === 'object') c.mixed = true; ` : '';
    const spread = `if (typeof ${value.js} === 'object') { ${mixed}${e.use('appendTo')}(c, ${result}, ${value.js}); } else `;
    const add = `${whole}${nested || scalar ? '' : spread}${result}.push(${value.js});`;
    e.line(value.optional ? `if (${value.js} !== undefined) { ${add} }` : add);
  }
  e.charge(8 * (node.items.length + 1));
  if (!node.constructed) return typedValue(result, 'array');
  return { js: e.hold(`${e.use('makeConstructed')}(${result})`), type: 'unknown', optional: false, pure: false };
};

/** A constructor for objects of these keys, which tells the engine beforehand how large they will be. */
const prepareShape = (e: Emitter, keys: readonly string[]): string => {
  const name = e.fresh('C');
  const fields = keys.filter((key) => key !== '__proto__').map((key) => `this[${quote(key)}] = 0;`);
  e.prepare(`function ${name}(never) { if (never) { ${fields.join(' ')} } }`);
  e.prepare(`${name}.prototype = Object.prototype;`);
  return name;
};

const sharedTest = (e: Emitter, value: Value): string =>
  value.freshItems === true
    ? `if (${value.js} instanceof ${e.use('Sequence')}) c.mixed = true; `
    : `if (typeof ${value.js} === 'object') c.mixed = true; `;

const storeField = (e: Emitter, object: string, key: string, value: Value): void => {
  if (!isStored(value)) return;
  const target = `${object}[${quote(key)}] = ${value.js};`;
  const store =
    key === '__proto__'
      ? `Object.defineProperty(${object}, '__proto__', { value: ${value.js}, writable: true, enumerable: true, configurable: true });`
      : target;
  const shared = mayBeShared(value) ? sharedTest(e, value) : '';
  e.line(value.optional ? `if (${value.js} !== undefined) { ${shared}${store} }` : shared + store);
};

/** An object constructor. */
export const emitObject = (e: Emitter, node: Node & { kind: 'object' }, context: Context): Value => {
  const keys = fixedKeys(node.pairs);
  if (keys === undefined) return emitDynamic(e, node.pairs, node.at, context);
  const gathered = e.remembered(`${context.js}|gathered`, () => ({
    js: e.hold(`Array.isArray(${context.js}) ? ${e.use('gather')}(c, ${context.js}) : ${context.js}`, 'i'),
    type: 'unknown',
    optional: true,
    pure: context.pure,
  }));
  const inner: Context = { js: gathered.js, pure: gathered.pure, outermost: false };
  const object = e.hold(`new ${prepareShape(e, keys)}()`, 'o');
  e.charge(8 * (keys.length + 1));
  node.pairs.forEach((pair, index) => storeField(e, object, keys[index] ?? '', e.node(pair.value, inner)));
  return typedValue(object, 'object');
};

/** Keys and values of an object whose keys are computed, or of a grouping, as callbacks. */
export const emitPairs = (e: Emitter, pairs: readonly Pair[], pure: boolean): string => {
  const parts = pairs.map(({ key, value }) => {
    const keys = e.callback((item) => e.node(key, item), pure);
    const values = e.callback((item) => e.node(value, item), pure);
    return `{ key: ${keys}, value: ${values} }`;
  });
  return `[${parts.join(', ')}]`;
};

const emitDynamic = (e: Emitter, pairs: readonly Pair[], at: number, context: Context): Value => {
  const list = emitPairs(e, pairs, context.pure);
  e.line('c.mixed = true;');
  return typedValue(e.hold(`${e.use('groupItems')}(c, ${context.js}, ${list}, undefined, ${at})`), 'object');
};
