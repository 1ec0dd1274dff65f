import type { CallSite } from './call.ts';
import { quote, typedValue, unknownValue, type Context, type Emitter, type Value } from './emitter.ts';
import { mostDirect, type LibraryFunction } from './functions/library.ts';
import { emitDirectCall } from './generate-functions.ts';
import { emitRebuilt, isConstructor } from './generate-parts.ts';
import type { Parameter } from './signature.ts';
import type { CallNode, Node } from './tree.ts';

const typeTests: Readonly<Record<string, string>> = { s: 'string', n: 'number', b: 'boolean' };

const isListOf = ({ array, subtype }: Parameter): boolean => array && (subtype === 'n' || subtype === 's');

/** The argument as the function takes it: a number or text alone is a list of one where a list of them is asked for. */
const fitted = (parameter: Parameter | undefined, js: string): string =>
  parameter !== undefined && isListOf(parameter)
    ? `typeof ${js} === '${typeTests[parameter.subtype ?? '']}' ? [${js}] : ${js}`
    : js;

/** A test that an argument fits its parameter as it stands; empty if it does for certain, undefined if code cannot say. */
const fitTest = (e: Emitter, parameter: Parameter, value: Value): string | undefined => {
  const { accepts, array, subtype } = parameter;
  if (accepts === 'asnblfom' && !array) return '';
  if (array) {
    if (isListOf(parameter)) {
      const list = `Array.isArray(${value.js}) && ${e.use('allOfType')}(${value.js}, '${subtype}')`;
      return `(typeof ${value.js} === '${typeTests[subtype ?? '']}' || ${list})`;
    }
    if (subtype !== undefined) return undefined;
    if (value.type === 'array' && !value.optional) return '';
    return `(${value.js} === undefined || Array.isArray(${value.js}))`;
  }
  if (!accepts.endsWith('m')) return undefined;
  const types = Array.from(accepts.slice(0, -1), (letter) => typeTests[letter]);
  if (types.includes(undefined)) return undefined;
  if (types.includes(value.type)) return '';
  const tests = types.map((type) => `typeof ${value.js} === '${type}'`);
  return `(${[`${value.js} === undefined`, ...tests].join(' || ')})`;
};

/** The test that all arguments fit one by one; undefined if only the signature itself can tell. */
const fitsDirectly = (e: Emitter, entry: LibraryFunction, args: readonly Value[]): string | undefined => {
  const parameters = entry.signature?.parameters;
  if (parameters === undefined) return '';
  if (args.length > parameters.length) return undefined;
  const tests: string[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const value = args[index];
    if (parameter.repeated) return undefined;
    if (value === undefined) {
      if (parameter.context || !parameter.optional) return undefined;
      continue;
    }
    const test = fitTest(e, parameter, value);
    if (test === undefined) return undefined;
    if (test !== '') tests.push(test);
  }
  return tests.join(' && ');
};

const resultTypes: Readonly<Record<string, Value['type']>> = { s: 'string', n: 'number', b: 'boolean' };

/** JSONata's own functions keep to the result type in their signature, or give nothing. */
const resultType = (entry: LibraryFunction): Value['type'] => {
  const result = /:([snb])>$/.exec(entry.signature?.definition ?? '')?.[1];
  return entry.standard && result !== undefined ? (resultTypes[result] ?? 'unknown') : 'unknown';
};

/** Functions simple enough to be written out. */
const inlined = (e: Emitter, name: string, args: readonly Value[]): Value | undefined => {
  const [only] = args;
  if (only === undefined || args.length !== 1) return undefined;
  switch (name) {
    case 'exists':
      return typedValue(e.hold(`${only.js} !== undefined`), 'boolean');
    case 'not':
      if (only.type === 'boolean' && !only.optional) return typedValue(e.hold(`!${only.js}`), 'boolean');
      return typedValue(
        e.hold(`${only.js} === undefined ? undefined : !${e.use('truth')}(${only.js})`),
        'boolean',
        true,
      );
    case 'boolean':
      if (only.type === 'boolean' && !only.optional) return only;
      return typedValue(e.hold(`${e.use('booleanOf')}(${only.js})`), 'boolean', true);
    case 'string':
      return only.type === 'string' ? only : undefined;
    default:
      return undefined;
  }
};

const kinds = { text: 'string', number: 'number', unknown: 'unknown' } as const;

const emitLibraryCall = (
  e: Emitter,
  entry: LibraryFunction,
  args: readonly Value[],
  node: CallNode,
  context: Context,
): Value => {
  const site: CallSite = { at: node.at, token: node.token, tail: node.tail };
  e.mark(site);
  if (entry.standard) {
    const short = inlined(e, entry.name, args);
    if (short !== undefined) return short;
  }
  const list = args.map((argument) => argument.js);
  if (entry.direct !== undefined && list.length <= mostDirect) {
    const call = `${e.constant(entry.direct)}(${['c.context', list.length, ...list].join(', ')})`;
    return typedValue(e.hold(call), kinds[entry.gives ?? 'unknown'], true);
  }
  if (entry.part !== undefined && list.length === 1) {
    const whole = e.hold(`${e.use('rebuilt')}(c, ${e.constant(entry.part)}, ${list.join('')})`);
    return { ...unknownValue(whole), optional: false, freshItems: true };
  }
  const slow = `${e.use('callStandard')}(c, ${e.constant(entry)}, [${list.join(', ')}], ${context.js}, ${e.constant(site)})`;
  const test = fitsDirectly(e, entry, args);
  if (test === undefined) {
    const value = e.hold(slow);
    // A call in tail position may stand for its result.
    return node.tail ? unknownValue(value) : { ...typedValue(value, resultType(entry), true) };
  }
  const given = list.map((js, index) => fitted(entry.signature?.parameters[index], js));
  const direct = `${e.constant(entry.call)}(${['c', ...given].join(', ')})`;
  return typedValue(e.hold(test === '' ? direct : `${test} ? ${direct} : ${slow}`), resultType(entry), true);
};

/** A call. */
export const emitCall = (e: Emitter, node: CallNode, context: Context): Value => {
  const entry = node.builtin === undefined ? undefined : e.library.get(node.builtin);
  if (entry !== undefined) {
    const [only] = node.args;
    if (entry.part !== undefined && only !== undefined && node.args.length === 1 && isConstructor(only)) {
      e.mark({ at: node.at, token: node.token });
      return emitRebuilt(e, entry.part, only, context);
    }
    const args = node.args.map((argument) => e.node(argument, context));
    return emitLibraryCall(e, entry, args, node, context);
  }
  const direct = e.directFunction(node.procedure);
  if (direct !== undefined) return emitDirectCall(e, direct, node, context);
  const callee = e.node(node.procedure, context);
  const site = e.constant({ at: node.at, token: node.token, tail: node.tail } satisfies CallSite);
  emitCheck(e, callee, node.hint, context, `'T1005', ${site}`);
  const args = node.args.map((argument) => e.node(argument, context).js).join(', ');
  if (node.tail) {
    return unknownValue(e.hold(`${e.use('tailCall')}(${callee.js}, [${args}], ${quote(node.token)}, ${node.at})`));
  }
  return unknownValue(e.hold(`${e.use('callValue')}(c, ${callee.js}, [${args}], ${context.js}, ${site})`));
};

const emitCheck = (e: Emitter, callee: Value, hint: Node | undefined, context: Context, rest: string): void => {
  if (hint === undefined) return;
  const lines = e.body(() => e.node(hint, context)).join('\n');
  e.line(`${e.use('checkCallee')}(${callee.js}, () => { ${lines} }, ${rest});`);
};

/** A partial application. */
export const emitPartial = (e: Emitter, node: Node & { kind: 'partial' }, context: Context): Value => {
  const args = node.args.map((argument) => (argument === undefined ? e.use('hole') : e.node(argument, context).js));
  const callee = e.node(node.procedure, context);
  const site = e.constant({ at: node.at, token: node.token, tail: false } satisfies CallSite);
  emitCheck(e, callee, node.hint, context, `'T1007', ${site}`);
  return typedValue(e.hold(`${e.use('applyPartially')}(${callee.js}, [${args.join(', ')}], ${site})`), 'function');
};
