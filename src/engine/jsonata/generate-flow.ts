import { unknownValue, type Context, type Emitter, type Value } from './emitter.ts';
import { emitDirectFunction } from './generate-functions.ts';
import type { Node } from './tree.ts';

type Emit = (node: Node, context: Context) => Value;

export const truthTest = (e: Emitter, value: Value): string =>
  value.type === 'boolean' ? `${value.js} === true` : `${e.use('truth')}(${value.js})`;

/** A block; `emit` writes its last part, which is its value. */
export const emitBlock = (e: Emitter, node: Node & { kind: 'block' }, context: Context, emit?: Emit): Value => {
  for (const binding of node.scope?.bindings.values() ?? []) e.declare(binding, undefined);
  let result = unknownValue('undefined');
  node.body.forEach((part, index) => {
    if (part.kind === 'bind' && part.value.kind === 'function' && e.isDirect(part.target)) {
      emitDirectFunction(e, part.target, part.value, context);
    } else {
      result = index === node.body.length - 1 && emit !== undefined ? emit(part, context) : e.node(part, context);
    }
  });
  return result;
};

const joined = (yes: Value, no: Value | undefined): Value['type'] =>
  no === undefined || yes.type === no.type || no.js === 'undefined'
    ? yes.type
    : yes.js === 'undefined'
      ? no.type
      : 'unknown';

/** A condition; `emit` writes its branches. */
export const emitCondition = (e: Emitter, node: Node & { kind: 'condition' }, context: Context, emit?: Emit): Value => {
  const write = emit ?? ((part: Node) => e.node(part, context));
  const tested = e.node(node.test, context);
  if (tested.type !== 'boolean') e.mark({ at: node.at, token: '?' });
  const result = e.fresh('t');
  e.line(`let ${result};`);
  e.line(`if (${truthTest(e, tested)}) {`);
  let yes = unknownValue('undefined');
  e.branch(() => {
    yes = write(node.yes, context);
    e.line(`${result} = ${yes.js};`);
  });
  e.line('} else {');
  let no: Value | undefined;
  e.branch(() => {
    if (node.no === undefined) return;
    no = write(node.no, context);
    e.line(`${result} = ${no.js};`);
  });
  e.line('}');
  const other = no;
  return {
    js: result,
    type: joined(yes, other),
    optional: yes.optional || other === undefined || other.optional,
    pure: yes.pure && (other === undefined || other.pure),
  };
};
