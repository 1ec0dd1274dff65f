/** Checks calls of a mapping's own functions, of JSONata's and of the library's, and says what they yield. */
import { standardNames, standardSignature } from '../../jsonata/functions/library.ts';
import type { Ast } from '../../jsonata/parse.ts';
import { LIBRARY } from '../functions/library.ts';
import { anyField, fieldOf, isFunctionName, fieldTypesOf } from './fields.ts';
import {
  ANY,
  BOOLEAN,
  collected,
  elementsOf,
  isMany,
  listOf,
  MISSING,
  NEVER,
  NUMBER,
  objectOf,
  orMissing,
  present,
  TEXT,
  type Type,
  union,
  unionOf,
  knownTextsOf,
} from './type.ts';
import type { At, TypeWalk } from './type-walk.ts';

/** A call as written; `applied` is what `~>` puts before its arguments. */
export const callOf = (walk: TypeWalk, node: Ast, at: At, applied?: Type): Type => {
  const { procedure } = node;
  const written = node.arguments ?? [];
  if (procedure === undefined) return ANY;
  const name = procedure.type === 'variable' ? String(procedure.value) : undefined;
  checkShadowed(walk, procedure, at);
  const local = name === undefined ? undefined : at.names.get(name);
  const args = (): readonly Type[] => [
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
    return ANY;
  }
  const callee = local ?? walk.visit(procedure, at);
  return walk.apply(callee, args());
};

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
  readonly args: readonly Type[];
  /** Undefined for what `~>` brings. */
  readonly nodes: readonly (Ast | undefined)[];
}

const libraryCall = (walk: TypeWalk, procedure: Ast, at: At, written: Written): Type => {
  const { name, args } = written;
  if (!isFunctionName(name)) {
    const known = [...LIBRARY.keys(), ...standardNames, ...at.names.keys()];
    const message = `there is no function $${name}`;
    walk.reportUnknown('call', procedure, { rule: 'unknown-function', message, name, known, sigil: '$' });
    return ANY;
  }
  checkCount(walk, procedure, name, args.length);
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  const arg = (index: number): Type => args[index] ?? (index === 0 ? at.context : MISSING);
  if (special !== undefined) return special({ ...written, walk, arg });
  const own = LIBRARY.get(name);
  const type = own === undefined ? standardResult(name) : GIVEN[own.gives ?? 'unknown'];
  const [first] = args;
  return first === undefined || first.missing === true || first.any === true ? orMissing(type) : type;
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

// What functions yield -----------------------------------------------------------------------------------------------

const GIVEN = { text: TEXT, number: NUMBER, unknown: ANY } as const;
/** By the letter behind the colon of a signature: `<s-nn?:s>`. */
const LETTERS: Readonly<Record<string, Type>> = { s: TEXT, n: NUMBER, b: BOOLEAN, 'a<s>': listOf(TEXT) };

const standardResult = (name: string): Type => {
  const result = /:([^:]*)>$/.exec(standardSignature(name)?.definition ?? '')?.[1];
  return result === undefined ? ANY : (LETTERS[result] ?? ANY);
};

/** What is neither missing, null nor an empty text: all that `$first` and `$prune` leave. */
const something = ({ missing: _m, null: _n, ...rest }: Type): Type => rest;

/** Any field may be gone. */
const pruned = (type: Type, depth = 0): Type => {
  if (type.any === true || depth > 12) return type;
  const { object, list, ...rest } = something(type);
  const fields = [...(object?.fields ?? [])].map(([key, held]) => [key, orMissing(pruned(held, depth + 1))] as const);
  return {
    ...rest,
    ...(list === undefined ? {} : { list: pruned(list, depth + 1) }),
    ...(object === undefined ? {} : { object: { ...object, fields: new Map(fields) } }),
  };
};

interface Call extends Written {
  readonly walk: TypeWalk;
  /** A missing first argument is the context value. */
  readonly arg: (index: number) => Type;
}

const filtered = ({ walk, arg }: Call): Type => {
  const list = arg(0);
  walk.apply(arg(1), [elementsOf(list), NUMBER, list]);
  return isMany(list) ? collected(elementsOf(list), true) : orMissing(list);
};

const same = ({ arg }: Call): Type => arg(0);

const SPECIAL: Readonly<Record<string, (call: Call) => Type>> = {
  first({ args }) {
    const joined = unionOf(args.map(something));
    const last = args.at(-1);
    return last === undefined || last.missing === true || last.any === true ? orMissing(joined) : joined;
  },
  list({ arg }) {
    const element = elementsOf(something(arg(0)));
    return listOf(element.any === true ? ANY : element);
  },
  prune: ({ arg }) => pruned(arg(0)),
  table({ walk, args, nodes }) {
    const name = nodes[0]?.type === 'string' ? String(nodes[0].value) : undefined;
    const tables = walk.surrounding.roots.get('tables');
    const rows = name === undefined ? undefined : tables?.object?.fields.get(name);
    return rows?.object === undefined ? ANY : union(present(unionOf(fieldTypesOf(rows.object))), args[2] ?? NEVER);
  },
  lookup({ walk, arg, nodes }) {
    const of = arg(0);
    const [, node] = nodes;
    if (node?.type === 'string' && of.any !== true) {
      return fieldOf(walk, node, String(node.value), of, { first: false, more: false });
    }
    const { object } = of;
    if (object === undefined || of.list !== undefined) return ANY;
    const words = knownTextsOf(arg(1));
    if (words === undefined) return orMissing(anyField(present(of)));
    return orMissing(unionOf([...words].map((word) => object.fields.get(word) ?? object.others ?? MISSING)));
  },
  merge({ arg }) {
    const element = present(elementsOf(arg(0)));
    return element.object === undefined || element.any === true ? ANY : { object: element.object };
  },
  map({ walk, arg }) {
    const list = arg(0);
    return collected(walk.apply(arg(1), [elementsOf(list), NUMBER, list]), isMany(list) || list.missing === true);
  },
  filter: filtered,
  single: (call) => elementsOf(filtered(call)),
  reduce({ walk, args, arg }) {
    const element = elementsOf(arg(0));
    let sum = args.length > 2 ? arg(2) : element;
    // Twice, for what the first round makes of it is what the second one gets.
    for (let round = 0; round < 2; round += 1) sum = union(sum, walk.apply(arg(1), [sum, element, NUMBER, arg(0)]));
    return sum;
  },
  each: ({ walk, arg }) => collected(walk.apply(arg(1), [elementsOf(anyField(arg(0))), TEXT, arg(0)]), true),
  sift({ walk, arg }) {
    const of = arg(0);
    walk.apply(arg(1), [elementsOf(anyField(of)), TEXT, of]);
    return of.object === undefined ? ANY : orMissing(pruned(of));
  },
  sort({ walk, args, arg }) {
    const element = elementsOf(arg(0));
    if (args.length > 1) walk.apply(arg(1), [element, element]);
    return element.any === true ? ANY : orMissing(listOf(present(element)));
  },
  reverse: ({ arg }) => (arg(0).any === true ? ANY : orMissing(listOf(present(elementsOf(arg(0)))))),
  distinct: same,
  clone: same,
  append({ arg }) {
    const both = [arg(0), arg(1)];
    const element = present(unionOf(both.map(elementsOf)));
    return element.any === true ? ANY : union(listOf(element), unionOf(both));
  },
  keys: () => orMissing({ text: true, list: TEXT, sequence: true }),
  wrap: () => orMissing(listOf(TEXT)),
  reject: () => NEVER,
  error: () => NEVER,
  assert: () => MISSING,
  street: () =>
    objectOf({ name: orMissing(TEXT), number: orMissing(TEXT), addition: orMissing(TEXT) }, { name: '$street(…)' }),
  person: () => objectOf({ first: orMissing(TEXT), last: orMissing(TEXT) }, { name: '$person(…)' }),
};
