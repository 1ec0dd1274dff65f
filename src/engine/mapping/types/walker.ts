import type { Ast } from '../../jsonata/parse.ts';
import type { Position, Root } from '../roots.ts';
import type { Names, Origin, Type } from './type.ts';
import type { TypeFinding, Verdicts } from './verdicts.ts';

/** What surrounds an expression. */
export interface Surrounding {
  /** All positions that it serves. */
  readonly positions: readonly Position[];
  /** What the roots hold that one of them sees. */
  readonly roots: ReadonlyMap<Root, Type>;
}

/** Where the walk is: the value that names are looked up in, and the variables in sight. */
export interface At {
  readonly context: Type;
  readonly names: Names;
}

/** Goes through a tree in the order of its evaluation, and says of each node what it may yield. */
export interface Walker {
  readonly surrounding: Surrounding;
  /** The input document. */
  readonly document: Type;
  readonly verdicts: Verdicts;
  visit(node: Ast, at: At): Type;
  /** Calls a function of the mapping; what is none yields anything. */
  apply(callee: Type, args: readonly Type[]): Type;
  offsetOf(node: Ast): number;
  report(what: string, node: Ast, finding: Omit<TypeFinding, 'offset'>): void;
  accept(what: string, node: Ast): void;
  /** What a name was looked up in; undefined: in what nothing is known of. */
  lookedUp(node: Ast, origin: Origin | undefined): void;
}
