import type { CallSite } from './call.ts';
import { typedValue, unknownValue, type Context, type DirectFunction, type Emitter, type Value } from './emitter.ts';
import { parseSignature } from './signature.ts';
import type { Binding, CallNode, FunctionNode } from './tree.ts';

const emitBody = (e: Emitter, node: FunctionNode, context: Context, argument: (index: number) => string): Value => {
  const last = new Map(node.parameters.map((binding, index) => [binding, index]));
  for (const binding of node.scope.bindings.values()) {
    const index = last.get(binding);
    e.declare(binding, index === undefined ? undefined : argument(index));
  }
  return e.node(node.body, context);
};

/** A function of the expression, as a value. */
export const emitFunction = (e: Emitter, node: FunctionNode, context: Context): Value => {
  const signature = node.signature === undefined ? 'undefined' : e.constant(parseSignature(node.signature));
  const lines = e.body(() => emitBody(e, node, context, (index) => `a[${index}]`));
  const name = e.fresh('f');
  e.line(`const ${name} = ${e.use('makeLambda')}(${node.parameters.length}, ${signature}, ${context.js}, (c, a) => {`);
  for (const line of lines) e.line(line);
  e.line('});');
  return typedValue(name, 'function');
};

/** A function of the expression that is only ever called by the name of its variable: a function of JavaScript. */
export const emitDirectFunction = (e: Emitter, target: Binding, node: FunctionNode, context: Context): void => {
  const direct: DirectFunction = { name: e.fresh('f'), tail: endsInCall(node.body), result: unknownValue('') };
  e.defineDirect(target, direct);
  const parameters = node.parameters.map(() => e.fresh('a'));
  let result = direct.result;
  const lines = e.body(() => (result = emitBody(e, node, context, (index) => parameters[index] as string)));
  if (!direct.tail) direct.result = { ...result, pure: false };
  e.define(direct.name, ['c', ...parameters], lines);
};

/** True if there is a call in tail position anywhere inside. */
const endsInCall = (part: unknown): boolean => {
  if (Array.isArray(part)) return part.some(endsInCall);
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return false;
  if ((part as Partial<CallNode>).kind === 'call' && (part as CallNode).tail) return true;
  return Object.entries(part).some(
    ([key, value]) => !['scope', 'target', 'parameters', 'places'].includes(key) && endsInCall(value),
  );
};

/** A call of such a function. */
export const emitDirectCall = (e: Emitter, direct: DirectFunction, node: CallNode, context: Context): Value => {
  const args = node.args.map((argument) => e.node(argument, context).js);
  e.mark({ at: node.at, token: node.token } satisfies Omit<CallSite, 'tail'>);
  e.line('c.enter();');
  const given = e.hold(`${direct.name}(${['c', ...args].join(', ')})`);
  const result = direct.tail ? e.hold(`${e.use('finishCall')}(c, ${given}, ${context.js})`) : given;
  e.line('c.leave();');
  return direct.tail ? unknownValue(result) : { ...direct.result, js: result };
};
