/** The tree that is compiled: names resolved, places known, the parser's forms told apart. Each `at` is an offset. */

/** Where variables live. In a tuple scope some are those that the tuple of the moment carries. */
export interface Scope {
  readonly kind: 'top' | 'block' | 'function' | 'tuple';
  readonly parent: Scope | undefined;
  readonly bindings: ReadonlyMap<string, Binding>;
}

export interface Binding {
  readonly name: string;
  readonly scope: Scope;
  readonly index: number;
}

/** Where a variable may be found, innermost first. A scope stands for the tuple it carries. */
export type VariablePlace = Binding | Scope;

export interface Pair {
  readonly key: Node;
  readonly value: Node;
  /** Where the value begins. */
  readonly at: number;
}

export interface SortTerm {
  readonly descending: boolean;
  readonly value: Node;
  readonly scope: Scope | undefined;
}

export interface FilterStage {
  readonly kind: 'filter';
  readonly predicate: Node;
  readonly scope: Scope | undefined;
}

export type StepStage = FilterStage | { readonly kind: 'index'; readonly name: string };

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
  readonly group: GroupNode | undefined;
}

export interface FunctionNode {
  readonly kind: 'function';
  readonly scope: Scope;
  readonly parameters: readonly Binding[];
  readonly body: Node;
  readonly signature: string | undefined;
}

/** What a call or partial application names. */
interface Callee {
  readonly procedure: Node;
  readonly token: string;
  readonly at: number;
  /** Set when a bare name is called: the variable of that name, to say that its $ is missing. */
  readonly hint: Node | undefined;
}

export interface CallNode extends Callee {
  readonly kind: 'call';
  /** A library function, named and nowhere shadowed. */
  readonly builtin: string | undefined;
  readonly args: readonly Node[];
  readonly tail: boolean;
}

export interface PartialNode extends Callee {
  readonly kind: 'partial';
  readonly args: readonly (Node | undefined)[];
}

export type NumericOperator = '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator = '<' | '<=' | '>' | '>=';

export interface BinaryNode {
  readonly kind: 'binary';
  readonly operator: NumericOperator | ComparisonOperator | '=' | '!=' | '&' | 'and' | 'or' | 'in' | '..' | '~>';
  readonly left: Node;
  readonly right: Node;
  readonly at: number;
}

export interface TransformNode {
  readonly kind: 'transform';
  readonly clone: Node;
  readonly pattern: Node;
  readonly update: Node;
  readonly removal: Node | undefined;
  readonly at: number;
  readonly updateAt: number;
  readonly removalAt: number;
}

export interface ArrayItem {
  readonly node: Node;
  /** Written as an array itself: it stays one item. */
  readonly nested: boolean;
}

export type Node =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'context' | 'wildcard' | 'descendants' }
  | { readonly kind: 'variable'; readonly name: string; readonly places: readonly VariablePlace[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'fields'; readonly base: Node | undefined; readonly names: readonly string[] }
  | PathNode
  | (FilterStage & { readonly base: Node })
  | { readonly kind: 'group'; readonly base: Node; readonly group: GroupNode }
  /** `nested`: a sequence may hold another, which whoever hands it on would collapse. */
  | { readonly kind: 'collapse'; readonly base: Node; readonly keep: boolean; readonly nested: boolean }
  | BinaryNode
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
  | PartialNode
  | FunctionNode
  | TransformNode;
