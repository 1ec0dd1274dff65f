import type { ClosureScope } from './closure-scope.ts';
import { quote, typedValue, unknownValue, type Context, type Emitter, type Value } from './emitter.ts';
import { emitCall, emitPartial } from './generate-calls.ts';
import { emitFallback } from './generate-fallback.ts';
import { emitBlock, emitCondition, truthTest } from './generate-flow.ts';
import { emitFunction } from './generate-functions.ts';
import { emitArray, emitObject } from './generate-objects.ts';
import { emitFields, emitFilter, emitGroup, emitName, emitPath } from './generate-paths.ts';
import { emitIndexed, isIndexed, needsTuples } from './generate-tuples.ts';
import { BoundedRegex } from './regex.ts';
import type { Binding, Node } from './tree.ts';
import { isInherited } from './value.ts';

type GivenScope = (bindings: readonly Binding[]) => ClosureScope;

/** Writes the code of a node and gives the name of its value. */
export const emitNode = (e: Emitter, node: Node, context: Context, given: GivenScope): Value => {
  switch (node.kind) {
    case 'constant':
      return emitConstant(e, node.value);
    case 'context':
      return emitContext(e, context);
    case 'variable':
      return emitVariable(e, node);
    case 'name':
      return unknownValue(e.hold(`${e.use('lookup')}(c, ${context.js}, ${quote(node.name)})`), context.pure);
    case 'fields':
      return emitFields(e, node, context);
    case 'wildcard':
      return unknownValue(e.hold(`${e.use('wildcard')}(c, ${context.js})`));
    case 'descendants':
      return unknownValue(e.hold(`${e.use('descendants')}(c, ${context.js})`));
    case 'path':
      if (isIndexed(node)) return emitIndexedPath(e, node, context);
      return needsTuples(node) ? emitFallback(e, node, context, given) : emitPath(e, node, context);
    case 'filter':
      return needsTuples(node) ? emitFallback(e, node, context, given) : emitFilter(e, node, context);
    case 'group':
      return needsTuples(node) ? emitFallback(e, node, context, given) : emitGroup(e, node, context);
    case 'collapse':
      return emitCollapse(e, node, context);
    case 'numeric':
      return emitNumeric(e, node, context);
    case 'comparison':
      return emitComparison(e, node, context);
    case 'equality':
      return emitEquality(e, node, context);
    case 'concat':
      return emitConcat(e, node, context);
    case 'includes': {
      const choices = scalarItems(node.right);
      if (choices !== undefined) {
        const { js } = e.node(node.left, context);
        return typedValue(e.hold(choices.map((choice) => `${js} === ${choice}`).join(' || ') || 'false'), 'boolean');
      }
      const [left, right] = [e.node(node.left, context), e.node(node.right, context)];
      return typedValue(e.hold(`${e.use('includes')}(c, ${left.js}, ${right.js})`), 'boolean');
    }
    case 'logic':
      return emitLogic(e, node, context);
    case 'range': {
      const [left, right] = [e.node(node.left, context), e.node(node.right, context)];
      return unknownValue(e.hold(`${e.use('range')}(c, ${left.js}, ${right.js}, ${node.at})`));
    }
    case 'negate':
      return typedValue(e.hold(`${e.use('negate')}(${e.node(node.value, context).js}, ${node.at})`), 'number', true);
    case 'array':
      return emitArray(e, node, context);
    case 'object':
      return emitObject(e, node, context);
    case 'bind': {
      const mixed = e.hold('c.mixed', 'm');
      const value = e.node(node.value, context);
      e.assign(node.target, value);
      // What a variable holds counts as shared wherever it goes.
      if (value.type === 'unknown' || value.type === 'object' || value.type === 'array') e.line(`c.mixed = ${mixed};`);
      // An array held by a variable may be looked at again: it counts as shared.
      return value.type === 'object' || value.type === 'array' ? unknownValue(value.js) : value;
    }
    case 'block':
      return emitBlock(e, node, context);
    case 'condition':
      return emitCondition(e, node, context);
    case 'regex': {
      const regex = e.constant(new BoundedRegex(node.pattern));
      return typedValue(e.hold(`${e.use('regexFunction')}(${regex}, ${node.at})`), 'function');
    }
    case 'call':
      return emitCall(e, node, context);
    case 'partial':
      return emitPartial(e, node, context);
    case 'function':
      return emitFunction(e, node, context);
    case 'apply': {
      const [left, right] = [e.node(node.left, context), e.node(node.right, context)];
      return unknownValue(e.hold(`${e.use('applyTo')}(c, ${left.js}, ${right.js}, ${node.at})`));
    }
    default:
      return emitTransform(e, node, context);
  }
};

const emitIndexedPath = (e: Emitter, node: Node & { kind: 'path' }, context: Context): Value => {
  if (!isIndexed(node)) return unknownValue('undefined');
  const { base, evaluate } = emitIndexed(e, node, context, (part, item) => e.node(part, item));
  const items = e.hold(`${e.use('indexed')}(c, ${base}, ${evaluate})`);
  return { js: items, type: 'unknown', optional: true, pure: false, freshItems: true };
};

const emitConstant = (e: Emitter, value: unknown): Value => {
  if (typeof value === 'string') return typedValue(quote(value), 'string');
  if (typeof value === 'boolean') return typedValue(String(value), 'boolean');
  if (typeof value === 'number') return typedValue(Object.is(value, -0) ? '-0' : `(${value})`, 'number');
  return value === null
    ? { js: 'null', type: 'unknown', optional: false, pure: true }
    : unknownValue(e.constant(value));
};

const emitContext = (e: Emitter, context: Context): Value =>
  context.outermost
    ? e.remembered(`${context.js}|$`, () => unknownValue(e.hold(`${e.use('context')}(${context.js})`), context.pure))
    : unknownValue(context.js, context.pure);

const emitVariable = (e: Emitter, node: Node & { kind: 'variable' }): Value => {
  const names: string[] = [];
  for (const place of node.places) {
    // Other tuples are left to closures, so their scopes hold nothing here.
    if ('bindings' in place) {
      const number = e.placeIn(place, node.name);
      if (number !== undefined) {
        if (names.length === 0) return typedValue(number, 'number');
        return unknownValue(e.hold(chain(e, names, number)));
      }
      continue;
    }
    const name = e.variable(place);
    if (e.isAssigned(place)) {
      if (names.length === 0) return unknownValue(name);
      names.push(name);
      return unknownValue(e.hold(chain(e, names, name)));
    }
    names.push(name);
  }
  const global = (): Value => {
    if (node.name === '$') return unknownValue('c.root', true);
    const slow = `${e.use('globalVariable')}(c, ${e.constant(e.library)}, ${quote(node.name)})`;
    if (isInherited(node.name)) return unknownValue(e.hold(slow), !e.library.has(node.name));
    const name = quote(node.name);
    return unknownValue(e.hold(`${name} in c.bindings ? c.bindings[${name}] : ${slow}`), !e.library.has(node.name));
  };
  if (names.length === 0) return e.remembered(`global ${node.name}|`, global);
  return unknownValue(e.hold(chain(e, names, global().js)));
};

const chain = (e: Emitter, names: readonly string[], otherwise: string): string =>
  names.reduceRight((rest, name) => `(${name} !== ${e.use('unbound')} ? ${name} : ${rest})`, otherwise);

const emitCollapse = (e: Emitter, node: Node & { kind: 'collapse' }, context: Context): Value => {
  // One name is read directly.
  if (node.base.kind === 'name' && !node.keep) {
    return emitName(e, node.base.name, context);
  }
  const value = e.node(node.base, context);
  if (value.type !== 'unknown') return value;
  if (node.base.kind === 'fields') return value;
  const collapsed = e.hold(`${e.use(node.keep ? 'keepSequence' : 'collapse')}(${value.js})`);
  return { ...unknownValue(collapsed, value.pure), freshItems: value.freshItems === true };
};

const finite = (value: Value): string =>
  value.type === 'number' && !value.optional
    ? `${value.js} - ${value.js} === 0`
    : `typeof ${value.js} === 'number' && ${value.js} - ${value.js} === 0`;

const emitNumeric = (e: Emitter, node: Node & { kind: 'numeric' }, context: Context): Value => {
  const [left, right] = [e.node(node.left, context), e.node(node.right, context)];
  const { operator, at } = node;
  const slow = `${e.use('numeric')}('${operator}', ${left.js}, ${right.js}, ${at})`;
  const code = `${finite(left)} && ${finite(right)} ? ${left.js} ${operator} ${right.js} : ${slow}`;
  return typedValue(e.hold(code), 'number', true);
};

const emitComparison = (e: Emitter, node: Node & { kind: 'comparison' }, context: Context): Value => {
  const [left, right] = [e.node(node.left, context), e.node(node.right, context)];
  const { operator, at } = node;
  const slow = `${e.use('compare')}('${operator}', ${left.js}, ${right.js}, ${at})`;
  const numbers = `typeof ${left.js} === 'number' && typeof ${right.js} === 'number'`;
  return typedValue(e.hold(`${numbers} ? ${left.js} ${operator} ${right.js} : ${slow}`), 'boolean', true);
};

/** The items of an array of texts, numbers and booleans written out, as code. */
const scalarItems = (node: Node): readonly string[] | undefined => {
  if (node.kind !== 'array' || node.items.length > 12) return undefined;
  const items: string[] = [];
  for (const { node: item } of node.items) {
    if (item.kind !== 'constant') return undefined;
    if (typeof item.value === 'string') items.push(quote(item.value));
    else if (typeof item.value === 'boolean' || typeof item.value === 'number') items.push(`(${item.value})`);
    else return undefined;
  }
  return items;
};

const isScalar = (value: Value): boolean =>
  (value.type === 'string' || value.type === 'number' || value.type === 'boolean') && !value.optional;

const emitEquality = (e: Emitter, node: Node & { kind: 'equality' }, context: Context): Value => {
  const [left, right] = [e.node(node.left, context), e.node(node.right, context)];
  if (!isScalar(left) && !isScalar(right)) {
    const [a, b] = [left.js, right.js];
    const deep = `typeof ${a} === 'object' && typeof ${b} === 'object'`;
    const slow = `${deep} ? ${e.use('equals')}(c, ${node.negated}, ${a}, ${b})`;
    const code = node.negated
      ? `${a} === ${b} || ${a} === undefined || ${b} === undefined ? false : ${slow} : true`
      : `${a} === ${b} ? ${a} !== undefined : ${slow} : false`;
    return typedValue(e.hold(code), 'boolean');
  }
  if (!node.negated) return typedValue(e.hold(`${left.js} === ${right.js}`), 'boolean');
  const other = isScalar(left) ? right : left;
  return typedValue(e.hold(`${other.js} !== undefined && ${left.js} !== ${right.js}`), 'boolean');
};

const emitConcat = (e: Emitter, node: Node & { kind: 'concat' }, context: Context): Value => {
  const parts: Node[] = [];
  const collect = (part: Node): void => {
    if (part.kind === 'concat') {
      collect(part.left);
      collect(part.right);
    } else {
      parts.push(part);
    }
  };
  collect(node);
  const texts = parts.map((part) => {
    const value = e.node(part, context);
    if (value.type === 'string' && !value.optional) return value.js;
    e.mark({ at: node.at, token: '&' });
    return e.hold(`typeof ${value.js} === 'string' ? ${value.js} : ${e.use('text')}(c, ${value.js})`);
  });
  const whole = e.hold(texts.join(' + '));
  e.mark({ at: node.at, token: '&' });
  e.line(`c.chargeText(${whole}.length);`);
  return typedValue(whole, 'string');
};

const emitLogic = (e: Emitter, node: Node & { kind: 'logic' }, context: Context): Value => {
  const left = e.node(node.left, context);
  e.mark({ at: node.at, token: node.operator });
  const result = e.fresh('t');
  e.line(`let ${result} = ${truthTest(e, left)};`);
  e.line(node.operator === 'and' ? `if (${result}) {` : `if (!${result}) {`);
  e.branch(() => {
    const right = e.node(node.right, context);
    e.mark({ at: node.at, token: node.operator });
    e.line(`${result} = ${truthTest(e, right)};`);
  });
  e.line('}');
  return typedValue(result, 'boolean');
};

const emitTransform = (e: Emitter, node: Node & { kind: 'transform' }, context: Context): Value => {
  const parts = [
    `clone: () => { ${e.body(() => e.node(node.clone, context)).join('\n')} }`,
    `pattern: ${callbackOf(e, node.pattern)}`,
    `update: ${callbackOf(e, node.update)}`,
    `removal: ${node.removal === undefined ? 'undefined' : callbackOf(e, node.removal)}`,
  ];
  const places = e.constant({ at: node.at, updateAt: node.updateAt, removalAt: node.removalAt });
  return typedValue(e.hold(`${e.use('transformation')}({ ${parts.join(', ')} }, ${places})`), 'function');
};

/** For what is called later, and not given the run. */
const callbackOf = (e: Emitter, node: Node): string =>
  `(item) => ${e.callback((item) => e.node(node, item), false)}(item, c)`;
