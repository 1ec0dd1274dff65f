import { fixedKeys } from './closure-groups.ts';
import { typedValue, unknownValue, type Context, type Emitter, type Value } from './emitter.ts';
import { emitBlock, emitCondition } from './generate-flow.ts';
import { emitItems, isNeverArray, objectContext, prepareShape, storeCode } from './generate-objects.ts';
import type { LibraryFunction } from './functions/library.ts';
import type { Node } from './tree.ts';

type Part = NonNullable<LibraryFunction['part']>;

/** True if `emitRebuilt` can be asked. */
export const isConstructor = (node: Node): node is Node & { kind: 'object' | 'array' } =>
  node.kind === 'object' ? fixedKeys(node.pairs) !== undefined : node.kind === 'array' && !node.constructed;

/** What a function with a `part` makes of a constructor, without making the constructor's own value first. */
export const emitRebuilt = (
  e: Emitter,
  part: Part,
  node: Node & { kind: 'object' | 'array' },
  context: Context,
): Value => {
  // Whatever is shared in there, the result holds nothing of it that would have to be copied.
  const mixed = e.hold('c.mixed', 'm');
  const value = emitPart(e, part, node, context);
  e.line(`c.mixed = ${mixed};`);
  const whole = value.optional ? e.hold(`${value.js} ?? ${node.kind === 'array' ? '[]' : '{}'}`) : value.js;
  return typedValue(whole, node.kind);
};

/** A part of what is built; undefined where nothing is left of it. */
const emitPart = (e: Emitter, part: Part, node: Node, context: Context): Value => {
  const emit = (inner: Node, innerContext: Context): Value => emitPart(e, part, inner, innerContext);
  if (node.kind === 'constant') {
    const left = part({ charge: () => undefined }, node.value);
    return left === undefined ? unknownValue('undefined') : { ...e.node(node, context), optional: false };
  }
  if (node.kind === 'condition') return emitCondition(e, node, context, emit);
  if (node.kind === 'block') return emitBlock(e, node, context, emit);
  if (isConstructor(node)) {
    return node.kind === 'object' ? emitObjectPart(e, part, node, context) : emitArrayPart(e, part, node, context);
  }
  const value = e.node(node, context);
  return value.js === 'undefined' ? value : unknownValue(e.hold(`${e.constant(part)}(c, ${value.js})`));
};

const emitObjectPart = (e: Emitter, part: Part, node: Node & { kind: 'object' }, context: Context): Value => {
  const keys = fixedKeys(node.pairs) ?? [];
  const inner = objectContext(e, context);
  const object = e.hold(`new ${prepareShape(e, keys)}()`, 'o');
  const some = e.fresh('n');
  e.line(`let ${some} = false;`);
  e.charge(8 * (keys.length + 1));
  let certain = false;
  node.pairs.forEach((pair, index) => {
    const value = emitPart(e, part, pair.value, inner);
    if (value.js === 'undefined') return;
    const store = storeCode(object, keys[index] ?? '', value.js);
    certain ||= !value.optional;
    e.line(value.optional ? `if (${value.js} !== undefined) { ${some} = true; ${store} }` : store);
  });
  return certain ? typedValue(object, 'object') : typedValue(e.hold(`${some} ? ${object} : undefined`), 'object', true);
};

const emitArrayPart = (e: Emitter, part: Part, node: Node & { kind: 'array' }, context: Context): Value => {
  const result = e.hold('[]', 'a');
  let certain = false;
  const push = (value: Value): void => {
    if (value.js === 'undefined') return;
    certain ||= !value.optional;
    const code = `${result}.push(${value.js});`;
    e.line(value.optional ? `if (${value.js} !== undefined) ${code}` : code);
  };
  for (const { node: item, nested } of node.items) {
    if (nested || isNeverArray(item)) {
      push(emitPart(e, part, item, context));
    } else if (!emitItems(e, item, context, result, (inner, place) => emitPart(e, part, inner, place))) {
      const value = e.node(item, context);
      if (value.js !== 'undefined') e.line(`${e.use('partsInto')}(c, ${e.constant(part)}, ${result}, ${value.js});`);
    }
  }
  e.charge(8 * (node.items.length + 1));
  return certain
    ? typedValue(result, 'array')
    : typedValue(e.hold(`${result}.length === 0 ? undefined : ${result}`), 'array', true);
};
