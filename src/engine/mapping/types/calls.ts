/** Calls: of functions that the mapping makes, of JSONata's own, of the language's. */
import { standardNames, standardSignature } from '../../jsonata/functions/library.ts';
import type { Ast } from '../../jsonata/parse.ts';
import { closest, slipOf } from '../closest.ts';
import { LIBRARY } from '../functions/library.ts';
import { fixOf, isFunctionName } from './fields.ts';
import { resultOf } from './results.ts';
import { ANY, type Type } from './type.ts';
import type { At, Walker } from './walker.ts';

/** A call as written; `applied` is what `~>` puts before its arguments. */
export const callOf = (walker: Walker, node: Ast, at: At, applied?: Type): Type => {
  const { procedure } = node;
  const written = node.arguments ?? [];
  if (procedure === undefined) return ANY;
  const name = procedure.type === 'variable' ? String(procedure.value) : undefined;
  const local = name === undefined ? undefined : at.names.get(name);
  const args = (): readonly Type[] => [
    ...(applied === undefined ? [] : [applied]),
    ...written.map((argument) => walker.visit(argument, at)),
  ];
  if (name !== undefined && local === undefined && name !== '' && name !== '$') {
    return libraryCall(walker, node, { name, at, args: args(), applied: applied !== undefined });
  }
  const bare = procedure.type === 'path' && procedure.steps?.length === 1 ? procedure.steps[0] : undefined;
  if (bare?.type === 'name') {
    notAFunction(walker, procedure, String(bare.value), at);
    args();
    return ANY;
  }
  const callee = local ?? walker.visit(procedure, at);
  return walker.apply(callee, args());
};

const notAFunction = (walker: Walker, node: Ast, name: string, at: At): void => {
  const known = isFunctionName(name) || at.names.get(name) !== undefined;
  walker.report('call', node, {
    rule: 'unknown-function',
    message: `'${name}' is not a function`,
    help: known ? `write $${name}(…)` : 'the name of a function begins with $',
    fix: known ? { offset: walker.offsetOf(node), old: name, text: `$${name}` } : undefined,
  });
};

interface LibraryCall {
  readonly name: string;
  readonly at: At;
  readonly args: readonly Type[];
  readonly applied: boolean;
}

const libraryCall = (walker: Walker, node: Ast, { name, at, args, applied }: LibraryCall): Type => {
  const procedure = node.procedure as Ast;
  if (!isFunctionName(name)) {
    const known = [...LIBRARY.keys(), ...standardNames, ...at.names.all()];
    const meant = closest(name, known);
    walker.report('call', procedure, {
      rule: 'unknown-function',
      message: `there is no function $${name}`,
      help: meant === undefined ? undefined : `did you mean $${meant}?`,
      fix: fixOf(walker, procedure, `$${name}`, slipOf(name, known), '$'),
    });
    return ANY;
  }
  checkCount(walker, procedure, name, args.length);
  const written = node.arguments ?? [];
  return resultOf(walker, { name, args, nodes: applied ? [undefined, ...written] : written, context: at.context });
};

/** How many arguments a function takes; where the value at hand stands for a missing one, it is not counted. */
const takesOf = (name: string): { readonly least: number; readonly most: number } => {
  const own = LIBRARY.get(name);
  if (own !== undefined) return own.takes;
  const parameters = standardSignature(name)?.parameters ?? [];
  return {
    least: parameters.filter(({ optional }) => !optional).length,
    most: parameters.some(({ repeated }) => repeated) ? Infinity : parameters.length,
  };
};

const checkCount = (walker: Walker, node: Ast, name: string, given: number): void => {
  const { least, most } = takesOf(name);
  if (given >= least && given <= most) {
    walker.accept('count', node);
    return;
  }
  const wanted = least === most ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
  const signature = LIBRARY.get(name)?.signature;
  walker.report('count', node, {
    rule: 'wrong-arguments',
    message: `$${name} takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, not ${given}`,
    help: signature === undefined ? undefined : `it is called ${signature}`,
  });
};
