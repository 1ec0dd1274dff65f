/** Checks calls of a mapping's own functions, of JSONata's and of the library's, and says what they yield. */
import { standardNames, standardSignature } from '../../jsonata/functions/library.ts';
import { messageOf } from '../../failure.ts';
import { ExpressionFailure } from '../../jsonata/failure.ts';
import { type Ast, parse } from '../../jsonata/parse.ts';
import { once } from '../../value.ts';
import type { EvaluationContext } from '../mapping.ts';
import { LIBRARY } from '../functions/library.ts';
import { anyField, fieldOf, isFunctionName, fieldTypesOf } from './fields.ts';
import * as t from './type.ts';
import type { At, TypeWalk } from './type-walk.ts';

/** A call as written; `applied` is what `~>` puts before its arguments. */
export const callOf = (walk: TypeWalk, node: Ast, at: At, applied?: t.Type): t.Type => {
  const { procedure } = node;
  const written = node.arguments ?? [];
  if (procedure === undefined) return t.ANY;
  const name = procedure.type === 'variable' ? String(procedure.value) : undefined;
  checkShadowed(walk, procedure, at);
  for (const argument of written) checkRejection(walk, argument, name);
  const local = name === undefined ? undefined : at.names.get(name);
  const args = (): readonly t.Type[] => [
    ...(applied === undefined ? [] : [applied]),
    ...written.map((argument) => walk.visit(argument, at)),
  ];
  if (name !== undefined && local === undefined && name !== '' && name !== '$') {
    const nodes = applied === undefined ? written : [undefined, ...written];
    return libraryCall(walk, procedure, at, { name, args: args(), nodes });
  }
  const bare = procedure.type === 'path' && procedure.steps?.length === 1 ? procedure.steps[0] : undefined;
  if (bare?.type === 'name') {
    notAFunction(walk, procedure, String(bare.value), at);
    args();
    return t.ANY;
  }
  const callee = local ?? walk.visit(procedure, at);
  return walk.apply(callee, args());
};

/** `$first(x, $reject(…))`: arguments are evaluated before the call. */
const checkRejection = (walk: TypeWalk, argument: Ast, callee = ''): void => {
  const rejects = argument.type === 'function' ? String(argument.procedure?.value) : '';
  if (!['reject', 'error'].includes(rejects) || LAZY.has(callee)) return;
  const message = `$${rejects}(…) is called whatever the other arguments are`;
  walk.report('reject', argument, { rule: 'always-rejects', message, help: 'write condition ? value : $reject(…)' });
};
/** They evaluate an argument only when they need it. */
const LAZY: ReadonlySet<string> = new Set(['try']);

/** `$number := …`, behind which `$number(…)` calls a value. */
export const checkShadowed = (walk: TypeWalk, called: Ast | undefined, { names }: At): void => {
  if (called?.type !== 'variable') return;
  const name = String(called.value);
  if (names.get(name)?.uncallable !== true || !isFunctionName(name)) return;
  const message = `$${name} is a variable here, so $${name}(…) does not call the function`;
  walk.report('shadow', called, { rule: 'shadowed-function', message, help: 'rename the variable' });
};

const notAFunction = (walk: TypeWalk, node: Ast, name: string, at: At): void => {
  const known = isFunctionName(name) || at.names.get(name) !== undefined;
  walk.report('call', node, {
    rule: 'unknown-function',
    message: `'${name}' is not a function`,
    help: known ? `write $${name}(…)` : 'the name of a function begins with $',
    fix: known ? { offset: walk.offsetOf(node), old: name, text: `$${name}` } : undefined,
  });
};

interface Written {
  readonly name: string;
  readonly args: readonly t.Type[];
  /** Undefined for what `~>` brings. */
  readonly nodes: readonly (Ast | undefined)[];
}

const libraryCall = (walk: TypeWalk, procedure: Ast, at: At, written: Written): t.Type => {
  const { name, args } = written;
  if (!isFunctionName(name)) {
    const known = [...LIBRARY.keys(), ...standardNames, ...at.names.keys()];
    const message = `there is no function $${name}`;
    walk.reportUnknown('call', procedure, { rule: 'unknown-function', message, name, known, sigil: '$' });
    return t.ANY;
  }
  checkCount(walk, procedure, name, args.length);
  checkLiterals(walk, name, written.nodes);
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  const arg = (index: number): t.Type => args[index] ?? (index === 0 ? at.context : t.MISSING);
  if (special !== undefined) return special({ ...written, walk, arg });
  const own = LIBRARY.get(name);
  const type = own === undefined ? standardResult(name) : GIVEN[own.gives ?? 'unknown'];
  if (own?.gives === 'boolean') return type;
  const [first] = args;
  return first === undefined || first.missing === true || first.any === true ? t.orMissing(type) : type;
};

const checkCount = (walk: TypeWalk, node: Ast, name: string, given: number): void => {
  const own = LIBRARY.get(name);
  // An argument that defaults to the context value is not required.
  const parameters = standardSignature(name)?.parameters ?? [];
  const { least, most } = own?.takes ?? {
    least: parameters.filter(({ optional }) => !optional).length,
    most: parameters.some(({ repeated }) => repeated) ? Infinity : parameters.length,
  };
  if (given >= least && given <= most) {
    walk.accept('count', node);
    return;
  }
  const wanted = least === most ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
  walk.report('count', node, {
    rule: 'wrong-arguments',
    message: `$${name} takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, not ${given}`,
    help: own === undefined ? undefined : `it is called ${own.usage}`,
  });
};

/** What a call writes out that no call could take, tried with the values of the function's own example beside it. */
const checkLiterals = (walk: TypeWalk, name: string, nodes: Written['nodes']): void => {
  const own = LIBRARY.get(name);
  const samples = samplesOf(name);
  if (own === undefined || samples === undefined || !nodes.some(isLiteral) || nodes.length > own.takes.most) return;
  const args = Array.from({ length: Math.max(nodes.length, own.takes.least) }, (_, at) =>
    isLiteral(nodes[at]) ? nodes[at]?.value : samples[at],
  );
  try {
    own.call(PLAIN, args);
  } catch (thrown) {
    const node = thrown instanceof ExpressionFailure ? nodes[thrown.argument ?? -1] : undefined;
    if (!isLiteral(node) || node === undefined) return;
    const message = messageOf(thrown);
    walk.report('literal', node, { rule: 'wrong-arguments', message, help: `it is called ${own.usage}` });
  }
};

const isLiteral = (node: Ast | undefined): boolean => node?.type === 'string' || node?.type === 'number';

/** What functions that know of times are told by a profile that says nothing of them. */
const PLAIN = { time: { zone: 'UTC', formats: ['iso'] } } as unknown as EvaluationContext;

/** The arguments of a function's first example that only calls it with literals. */
const samplesOf = once((name: string): readonly unknown[] | undefined => {
  for (const { expression } of LIBRARY.get(name)?.examples ?? []) {
    const { type, arguments: written = [] } = parse(expression);
    if (type === 'function' && written.every(isLiteral)) return written.map(({ value }) => value);
  }
  return undefined;
});

// What functions yield -----------------------------------------------------------------------------------------------

const GIVEN = { text: t.TEXT, number: t.NUMBER, boolean: t.BOOLEAN, unknown: t.ANY } as const;
/** By the letter behind the colon of a signature: `<s-nn?:s>`. */
const LETTERS: Readonly<Record<string, t.Type>> = { s: t.TEXT, n: t.NUMBER, b: t.BOOLEAN, 'a<s>': t.listOf(t.TEXT) };

const standardResult = (name: string): t.Type => {
  const result = /:([^:]*)>$/.exec(standardSignature(name)?.definition ?? '')?.[1];
  return result === undefined ? t.ANY : (LETTERS[result] ?? t.ANY);
};

/** What is neither missing, null nor an empty text: all that `$first` and `$prune` leave. */
const something = ({ missing: _m, null: _n, ...rest }: t.Type): t.Type => rest;

/** Any field may be gone. */
const pruned = (type: t.Type, depth = 0): t.Type => {
  if (type.any === true || depth > 12) return type;
  const { object, list, ...rest } = something(type);
  const fields = [...(object?.fields ?? [])].map(([key, held]) => [key, t.orMissing(pruned(held, depth + 1))] as const);
  return {
    ...rest,
    ...(list === undefined ? {} : { list: pruned(list, depth + 1) }),
    ...(object === undefined ? {} : { object: { ...object, fields: new Map(fields) } }),
  };
};

interface Call extends Written {
  readonly walk: TypeWalk;
  /** A missing first argument is the context value. */
  readonly arg: (index: number) => t.Type;
}

const filtered = ({ walk, arg }: Call): t.Type => {
  const list = arg(0);
  walk.apply(arg(1), [t.elementsOf(list), t.NUMBER, list]);
  return t.isMany(list) ? t.collected(t.elementsOf(list), true) : t.orMissing(list);
};

const same = ({ arg }: Call): t.Type => arg(0);

const SPECIAL: Readonly<Record<string, (call: Call) => t.Type>> = {
  first({ args }) {
    const joined = t.unionOf(args.map(something));
    const last = args.at(-1);
    return last === undefined || last.missing === true || last.any === true ? t.orMissing(joined) : joined;
  },
  list({ arg }) {
    const element = t.elementsOf(something(arg(0)));
    return t.listOf(element.any === true ? t.ANY : element);
  },
  prune: ({ arg }) => pruned(arg(0)),
  table({ walk, args, nodes }) {
    const name = nodes[0]?.type === 'string' ? String(nodes[0].value) : undefined;
    const tables = walk.surrounding.roots.get('tables');
    const rows = name === undefined ? undefined : tables?.object?.fields.get(name);
    return rows?.object === undefined
      ? t.ANY
      : t.union(t.present(t.unionOf(fieldTypesOf(rows.object))), args[2] ?? t.NEVER);
  },
  lookup({ walk, arg, nodes }) {
    const of = arg(0);
    const [, node] = nodes;
    if (node?.type === 'string' && of.any !== true) {
      return fieldOf(walk, node, String(node.value), of, { first: false, more: false });
    }
    const { object } = of;
    if (object === undefined || of.list !== undefined) return t.ANY;
    const words = t.knownTextsOf(arg(1));
    if (words === undefined) return t.orMissing(anyField(t.present(of)));
    return t.orMissing(t.unionOf([...words].map((word) => object.fields.get(word) ?? object.others ?? t.MISSING)));
  },
  merge({ arg }) {
    const element = t.present(t.elementsOf(arg(0)));
    return element.object === undefined || element.any === true ? t.ANY : { object: element.object };
  },
  map({ walk, arg }) {
    const list = arg(0);
    return t.collected(
      walk.apply(arg(1), [t.elementsOf(list), t.NUMBER, list]),
      t.isMany(list) || list.missing === true,
    );
  },
  filter: filtered,
  single: (call) => t.elementsOf(filtered(call)),
  reduce({ walk, args, arg }) {
    const element = t.elementsOf(arg(0));
    let sum = args.length > 2 ? arg(2) : element;
    // Twice, for what the first round makes of it is what the second one gets.
    for (let round = 0; round < 2; round += 1) sum = t.union(sum, walk.apply(arg(1), [sum, element, t.NUMBER, arg(0)]));
    return sum;
  },
  each: ({ walk, arg }) => t.collected(walk.apply(arg(1), [t.elementsOf(anyField(arg(0))), t.TEXT, arg(0)]), true),
  sift({ walk, arg }) {
    const of = arg(0);
    walk.apply(arg(1), [t.elementsOf(anyField(of)), t.TEXT, of]);
    return of.object === undefined ? t.ANY : t.orMissing(pruned(of));
  },
  sort({ walk, args, arg }) {
    const element = t.elementsOf(arg(0));
    if (args.length > 1) walk.apply(arg(1), [element, element]);
    return element.any === true ? t.ANY : t.orMissing(t.listOf(t.present(element)));
  },
  reverse: ({ arg }) => (arg(0).any === true ? t.ANY : t.orMissing(t.listOf(t.present(t.elementsOf(arg(0)))))),
  distinct: same,
  clone: same,
  append({ arg }) {
    const both = [arg(0), arg(1)];
    const element = t.present(t.unionOf(both.map(t.elementsOf)));
    return element.any === true ? t.ANY : t.union(t.listOf(element), t.unionOf(both));
  },
  keys: () => t.orMissing({ text: true, list: t.TEXT, sequence: true }),
  wrap: () => t.orMissing(t.listOf(t.TEXT)),
  try: ({ args }) => t.unionOf([args[0] ?? t.ANY, args[1] ?? t.MISSING]),
  reject: () => t.NEVER,
  error: () => t.NEVER,
  assert: () => t.MISSING,
  street: () =>
    t.objectOf(
      { name: t.orMissing(t.TEXT), number: t.orMissing(t.TEXT), addition: t.orMissing(t.TEXT) },
      { name: '$street(…)' },
    ),
  person: () => t.objectOf({ first: t.orMissing(t.TEXT), last: t.orMissing(t.TEXT) }, { name: '$person(…)' }),
};
