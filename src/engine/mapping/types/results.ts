/** What calls of library functions yield. */
import { standardSignature } from '../../jsonata/functions/library.ts';
import type { Ast } from '../../jsonata/parse.ts';
import { LIBRARY } from '../functions/library.ts';
import { anyField, fieldOf } from './fields.ts';
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
  type ObjectType,
  optional,
  present,
  TEXT,
  type Type,
  union,
  unionOf,
  wordsOf,
} from './type.ts';
import type { Walker } from './walker.ts';

interface Call {
  readonly name: string;
  readonly args: readonly Type[];
  /** As written; undefined for what `~>` brings. */
  readonly nodes: readonly (Ast | undefined)[];
  readonly context: Type;
}

export const resultOf = (walker: Walker, call: Call): Type => {
  const special = Object.hasOwn(SPECIAL, call.name) ? SPECIAL[call.name] : undefined;
  if (special !== undefined) return special(call, walker);
  const own = LIBRARY.get(call.name);
  const type = own === undefined ? standardResult(call.name) : GIVEN[own.gives ?? 'unknown'];
  const [first] = call.args;
  return first === undefined || first.missing === true || first.any === true ? optional(type) : type;
};

const TEXTS = listOf(TEXT);

const GIVEN = { text: TEXT, number: NUMBER, unknown: ANY } as const;

/** By the letter behind the colon of a signature: `<s-nn?:s>`. */
const LETTERS: Readonly<Record<string, Type>> = {
  s: TEXT,
  n: NUMBER,
  b: BOOLEAN,
  'a<s>': TEXTS,
};

const standardResult = (name: string): Type => {
  const result = /:([^:]*)>$/.exec(standardSignature(name)?.definition ?? '')?.[1];
  return result === undefined ? ANY : (LETTERS[result] ?? ANY);
};

const arg = ({ args, context }: Call, at: number): Type => args[at] ?? (at === 0 ? context : MISSING);

/** What is neither missing, null nor an empty text: all that `$first` and `$prune` leave. */
const something = (type: Type): Type => {
  const { missing: _, null: _n, ...rest } = type;
  return rest;
};

const first = ({ args }: Call): Type => {
  const joined = unionOf(args.map(something));
  const last = args.at(-1);
  return last === undefined || last.missing === true || last.any === true ? optional(joined) : joined;
};

/** Any field may be gone. */
const prune = (type: Type, depth = 0): Type => {
  if (type.any === true || depth > 12) return type;
  const { object, list, ...rest } = something(type);
  return {
    ...rest,
    ...(list === undefined ? {} : { list: prune(list, depth + 1) }),
    ...(object === undefined ? {} : { object: pruneObject(object, depth) }),
  };
};

const pruneObject = (object: ObjectType, depth: number): ObjectType => ({
  ...object,
  fields: new Map([...object.fields].map(([key, held]) => [key, optional(prune(held, depth + 1))])),
});

const table = ({ args, nodes }: Call, walker: Walker): Type => {
  const name = nodes[0]?.type === 'string' ? String(nodes[0].value) : undefined;
  const tables = walker.surrounding.roots.get('tables');
  const rows = name === undefined ? undefined : tables?.object?.fields.get(name);
  return rows?.object === undefined ? ANY : union(present(anyFieldOnce(rows.object)), args[2] ?? NEVER);
};

const anyFieldOnce = ({ fields, others }: ObjectType): Type =>
  unionOf([...fields.values(), ...(others === undefined ? [] : [others])]);

const lookup = (call: Call, walker: Walker): Type => {
  const [of, key] = [arg(call, 0), arg(call, 1)];
  const [, node] = call.nodes;
  if (node?.type === 'string' && of.any !== true) {
    return fieldOf(walker, node, String(node.value), of, { first: false, more: false });
  }
  const words = wordsOf(key);
  const object = of.object;
  if (object === undefined || of.list !== undefined) return ANY;
  if (words === undefined) return optional(anyField(present(of)));
  return optional(unionOf([...words].map((word) => object.fields.get(word) ?? object.others ?? MISSING)));
};

const merge = (call: Call): Type => {
  const element = present(elementsOf(arg(call, 0)));
  return element.object === undefined || element.any === true ? ANY : { object: element.object };
};

const map = (call: Call, walker: Walker): Type => {
  const list = arg(call, 0);
  return collected(walker.apply(arg(call, 1), [elementsOf(list), NUMBER, list]), isMany(list) || list.missing === true);
};

const filter = (call: Call, walker: Walker): Type => {
  const list = arg(call, 0);
  walker.apply(arg(call, 1), [elementsOf(list), NUMBER, list]);
  return isMany(list) ? collected(elementsOf(list), true) : optional(list);
};

const reduce = (call: Call, walker: Walker): Type => {
  const element = elementsOf(arg(call, 0));
  let sum = call.args.length > 2 ? arg(call, 2) : element;
  // Twice, for what the first round makes of it is what the second one gets.
  for (let round = 0; round < 2; round += 1)
    sum = union(sum, walker.apply(arg(call, 1), [sum, element, NUMBER, arg(call, 0)]));
  return sum;
};

const each = (call: Call, walker: Walker): Type => {
  const of = arg(call, 0);
  return collected(walker.apply(arg(call, 1), [elementsOf(anyField(of)), TEXT, of]), true);
};

const sift = (call: Call, walker: Walker): Type => {
  const of = arg(call, 0);
  walker.apply(arg(call, 1), [elementsOf(anyField(of)), TEXT, of]);
  return of.object === undefined ? ANY : optional(prune(of));
};

const sort = (call: Call, walker: Walker): Type => {
  const element = elementsOf(arg(call, 0));
  if (call.args.length > 1) walker.apply(arg(call, 1), [element, element]);
  return element.any === true ? ANY : optional(listOf(present(element)));
};

const same = (call: Call): Type => arg(call, 0);

const SPECIAL: Readonly<Record<string, (call: Call, walker: Walker) => Type>> = {
  first,
  list: (call) => {
    const element = elementsOf(something(arg(call, 0)));
    return element.any === true ? listOf(ANY) : listOf(element);
  },
  prune: (call) => prune(arg(call, 0)),
  table,
  lookup,
  merge,
  map,
  filter,
  single: (call, walker) => elementsOf(filter(call, walker)),
  reduce,
  each,
  sift,
  sort,
  reverse: (call) => (arg(call, 0).any === true ? ANY : optional(listOf(present(elementsOf(arg(call, 0)))))),
  distinct: same,
  clone: same,
  append: (call) => {
    const both = [arg(call, 0), arg(call, 1)];
    const element = present(unionOf(both.map(elementsOf)));
    return element.any === true ? ANY : union(listOf(element), unionOf(both));
  },
  keys: () => optional({ text: true, list: TEXT, sequence: true }),
  wrap: () => optional(TEXTS),
  reject: () => NEVER,
  error: () => NEVER,
  assert: () => MISSING,
  street: () =>
    objectOf({ name: optional(TEXT), number: optional(TEXT), addition: optional(TEXT) }, { name: '$street(…)' }),
  person: () => objectOf({ first: optional(TEXT), last: optional(TEXT) }, { name: '$person(…)' }),
};
