import { fixedKeys } from './closure-groups.ts';
import { quote, typedValue, type Context, type Emitter, type Value } from './emitter.ts';
import { emitPairs, emitPath } from './generate-paths.ts';
import { emitIndexed, isIndexed, needsTuples } from './generate-tuples.ts';
import type { Node, Pair } from './tree.ts';

/** True if the value may be a part of something else, or an array of our own class. */
const mayBeShared = (value: Value): boolean => value.type === 'unknown';

const isStored = (value: Value): boolean => value.js !== 'undefined';

/** True for what never gives an array. */
export const isNeverArray = (node: Node): boolean => {
  switch (node.kind) {
    case 'constant':
      return !Array.isArray(node.value);
    case 'object':
    case 'concat':
    case 'numeric':
    case 'comparison':
    case 'equality':
    case 'includes':
    case 'logic':
      return true;
    case 'condition':
      return isNeverArray(node.yes) && (node.no === undefined || isNeverArray(node.no));
    default:
      return false;
  }
};

/** `[items.{…}]`: what each item gives is put into the array at once. False if the node is no such path. */
export const emitItems = (
  e: Emitter,
  node: Node,
  context: Context,
  target: string,
  emit: (node: Node, item: Context) => Value,
): boolean => {
  const path = node.kind === 'collapse' && !node.keep ? node.base : node;
  if (path.kind !== 'path') return false;
  if (isIndexed(path)) {
    const { base, evaluate } = emitIndexed(e, path, context, emit);
    e.line(`${e.use('indexedInto')}(c, ${target}, ${base}, ${evaluate});`);
    return true;
  }
  if (needsTuples(path) || path.group !== undefined || path.keep || path.steps.length < 2) return false;
  const last = path.steps.at(-1);
  if (last?.node?.kind !== 'object' || last.stages.length > 0 || path.steps[0]?.constructed === true) return false;
  if (fixedKeys(last.node.pairs) === undefined) return false;
  const made = last.node;
  emitPath(e, path, context, (before) => {
    const evaluate = e.callback((item) => emit(made, item), before.pure);
    e.line(`${e.use('stepInto')}(c, ${target}, ${before.js}, ${evaluate});`);
  });
  return true;
};

/** An array constructor. */
export const emitArray = (e: Emitter, node: Node & { kind: 'array' }, context: Context): Value => {
  const literal = node.items.every(({ node: part }) => part.kind === 'constant' && part.value !== undefined);
  const written = literal ? node.items.map(({ node: part }) => e.node(part, context).js).join(', ') : '';
  const result = e.hold(`[${written}]`, 'a');
  for (const { node: part, nested } of literal ? [] : node.items) {
    if (!nested && emitItems(e, part, context, result, (inner, item) => e.node(inner, item))) continue;
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
export const prepareShape = (e: Emitter, keys: readonly string[]): string => {
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

export const storeCode = (object: string, key: string, value: string): string =>
  key === '__proto__'
    ? `Object.defineProperty(${object}, '__proto__', { value: ${value}, writable: true, enumerable: true, configurable: true });`
    : `${object}[${quote(key)}] = ${value};`;

const storeField = (e: Emitter, object: string, key: string, value: Value): void => {
  if (!isStored(value)) return;
  const store = storeCode(object, key, value.js);
  const shared = mayBeShared(value) ? sharedTest(e, value) : '';
  e.line(value.optional ? `if (${value.js} !== undefined) { ${shared}${store} }` : shared + store);
};

/** An object constructor. */
export const emitObject = (e: Emitter, node: Node & { kind: 'object' }, context: Context): Value => {
  const keys = fixedKeys(node.pairs);
  if (keys === undefined) return emitDynamic(e, node.pairs, node.at, context);
  const inner = objectContext(e, context);
  const object = e.hold(`new ${prepareShape(e, keys)}()`, 'o');
  e.charge(8 * (keys.length + 1));
  node.pairs.forEach((pair, index) => storeField(e, object, keys[index] ?? '', e.node(pair.value, inner)));
  return typedValue(object, 'object');
};

/** What the values of an object constructor see: of an array all items together. */
export const objectContext = (e: Emitter, context: Context): Context => {
  const gathered = e.remembered(`${context.js}|gathered`, () => ({
    js: e.hold(`Array.isArray(${context.js}) ? ${e.use('gather')}(c, ${context.js}) : ${context.js}`, 'i'),
    type: 'unknown',
    optional: true,
    pure: context.pure,
  }));
  return { js: gathered.js, pure: gathered.pure, outermost: false };
};

const emitDynamic = (e: Emitter, pairs: readonly Pair[], at: number, context: Context): Value => {
  const list = emitPairs(e, pairs, context.pure);
  e.line('c.mixed = true;');
  return typedValue(e.hold(`${e.use('groupItems')}(c, ${context.js}, ${list}, c, ${at})`), 'object');
};
