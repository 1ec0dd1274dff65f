import { type Ast, startOfNode } from '../../jsonata/parse.ts';
import { closest, slipOf } from '../closest.ts';
import type { Position, Root } from '../roots.ts';
import { ANY, objectOf, type Origin, type Type, type Variables } from './type.ts';

type TypeRule =
  | 'unknown-root'
  | 'root-inside-path'
  | 'secret-shown'
  | 'unknown-function'
  | 'shadowed-function'
  | 'wrong-arguments'
  | 'always-rejects'
  | 'undeclared-field'
  | 'undeclared-memo'
  | 'unknown-table'
  | 'unknown-path'
  | 'unshown-path'
  | 'number-as-index'
  | 'impossible-comparison'
  | 'unknown-country'
  | 'unknown-field'
  | 'array-may-collapse'
  | 'unknown-output'
  | 'wrong-output'
  | 'missing-output';

export interface TypeFinding {
  readonly rule: TypeRule;
  readonly message: string;
  readonly help?: string | undefined;
  /** In the text of the expression. */
  readonly offset: number;
  /** A change of the text that mends the finding and can mean nothing else: `text` in place of `old`. */
  readonly fix?: { readonly offset: number; readonly old: string; readonly text: string } | undefined;
}

export interface Surrounding {
  readonly positions: readonly Position[];
  /** What the roots hold that one of them sees. */
  readonly roots: ReadonlyMap<Root, Type>;
  /** Told of each name and what it is looked up in, for editors. */
  readonly seen?: (node: Ast, at: At) => void;
}

/** The position of the walk: the context value that names are looked up in, and the variables in scope. */
export interface At {
  readonly context: Type;
  readonly names: Variables;
}

interface UnknownName {
  readonly rule: TypeRule;
  readonly message: string;
  readonly name: string;
  readonly known: readonly string[];
  /** Precedes the name in the text: the `$` of variables. */
  readonly sigil?: string;
  /** Help quotes names, as in the text. */
  readonly quoted?: boolean;
  /** Help lists the known names if there are no more than this many. */
  readonly listed?: number;
}

/**
 * Walks a tree in the order of its evaluation and infers the type of each node. A node may be visited several times:
 * a function is called with different arguments, the parser doubles the left side of `??`. What is right in one of
 * these visits is not reported.
 */
export abstract class TypeWalk {
  readonly text: string;
  readonly surrounding: Surrounding;
  readonly document: Type;
  /** By offset: what the names of paths were looked up in; undefined where nothing is known of it. */
  readonly lookups = new Map<number, Origin | undefined>();
  /** The type of each node over all its visits. */
  protected readonly yielded = new Map<Ast, Type>();
  readonly #bad = new Map<string, TypeFinding>();
  readonly #good = new Set<string>();

  constructor(text: string, surrounding: Surrounding) {
    this.text = text;
    this.surrounding = surrounding;
    this.document = objectOf(surrounding.roots, { origin: 'document', name: 'the document' });
  }

  abstract visit(node: Ast, at: At): Type;
  /** The result of calling a function of the mapping; `ANY` for anything else. */
  abstract apply(callee: Type, args: readonly Type[]): Type;

  /** The type of a node; `ANY` if it was never visited. */
  typeOf(node: Ast): Type {
    return this.yielded.get(node) ?? ANY;
  }

  offsetOf(node: Ast): number {
    return startOfNode(this.text, node) ?? 0;
  }

  accept(what: string, node: Ast): void {
    this.#good.add(`${this.offsetOf(node)} ${what}`);
  }

  report(what: string, node: Ast, finding: Omit<TypeFinding, 'offset'>): void {
    const offset = this.offsetOf(node);
    const key = `${offset} ${what}`;
    if (!this.#bad.has(key)) this.#bad.set(key, { ...finding, offset });
  }

  /** Reports a name that does not exist, suggesting the one that was probably meant. */
  reportUnknown(what: string, node: Ast, { rule, message, name, known, ...how }: UnknownName): void {
    const { sigil = '', quoted = false, listed = 0 } = how;
    const meant = closest(name, known);
    const quote = quoted ? '"' : '';
    const list = known.length === 0 || known.length > listed ? undefined : `there are ${known.join(', ')}`;
    const help = meant === undefined ? list : `did you mean ${quote}${sigil}${meant}${quote}?`;
    this.report(what, node, { rule, message, help, fix: this.renaming(node, name, slipOf(name, known), sigil) });
  }

  /** A fix that replaces a misspelt name. */
  renaming(node: Ast, name: string, meant: string | undefined, sigil = ''): TypeFinding['fix'] {
    if (meant === undefined || !/^\w+$/.test(meant)) return undefined;
    // A key written as a string begins after its quote.
    const offset = this.offsetOf(node) + (node.type === 'string' ? 1 : 0);
    return { offset, old: `${sigil}${name}`, text: `${sigil}${meant}` };
  }

  /** What a name was looked up in; undefined: in what nothing is known of. */
  lookedUp(node: Ast, origin: Origin | undefined): void {
    const offset = this.offsetOf(node);
    // The weakest origin counts: what is right in one visit is not reported.
    const isLess = origin === undefined || (origin === 'shown' && this.lookups.get(offset) !== undefined);
    if (isLess || !this.lookups.has(offset)) this.lookups.set(offset, origin);
  }

  /** Findings in the order of the text. */
  findings(): readonly TypeFinding[] {
    const found = [...this.#bad].flatMap(([key, finding]) => (this.#good.has(key) ? [] : [finding]));
    return found.toSorted((one, other) => one.offset - other.offset);
  }
}
