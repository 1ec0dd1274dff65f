/** Checks what an expression yields against where the value goes. */
import type { Ast } from '../../jsonata/parse.ts';
import { closest } from '../closest.ts';
import { endOfValue } from '../template.ts';
import { ANY, elementsOf, type Type } from './type.ts';
import type { TypeWalk } from './type-walk.ts';

export interface Output {
  readonly type: Type;
  /** A single value is accepted for a list: results and events are coerced. */
  readonly lenient: boolean;
}

/** Reports what is certain: unknown keys, values of the wrong kind, required keys that are missing. */
export const judgeOutput = (walk: TypeWalk, tree: Ast, { type, lenient }: Output): void => {
  new Judge(walk, lenient).value(tree, type);
};

class Judge {
  readonly #walk: TypeWalk;
  readonly #lenient: boolean;

  constructor(walk: TypeWalk, lenient: boolean) {
    this.#walk = walk;
    this.#lenient = lenient;
  }

  /** Follows an expression to the node that makes its value, so that a finding is placed there. */
  value(node: Ast, wanted: Type): void {
    if (wanted.any === true || (node.predicate?.length ?? 0) > 0 || node.group !== undefined) return;
    switch (node.type) {
      case 'condition':
        for (const branch of [node.then, node.else]) if (branch !== undefined) this.value(branch, wanted);
        return;
      case 'block': {
        const last = node.expressions?.at(-1);
        if (last !== undefined) this.value(last, wanted);
        return;
      }
      case 'lambda':
        if (node.thunk === true && node.body !== undefined) this.value(node.body, wanted);
        return;
      case 'path':
        this.#path(node, wanted);
        return;
      case 'unary':
        if (node.value === '{') this.#object(node, node.lhs as readonly (readonly [Ast, Ast])[], wanted);
        else if (node.value === '[') this.#list(node, wanted);
        else this.#plain(node, wanted);
        return;
      case 'function':
        if (isPrune(node) && node.arguments?.[0] !== undefined) this.value(node.arguments[0], wanted);
        else this.#plain(node, wanted);
        return;
      default:
        this.#plain(node, wanted);
    }
  }

  #path(node: Ast, wanted: Type): void {
    const last = node.steps?.at(-1);
    const makes = last?.type === 'unary' || last?.type === 'block' || last?.type === 'condition';
    if (!makes || last === undefined || (last.stages?.length ?? 0) > 0) {
      this.#plain(node, wanted);
      return;
    }
    if (this.#collapses(node, wanted)) return;
    const isLone = this.#walk.typeOf(node).list === undefined;
    this.value(last, isLone && !this.#lenient ? wanted : either(elementsOf(wanted)));
  }

  #object(node: Ast, pairs: readonly (readonly [Ast, Ast])[], wanted: Type): void {
    const object = wanted.object ?? (this.#lenient ? elementsOf(wanted).object : undefined);
    if (elementsOf(wanted).any === true) return;
    if (object === undefined) {
      this.#wrong(node, 'an object', wanted);
      return;
    }
    const written = new Set<string>();
    for (const [key, value] of pairs) {
      if (key.type !== 'string') return;
      const name = String(key.value);
      written.add(name);
      const field = object.fields.get(name) ?? object.others;
      if (field === undefined) {
        const message = `${object.name} has no "${name}"`;
        const known = [...object.fields.keys()];
        this.#walk.reportUnknown('key', key, {
          rule: 'unknown-output',
          message,
          name,
          known,
          quoted: true,
          listed: 32,
        });
      } else this.value(value, field);
    }
    for (const [name, field] of object.fields) {
      if (written.has(name) || field.missing === true || field.any === true) continue;
      this.#walk.report(`needs ${name}`, node, { rule: 'missing-output', message: `${object.name} needs "${name}"` });
    }
  }

  #list(node: Ast, wanted: Type): void {
    if (wanted.list === undefined) {
      this.#wrong(node, 'a list', wanted);
      return;
    }
    for (const item of node.expressions ?? []) {
      const nested = item.type === 'unary' && item.value === '[';
      this.value(item, nested ? wanted.list : either(wanted.list));
    }
  }

  #plain(node: Ast, wanted: Type): void {
    const given = this.#walk.typeOf(node);
    if (this.#collapses(node, wanted) || fits(given, wanted, this.#lenient)) return;
    this.#wrong(node, kindsOf(given), wanted);
  }

  /** A list is wanted, but a sequence of one element collapses to that element. */
  #collapses(node: Ast, wanted: Type): boolean {
    const given = this.#walk.typeOf(node);
    if (this.#lenient || given.sequence !== true || given.list === undefined) return false;
    if (wanted.list === undefined || elementKinds(wanted)) return false;
    reportCollapse(this.#walk, node);
    return true;
  }

  #wrong(node: Ast, given: string, wanted: Type): void {
    const words = wanted.text !== undefined && wanted.text !== true ? [...wanted.text] : [];
    const written = node.type === 'string' ? String(node.value) : undefined;
    const meant = written === undefined ? undefined : closest(written, words);
    const message = `${written === undefined ? given : `"${written}"`} is not allowed here`;
    const help = meant !== undefined ? `did you mean "${meant}"?` : `it must be ${kindsOf(wanted)}`;
    this.#walk.report('value', node, { rule: 'wrong-output', message, help });
  }
}

export const reportCollapse = (walk: TypeWalk, node: Ast): void => {
  const offset = walk.offsetOf(node);
  const end = node.type === 'path' || node.type === 'function' ? endOfValue(walk.text, offset) : undefined;
  const old = walk.text.slice(offset, end);
  walk.report('collapse', node, {
    rule: 'array-may-collapse',
    message: 'with one element this yields the element, not an array',
    help: 'write [ … ] around it',
    fix: end === undefined || end <= offset ? undefined : { offset, old, text: `[${old}]` },
  });
};

const isPrune = ({ type, procedure }: Ast): boolean =>
  type === 'function' && procedure?.type === 'variable' && procedure.value === 'prune';

/** Inside a list, and after a step of a path, a list is flattened into the other elements. */
const either = (element: Type): Type => ({ ...element, list: element });

const elementKinds = ({ object, text, number, boolean }: Type): boolean =>
  object !== undefined || text !== undefined || number !== undefined || boolean !== undefined;

/** Can any value of the given type be a value of the wanted one? */
export const fits = (given: Type, wanted: Type, lenient: boolean): boolean => {
  if (given.any === true || wanted.any === true || given.shown === true || given.callable !== undefined) return true;
  const { missing: _, null: _n, sequence: _s, closed: _c, ...kinds } = given;
  if (Object.keys(kinds).length === 0) return true;
  if (lenient && wanted.list !== undefined && fits(elementsOf(given), elementsOf(wanted), lenient)) return true;
  return (
    (given.number === true && wanted.number === true) ||
    (given.boolean === true && wanted.boolean === true) ||
    (given.object !== undefined && wanted.object !== undefined) ||
    (given.text !== undefined && wanted.text !== undefined && textsMeet(given.text, wanted.text)) ||
    (given.list !== undefined && wanted.list !== undefined && fits(given.list, wanted.list, lenient))
  );
};

const textsMeet = (given: true | ReadonlySet<string>, wanted: true | ReadonlySet<string>): boolean =>
  given === true || wanted === true || [...given].some((text) => wanted.has(text));

export const kindsOf = (type: Type): string => {
  if (type.any === true || type === ANY) return 'anything';
  const kinds = [
    type.text === undefined ? [] : type.text === true ? ['a text'] : [...type.text].map((text) => `"${text}"`),
    type.number === true ? ['a number'] : [],
    type.boolean === true ? ['true or false'] : [],
    type.object === undefined ? [] : ['an object'],
    type.list === undefined ? [] : ['a list'],
    type.null === true ? ['null'] : [],
  ].flat();
  return kinds.length === 0 ? 'nothing' : kinds.slice(0, 12).join(' or ');
};
