/** Names in paths and variables: what they stand for, and what to say of those that stand for nothing. */
import { standardNames } from '../../jsonata/functions/library.ts';
import type { Ast } from '../../jsonata/parse.ts';
import { closest, slipOf } from '../closest.ts';
import { LIBRARY } from '../functions/library.ts';
import { isRoot, type Root, ROOTS, SHOWN } from '../roots.ts';
import {
  ANY,
  collected,
  elementsOf,
  isMany,
  isScalar,
  type ObjectType,
  optional,
  type Origin,
  type Type,
  unionOf,
} from './type.ts';
import type { TextFix, TypeFinding } from './verdicts.ts';
import type { At, Walker } from './walker.ts';

/** Roots that a carrier's own data will hardly have a field of; any other name may well be the carrier's. */
const NEVER_A_CARRIERS: ReadonlySet<string> = new Set([
  'settings',
  'credentials',
  'environment',
  'tables',
  'auths',
] satisfies Root[]);

/** Where a name stands in its path. */
export interface Standing {
  readonly first: boolean;
  readonly more: boolean;
}

/** All objects that a value may be, or be a list of. */
const objectsOf = (type: Type): readonly ObjectType[] => [
  ...(type.object === undefined ? [] : [type.object]),
  ...(type.list === undefined ? [] : objectsOf(type.list)),
];

const mayBeAnything = (type: Type): boolean =>
  type.any === true || (type.list !== undefined && mayBeAnything(type.list));

/** The field of a name in the value at hand, or in each of its elements. */
export const fieldOf = (walker: Walker, node: Ast, name: string, type: Type, standing: Standing): Type => {
  if (mayBeAnything(type)) {
    if (standing.first && standing.more && NEVER_A_CARRIERS.has(name))
      return insidePath(walker, node, name as Root, 'the value');
    walker.accept('name', node);
    walker.lookedUp(node, undefined);
    return ANY;
  }
  const objects = objectsOf(type);
  const found = objects.flatMap((object) => object.fields.get(name) ?? object.others ?? []);
  if (found.length === 0) return notThere(walker, node, name, { type, objects, standing });
  walker.accept('name', node);
  const sure = objects.every(({ others, origin }) => others === undefined && origin !== 'shown');
  walker.lookedUp(node, sure ? 'schema' : objects.some(({ others }) => others !== undefined) ? undefined : 'shown');
  const held = unionOf(found);
  if (type.list !== undefined) return collected(held, true);
  return found.length < objects.length || type.missing === true || type.shown === true ? optional(held) : held;
};

interface Absence {
  readonly type: Type;
  readonly objects: readonly ObjectType[];
  readonly standing: Standing;
}

const notThere = (walker: Walker, node: Ast, name: string, { type, objects, standing }: Absence): Type => {
  const [object] = objects;
  if (object === undefined) {
    const surely = isScalar(elementsOf(type));
    if (standing.first && isRoot(name) && (surely || (standing.more && NEVER_A_CARRIERS.has(name)))) {
      return insidePath(walker, node, name, 'a text or number');
    }
    if (surely) walker.report('name', node, { rule: 'unknown-path', message: `a text or number has no '${name}'` });
    return ANY;
  }
  if (object.origin === 'document') return notInDocument(walker, node, name, object);
  const shown = objects.some(({ origin }) => origin === 'shown');
  if (standing.first && isRoot(name) && (!shown || (standing.more && NEVER_A_CARRIERS.has(name)))) {
    return insidePath(walker, node, name, object.name);
  }
  const known = [...new Set(objects.flatMap(({ fields }) => [...fields.keys()]))];
  const slip = slipOf(name, known);
  const fix = fixOf(walker, node, name, slip);
  if (shown) {
    // Other fields may well be there; but not one so like another.
    walker.lookedUp(node, undefined);
    if (slip === undefined || digitless(slip) === digitless(name)) return ANY;
    const message = `no case shows a '${name}' in ${object.name}`;
    walker.report('name', node, { rule: 'unshown-path', message, help: `did you mean ${slip}?`, fix });
    return ANY;
  }
  const rule = RULES_BY_ORIGIN[object.origin] ?? 'unknown-path';
  const help = suggestion(slip ?? closest(name, known), known);
  walker.report('name', node, { rule, message: `${object.name} has no '${name}'`, help, fix });
  return ANY;
};

const RULES_BY_ORIGIN: Partial<Record<Origin, TypeFinding['rule']>> = {
  declared: 'undeclared-field',
  memo: 'undeclared-memo',
  tables: 'unknown-table',
};

const digitless = (name: string): string => name.replaceAll(/\d/g, '');

const insidePath = (walker: Walker, node: Ast, name: Root, of: string): Type => {
  const message = `inside a path, '${name}' is a field of ${of}, not the root`;
  const fix = { offset: walker.offsetOf(node), old: name, text: `$${name}` };
  walker.report('name', node, { rule: 'root-inside-path', message, help: `write $${name} for the root`, fix });
  return walker.surrounding.roots.get(name) ?? ANY;
};

const notInDocument = (walker: Walker, node: Ast, name: string, { fields }: ObjectType): Type => {
  if (isRoot(name)) return unseen(walker, node, name);
  const seen = [...fields.keys()];
  const help = suggestion(closest(name, seen), seen);
  const fix = fixOf(walker, node, name, slipOf(name, seen));
  walker.report('name', node, { rule: 'unknown-root', message: `there is no root '${name}'`, help, fix });
  return ANY;
};

const unseen = (walker: Walker, node: Ast, name: Root): Type => {
  const { positions, roots } = walker.surrounding;
  const where = positions.join(', ');
  const secret = name === 'credentials' || name === 'auths';
  if (secret && positions.some((position) => SHOWN.has(position))) {
    const message = `${name} cannot be used in ${where}: what is kept or shown cannot hold a secret`;
    walker.report('name', node, { rule: 'secret-shown', message });
  } else {
    const help = `seen here: ${[...roots.keys()].join(', ')}`;
    walker.report('name', node, { rule: 'unknown-root', message: `${name} is not seen in ${where}`, help });
  }
  return ANY;
};

export const isFunctionName = (name: string): boolean => LIBRARY.has(name) || standardNames.has(name);

/** What a variable holds. */
export const variableOf = (walker: Walker, node: Ast, { context, names }: At): Type => {
  const name = String(node.value);
  if (name === '') return context;
  if (name === '$') return walker.document;
  const local = names.get(name);
  if (local !== undefined) return local;
  if (isRoot(name)) {
    const root = walker.surrounding.roots.get(name);
    if (root === undefined) return unseen(walker, node, name);
    walker.accept('name', node);
    walker.lookedUp(node, 'document');
    return root;
  }
  if (isFunctionName(name)) return ANY;
  const known = [...walker.surrounding.roots.keys(), ...LIBRARY.keys(), ...standardNames, ...names.all()];
  const meant = closest(name, known);
  walker.report('name', node, {
    rule: 'unknown-root',
    message: `there is no root, function or variable $${name}`,
    help: meant === undefined ? undefined : `did you mean $${meant}?`,
    fix: fixOf(walker, node, `$${name}`, slipOf(name, known), '$'),
  });
  return ANY;
};

/** Writes the name that was meant over the one that stands there. */
export const fixOf = (
  walker: Walker,
  node: Ast,
  old: string,
  meant: string | undefined,
  before = '',
): TextFix | undefined =>
  meant === undefined || !/^\w+$/.test(meant)
    ? undefined
    : // A key that is written as a text begins behind its quote.
      { offset: walker.offsetOf(node) + (node.type === 'string' ? 1 : 0), old, text: `${before}${meant}` };

const suggestion = (meant: string | undefined, known: readonly string[]): string | undefined => {
  if (meant !== undefined) return `did you mean ${meant}?`;
  return known.length === 0 || known.length > ROOTS.length ? undefined : `there are ${known.join(', ')}`;
};

/** All fields at once: `*`. */
export const anyField = (type: Type): Type => {
  const objects = objectsOf(type);
  if (mayBeAnything(type) || objects.length === 0 || objects.some(({ origin }) => origin === 'document')) return ANY;
  const held = unionOf(
    objects.flatMap(({ fields, others }) => [...fields.values(), ...(others === undefined ? [] : [others])]),
  );
  return collected(held, true);
};

const DEPTH_MAX = 12;

/** A value and everything within it: `**`. */
export const descendantsOf = (type: Type): Type => {
  const within = (each: Type, depth: number): readonly Type[] => {
    if (mayBeAnything(each) || depth > DEPTH_MAX) return [ANY];
    const element = elementsOf(each);
    const inner = objectsOf(each).flatMap(({ fields, others }) => [
      ...fields.values(),
      ...(others === undefined ? [] : [others]),
    ]);
    return [element, ...inner.flatMap((held) => within(held, depth + 1))];
  };
  const objects = objectsOf(type);
  if (objects.some(({ origin }) => origin === 'document')) return ANY;
  return isMany(type) || objects.length > 0 ? collected(unionOf(within(type, 0)), true) : ANY;
};
