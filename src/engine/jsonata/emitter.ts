import type { CallSite } from './call.ts';
import type { Library } from './functions/library.ts';
import type { RuntimeName } from './generate-runtime.ts';
import type { Binding, Node, Scope } from './tree.ts';

/** A value in generated code: a name or literal that may be written several times, and what is known of it. */
export interface Value {
  readonly js: string;
  /** Its type where that is certain; `object` and `array` also mean made here, of nothing shared. */
  readonly type: 'unknown' | 'string' | 'number' | 'boolean' | 'object' | 'array' | 'function';
  /** May be undefined as well. */
  readonly optional: boolean;
  /** Comes straight from the input or the bindings: holds no sequence of our own. */
  readonly pure: boolean;
  /** An object made here, or a sequence of such. */
  readonly freshItems?: boolean;
}

export interface Context {
  readonly js: string;
  readonly pure: boolean;
  /** The outermost input, which is wrapped when it is an array. */
  readonly outermost: boolean;
}

/** What is known of a function that is only ever called. */
export interface DirectFunction {
  readonly name: string;
  /** It may give a call to be made by its caller. */
  readonly tail: boolean;
  /** What it gives. */
  result: Value;
}

/** Why a part is left to closures. */
export interface NotGenerated {
  readonly position: number;
  readonly what: string;
  readonly why: string;
}

/** Thrown where not only a part but the whole expression has to be left to closures. */
export class CannotGenerate extends Error {
  readonly position: number;

  constructor(why: string, position: number) {
    super(why);
    this.position = position;
  }
}

export const unknownValue = (js: string, pure = false): Value => ({ js, type: 'unknown', optional: true, pure });

export const typedValue = (js: string, type: Value['type'], optional = false): Value => ({
  js,
  type,
  optional,
  pure: false,
});

/** A text as a literal of JavaScript. */
export const quote = (text: string): string =>
  JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

type EmitNode = (emitter: Emitter, node: Node, context: Context) => Value;

/**
 * Writes JavaScript. Names come from a counter, texts are quoted as JSON, everything else that the code needs stands in
 * a table (`K`): nothing of the source becomes code.
 */
export class Emitter {
  readonly library: Library;
  readonly notGenerated: NotGenerated[] = [];
  readonly constants: unknown[] = [];
  readonly #emitNode: EmitNode;
  readonly #preamble: string[] = [];
  readonly #constantNames = new Map<unknown, string>();
  readonly #runtimeNames = new Set<string>();
  readonly #variables = new Map<Binding, string>();
  readonly #direct: ReadonlySet<Binding>;
  readonly #directFunctions = new Map<Binding, DirectFunction>();
  readonly #places = new Map<Scope, { readonly name: string; readonly js: string }>();
  /** Functions that stand beside the evaluation, not in it. */
  readonly #alone = new Set<string>();
  #lines: string[] = [];
  #known = new Map<string, Value>();
  #assigned = new Set<Binding>();
  #counter = 0;
  #risky = false;
  #charge = 0;

  constructor(library: Library, emitNode: EmitNode, direct: ReadonlySet<Binding>) {
    this.library = library;
    this.#emitNode = emitNode;
    this.#direct = direct;
  }

  node(node: Node, context: Context): Value {
    return this.#emitNode(this, node, context);
  }

  line(code: string): void {
    this.#lines.push(code);
  }

  fresh(prefix: string): string {
    this.#counter += 1;
    return `${prefix}${this.#counter}`;
  }

  /** Puts an expression into a name of its own. */
  hold(expression: string, prefix = 't'): string {
    const name = this.fresh(prefix);
    this.line(`const ${name} = ${expression};`);
    return name;
  }

  /** The name of a function of the runtime. */
  use(name: RuntimeName): string {
    this.#runtimeNames.add(name);
    return `R_${name}`;
  }

  /** The name of a value that stands in the table. */
  constant(value: unknown): string {
    const known = this.#constantNames.get(value);
    if (known !== undefined) return known;
    const name = `K${this.constants.length}`;
    this.constants.push(value);
    this.#constantNames.set(value, name);
    return name;
  }

  /** Code that runs once, when the expression is compiled. */
  prepare(code: string): void {
    this.#preamble.push(code);
  }

  /** Notes where the code is, for errors that do not know it. */
  mark(site: Omit<CallSite, 'tail'>): void {
    this.#risky = true;
    this.line(`p = ${this.constant(site)};`);
  }

  /** What the function being written builds at most, apart from its loops. */
  charge(units: number): void {
    this.#charge += units;
  }

  /** What was computed before under that key, on every way that leads here. */
  remembered(key: string, compute: () => Value): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = compute();
    this.#known.set(key, value);
    return value;
  }

  declare(binding: Binding, initial: string | undefined): string {
    const name = this.fresh('v');
    this.#variables.set(binding, name);
    this.line(`let ${name} = ${initial ?? this.use('unbound')};`);
    if (initial !== undefined) this.#assigned.add(binding);
    return name;
  }

  variable(binding: Binding): string {
    const name = this.#variables.get(binding);
    if (name === undefined) throw new CannotGenerate('a variable out of reach', 0);
    return name;
  }

  isAssigned(binding: Binding): boolean {
    return this.#assigned.has(binding);
  }

  assign(binding: Binding, value: Value): void {
    const name = this.variable(binding);
    this.line(`${name} = ${value.js};`);
    this.#assigned.add(binding);
    for (const key of this.#known.keys()) if (key.includes(`${name}|`)) this.#known.delete(key);
  }

  /** The variable holds a function that is only ever called. */
  isDirect(binding: Binding): boolean {
    return this.#direct.has(binding);
  }

  defineDirect(binding: Binding, direct: DirectFunction): void {
    this.#directFunctions.set(binding, direct);
  }

  /** The function that a callee names, if that is only ever called. */
  directFunction(callee: Node): DirectFunction | undefined {
    const place = callee.kind === 'variable' ? callee.places[0] : undefined;
    return place === undefined || 'bindings' in place ? undefined : this.#directFunctions.get(place);
  }

  /** Names the number of an item, which the parts inside a scope of tuples may ask for. */
  bindPlace(scope: Scope, name: string, js: string): void {
    this.#places.set(scope, { name, js });
  }

  placeIn(scope: Scope, name: string): string | undefined {
    const place = this.#places.get(scope);
    return place?.name === name ? place.js : undefined;
  }

  /** A part that may not run: what it learns is forgotten behind it. */
  branch(emit: () => void): void {
    const [known, assigned] = [this.#known, this.#assigned];
    this.#known = new Map(known);
    this.#assigned = new Set(assigned);
    emit();
    this.#known = known;
    this.#assigned = assigned;
  }

  /** A function of one item, for a step, filter or the like; it is called with the item, the run and the place. */
  callback(emit: (context: Context, place: string) => Value, pure: boolean): string {
    const name = this.fresh('f');
    const [item, place] = [this.fresh('i'), this.fresh('n')];
    const lines = this.body(() => emit({ js: item, pure, outermost: false }, place));
    this.define(name, [item, 'c', place], lines);
    return name;
  }

  /**
   * Defines a function whose name is older than all that its lines declare. One that needs nothing of its context
   * is made once, with the program: of a function that is made anew in each evaluation the engine forgets how it
   * optimized it, whenever it collects garbage between two of them.
   */
  define(name: string, parameters: readonly string[], lines: readonly string[]): void {
    const code = [`const ${name} = (${parameters.join(', ')}) => {`, ...lines, '};'];
    if (!this.#standsAlone(name, lines)) {
      for (const line of code) this.line(line);
      return;
    }
    this.#alone.add(name);
    this.prepare(code.join('\n'));
  }

  /** Names bear the number of their turn. What a text holds may look like one, and then does no harm. */
  #standsAlone(name: string, lines: readonly string[]): boolean {
    const own = Number(name.slice(1));
    for (const line of lines) {
      for (const [used, number] of line.matchAll(/\b[a-z](\d+)\b/g)) {
        if (Number(number) < own && !this.#alone.has(used)) return false;
      }
    }
    return true;
  }

  /** The lines of a function's body; errors in it are given their place. */
  body(emit: () => Value): readonly string[] {
    const [outerLines, outerRisky, outerCharge] = [this.#lines, this.#risky, this.#charge];
    this.#charge = 0;
    this.#lines = [];
    this.#risky = false;
    let result = '';
    this.branch(() => {
      result = emit().js;
    });
    const charge = this.#charge > 0 ? [`c.charge(${this.#charge});`] : [];
    const lines = [...charge, ...this.#lines, `return ${result};`];
    const guarded = this.#risky
      ? ['let p;', 'try {', ...lines, `} catch (e) { throw ${this.use('locate')}(e, p && p.at, p && p.token); }`]
      : lines;
    this.#lines = outerLines;
    this.#risky = outerRisky;
    this.#charge = outerCharge;
    return guarded;
  }

  /** The whole program: a function of the runtime and the table that gives the evaluation. */
  program(body: readonly string[], input: string, called: readonly string[]): string {
    const names = [...this.#runtimeNames].map((name) => `const R_${name} = R.${name};`);
    const table = this.constants.map((_, index) => `const K${index} = K[${index}];`);
    const guard = called.map((name) => `${quote(name)} in b`).join(' || ');
    return [
      "'use strict';",
      ...names,
      ...table,
      ...this.#preamble,
      `const evaluate = (${input}, c) => {`,
      ...body,
      '};',
      `const shadowed = (b) => ${guard === '' ? 'false' : guard};`,
      'return { evaluate, shadowed };',
    ].join('\n');
  }
}
