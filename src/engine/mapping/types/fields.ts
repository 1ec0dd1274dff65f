/** Resolves names in paths and variables, and reports those that do not exist. */
import { standardNames } from '../../jsonata/functions/library.ts';
import type { Ast } from '../../jsonata/parse.ts';
import { slipOf } from '../closest.ts';
import { LIBRARY } from '../functions/library.ts';
import { isRoot, type Root, ROOTS, SECRETS_BELONG, SHOWN } from '../roots.ts';
import * as t from './type.ts';
import type { At, TypeFinding, TypeWalk } from './type-walk.ts';

/** Roots whose names are unlikely to be fields of a carrier's own data. */
const NEVER_A_CARRIERS: ReadonlySet<string> = new Set([
  'settings',
  'credentials',
  'environment',
  'tables',
  'auths',
] satisfies Root[]);

export interface NameStanding {
  readonly first: boolean;
  readonly more: boolean;
}

/** All objects that a value may be, or be a list of. */
const objectsOf = (type: t.Type): readonly t.ObjectType[] => [
  ...(type.object === undefined ? [] : [type.object]),
  ...(type.list === undefined ? [] : objectsOf(type.list)),
];

const mayBeAnything = (type: t.Type): boolean =>
  type.any === true || (type.list !== undefined && mayBeAnything(type.list));

/** The field of that name in the context value, or in each of its elements. */
export const fieldOf = (walk: TypeWalk, node: Ast, name: string, type: t.Type, standing: NameStanding): t.Type => {
  walk.surrounding.seen?.(node, { context: type, names: new Map() });
  if (mayBeAnything(type)) {
    if (standing.first && standing.more && NEVER_A_CARRIERS.has(name))
      return insidePath(walk, node, name as Root, 'the value');
    walk.accept('name', node);
    walk.lookedUp(node, undefined);
    return t.ANY;
  }
  const objects = objectsOf(type);
  const found = objects.flatMap((object) => object.fields.get(name) ?? object.others ?? []);
  if (found.length === 0) return notThere(walk, node, name, { type, objects, standing });
  if (!isSlip(walk, node, name, objects)) walk.accept('name', node);
  const sure = objects.every(({ others, origin }) => others === undefined && origin !== 'shown');
  walk.lookedUp(node, sure ? 'schema' : objects.some(({ others }) => others !== undefined) ? undefined : 'shown');
  const held = t.unionOf(found);
  if (type.list !== undefined) return t.collected(held, true);
  return found.length < objects.length || type.missing === true || type.shown === true ? t.orMissing(held) : held;
};

/** Reports a name so like one that means something that it is probably that one misspelt, where others may stand as well. */
const isSlip = (walk: TypeWalk, node: Ast, name: string, objects: readonly t.ObjectType[]): boolean => {
  const open = objects.find(({ origin, fields }) => origin === 'open' && !fields.has(name));
  const slip = open && slipOf(name, open.fields.keys());
  if (open === undefined || slip === undefined) return false;
  const message = `${open.name} has no '${name}' of any meaning`;
  const fix = walk.renaming(node, name, slip);
  walk.report('name', node, { rule: 'unknown-field', message, help: `did you mean ${slip}?`, fix });
  return true;
};

interface Absence {
  readonly type: t.Type;
  readonly objects: readonly t.ObjectType[];
  readonly standing: NameStanding;
}

const notThere = (walk: TypeWalk, node: Ast, name: string, { type, objects, standing }: Absence): t.Type => {
  const [object] = objects;
  if (object === undefined) {
    const surely = t.isScalar(t.elementsOf(type));
    if (standing.first && isRoot(name) && (surely || (standing.more && NEVER_A_CARRIERS.has(name)))) {
      return insidePath(walk, node, name, 'a text or number');
    }
    if (surely) walk.report('name', node, { rule: 'unknown-path', message: `a text or number has no '${name}'` });
    return t.ANY;
  }
  if (object.origin === 'document') return notInDocument(walk, node, name, object);
  const shown = objects.some(({ origin }) => origin === 'shown');
  if (standing.first && isRoot(name) && (!shown || (standing.more && NEVER_A_CARRIERS.has(name)))) {
    return insidePath(walk, node, name, object.name);
  }
  const known = [...new Set(objects.flatMap(({ fields }) => [...fields.keys()]))];
  if (!shown) {
    const rule = RULES_BY_ORIGIN[object.origin] ?? 'unknown-path';
    const message = `${object.name} has no '${name}'`;
    walk.reportUnknown('name', node, { rule, message, name, known, listed: ROOTS.length });
    return t.ANY;
  }
  // Examples need not show all fields, but a name so like a known one is probably misspelt.
  walk.lookedUp(node, undefined);
  const slip = slipOf(name, known);
  if (slip === undefined || digitless(slip) === digitless(name)) return t.ANY;
  const message = `no case has a '${name}' in ${object.name}`;
  const fix = walk.renaming(node, name, slip);
  walk.report('name', node, { rule: 'unshown-path', message, help: `did you mean ${slip}?`, fix });
  return t.ANY;
};

const RULES_BY_ORIGIN: Partial<Record<t.Origin, TypeFinding['rule']>> = {
  declared: 'undeclared-field',
  memo: 'undeclared-memo',
  tables: 'unknown-table',
};

const digitless = (name: string): string => name.replaceAll(/\d/g, '');

const insidePath = (walk: TypeWalk, node: Ast, name: Root, of: string): t.Type => {
  const message = `inside a path, '${name}' is a field of ${of}, not the root`;
  const fix = { offset: walk.offsetOf(node), old: name, text: `$${name}` };
  walk.report('name', node, { rule: 'root-inside-path', message, help: `write $${name} for the root`, fix });
  return walk.surrounding.roots.get(name) ?? t.ANY;
};

const notInDocument = (walk: TypeWalk, node: Ast, name: string, { fields }: t.ObjectType): t.Type => {
  if (isRoot(name)) return unseen(walk, node, name);
  const message = `there is no root '${name}'`;
  walk.reportUnknown('name', node, {
    rule: 'unknown-root',
    message,
    name,
    known: [...fields.keys()],
    listed: ROOTS.length,
  });
  return t.ANY;
};

const unseen = (walk: TypeWalk, node: Ast, name: Root): t.Type => {
  const { positions, roots } = walk.surrounding;
  const where = positions.join(', ');
  const secret = name === 'credentials' || name === 'auths';
  if (secret && positions.some((position) => SHOWN.has(position))) {
    const message = `${name} cannot be used in ${where}`;
    walk.report('name', node, { rule: 'secret-shown', message, help: SECRETS_BELONG });
  } else {
    const help = `seen here: ${[...roots.keys()].join(', ')}`;
    walk.report('name', node, { rule: 'unknown-root', message: `${name} is not seen in ${where}`, help });
  }
  return t.ANY;
};

export const isFunctionName = (name: string): boolean => LIBRARY.has(name) || standardNames.has(name);

export const variableOf = (walk: TypeWalk, node: Ast, { context, names }: At): t.Type => {
  walk.surrounding.seen?.(node, { context, names });
  const name = String(node.value);
  if (name === '') return context;
  if (name === '$') return walk.document;
  const local = names.get(name);
  if (local !== undefined) return local;
  if (isRoot(name)) {
    const root = walk.surrounding.roots.get(name);
    if (root === undefined) return unseen(walk, node, name);
    walk.accept('name', node);
    walk.lookedUp(node, 'document');
    return root;
  }
  if (isFunctionName(name)) return t.ANY;
  const known = [...walk.surrounding.roots.keys(), ...LIBRARY.keys(), ...standardNames, ...names.keys()];
  const message = `there is no root, function or variable $${name}`;
  walk.reportUnknown('name', node, { rule: 'unknown-root', message, name, known, sigil: '$' });
  return t.ANY;
};

export const fieldTypesOf = ({ fields, others }: t.ObjectType): readonly t.Type[] => [
  ...fields.values(),
  ...(others === undefined ? [] : [others]),
];

/** All fields at once: `*`. */
export const anyField = (type: t.Type): t.Type => {
  const objects = objectsOf(type);
  if (mayBeAnything(type) || objects.length === 0 || objects.some(({ origin }) => origin === 'document')) return t.ANY;
  return t.collected(t.unionOf(objects.flatMap(fieldTypesOf)), true);
};

const DEPTH_MAX = 12;

/** A value and everything within it: `**`. */
export const descendantsOf = (type: t.Type): t.Type => {
  const within = (each: t.Type, depth: number): readonly t.Type[] => {
    if (mayBeAnything(each) || depth > DEPTH_MAX) return [t.ANY];
    const inner = objectsOf(each).flatMap(fieldTypesOf);
    return [t.elementsOf(each), ...inner.flatMap((held) => within(held, depth + 1))];
  };
  const objects = objectsOf(type);
  if (objects.some(({ origin }) => origin === 'document')) return t.ANY;
  return t.isMany(type) || objects.length > 0 ? t.collected(t.unionOf(within(type, 0)), true) : t.ANY;
};
