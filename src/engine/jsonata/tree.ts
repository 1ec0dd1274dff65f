/** The tree that is compiled: names resolved, places known, the stock parser's forms told apart. */

/** Where variables live. A tuple scope also holds, by name, whatever the tuple of the moment carries. */
export interface Scope {
  readonly kind: 'top' | 'block' | 'function' | 'tuple';
  readonly parent: Scope | undefined;
  readonly bindings: Map<string, Binding>;
  /** All variables that a tuple of it can hold; undefined if that is not known. */
  readonly holds?: ReadonlySet<string> | undefined;
}

export interface Binding {
  readonly name: string;
  readonly scope: Scope;
  readonly index: number;
  /** How many assignments there are; a parameter counts as one. */
  writes: number;
}

/** Where a variable may be found, innermost first. A scope stands for the tuple it carries. */
export type Place = Binding | Scope;

export interface Pair {
  readonly key: Node;
  readonly value: Node;
  /** Where the value begins in the source. */
  readonly at: number;
}

export interface SortTerm {
  readonly descending: boolean;
  readonly value: Node;
  readonly scope: Scope | undefined;
}

export type StepStage =
  | { readonly kind: 'filter'; readonly predicate: Node; readonly scope: Scope | undefined }
  | { readonly kind: 'index'; readonly name: string };

export interface Step {
  /** Absent for a sort. */
  readonly node: Node | undefined;
  readonly sort: { readonly terms: readonly SortTerm[]; readonly at: number } | undefined;
  readonly stages: readonly StepStage[];
  readonly constructed: boolean;
  readonly tuple: boolean;
  /** Set when the step runs inside tuples. */
  readonly scope: Scope | undefined;
  readonly focus: string | undefined;
  readonly index: string | undefined;
  readonly ancestor: string | undefined;
}

export interface GroupNode {
  readonly pairs: readonly Pair[];
  readonly at: number;
  readonly scope: Scope | undefined;
}

export interface PathNode {
  readonly kind: 'path';
  readonly steps: readonly Step[];
  readonly fromVariable: boolean;
  readonly keep: boolean;
  readonly carriesTuples: boolean;
  readonly at: number;
  readonly group: GroupNode | undefined;
}

export interface FunctionNode {
  readonly kind: 'function';
  readonly scope: Scope;
  readonly parameters: readonly Binding[];
  readonly body: Node;
  readonly signature: string | undefined;
}

export interface CallNode {
  readonly kind: 'call';
  readonly procedure: Node;
  /** A function of the engine or the profile, named and nowhere shadowed. */
  readonly builtin: string | undefined;
  readonly args: readonly Node[];
  readonly tail: boolean;
  readonly token: string;
  readonly at: number;
  /** Set when a bare name is called: the variable of that name, to say that its $ is missing. */
  readonly hint: Node | undefined;
}

export type NumericOperator = '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator = '<' | '<=' | '>' | '>=';

export type Node =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'context' }
  | { readonly kind: 'variable'; readonly name: string; readonly places: readonly Place[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'fields'; readonly base: Node | undefined; readonly names: readonly string[] }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descendants' }
  | PathNode
  | { readonly kind: 'filter'; readonly base: Node; readonly predicate: Node; readonly scope: Scope | undefined }
  | { readonly kind: 'group'; readonly base: Node; readonly group: GroupNode }
  | { readonly kind: 'collapse'; readonly base: Node; readonly keep: boolean }
  | {
      readonly kind: 'numeric';
      readonly operator: NumericOperator;
      readonly left: Node;
      readonly right: Node;
      readonly at: number;
    }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Node;
      readonly right: Node;
      readonly at: number;
    }
  | { readonly kind: 'equality'; readonly negated: boolean; readonly left: Node; readonly right: Node }
  | { readonly kind: 'concat'; readonly left: Node; readonly right: Node; readonly at: number }
  | { readonly kind: 'includes'; readonly left: Node; readonly right: Node }
  | {
      readonly kind: 'logic';
      readonly operator: 'and' | 'or';
      readonly left: Node;
      readonly right: Node;
      readonly at: number;
    }
  | { readonly kind: 'range'; readonly left: Node; readonly right: Node; readonly at: number }
  | { readonly kind: 'negate'; readonly value: Node; readonly at: number }
  | { readonly kind: 'array'; readonly items: readonly ArrayItem[]; readonly constructed: boolean }
  | { readonly kind: 'object'; readonly pairs: readonly Pair[]; readonly at: number }
  | { readonly kind: 'bind'; readonly target: Binding; readonly value: Node }
  | { readonly kind: 'block'; readonly scope: Scope | undefined; readonly body: readonly Node[] }
  | {
      readonly kind: 'condition';
      readonly test: Node;
      readonly yes: Node;
      readonly no: Node | undefined;
      readonly at: number;
    }
  | { readonly kind: 'regex'; readonly pattern: RegExp; readonly at: number }
  | CallNode
  | {
      readonly kind: 'partial';
      readonly procedure: Node;
      readonly args: readonly (Node | undefined)[];
      readonly token: string;
      readonly at: number;
      readonly hint: Node | undefined;
    }
  | FunctionNode
  | { readonly kind: 'apply'; readonly left: Node; readonly right: Node; readonly at: number }
  | {
      readonly kind: 'transform';
      readonly clone: Node;
      readonly pattern: Node;
      readonly update: Node;
      readonly removal: Node | undefined;
      readonly at: number;
      readonly updateAt: number;
      readonly removalAt: number;
    };

export interface ArrayItem {
  readonly node: Node;
  /** Written as an array itself: it stays one item. */
  readonly nested: boolean;
}
