/**
 * Watches an evaluation: which parts of the expression were evaluated, and of what each value was made, missing ones too.
 * Closures only, and only where somebody asks: without an observer nothing of this is compiled in.
 */
import { isMap } from '../value.ts';
import type { Closure, Observe, VariablePlace } from './scope.ts';
import { TailCall } from './function-value.ts';
import { add, calledBy, type Ended, type Frame, frame, replace, union } from './trace-frame.ts';
import { type Branch, type Known, Parts } from './trace-parts.ts';
import { deepest, type Gap, isEmpty, isGap, type Leaf, takeApart } from './trace-result.ts';
import { isObject, type Paths, type Source, Sources } from './trace-sources.ts';
import { type Inputs, type Touched, Touching } from './trace-touched.ts';
export type { Branch } from './trace-parts.ts';

export type { Touched, Touching } from './trace-touched.ts';

export interface Trace extends Touched {
  readonly leaves: readonly Leaf[];
  /** In the order of the expression, leaves among them. The result is taken apart for the first who asks. */
  readonly fields: readonly (Leaf | Gap)[];
  readonly ended: Ended | undefined;
}

/** One for each evaluation: it holds what that one has seen. */
export class Tracing {
  /** What the input has at a path that was read. */
  readonly #found = new Map<string, unknown>();
  readonly #sources = new Sources({
    input: (path, value) => this.#read(path, value, this.#top),
    made: (source, value) => this.#readOf(source, value, this.#top),
  });
  /** Texts that were made of a map. */
  readonly #texts = new Map<string, object>();
  readonly #stack: [Frame, ...Frame[]] = [frame()];
  readonly #valueOf = new Map<Closure, unknown>();
  readonly #bound = new Map<VariablePlace, Source>();
  readonly #all = new Set<string>();
  readonly #taken: Branch[] = [];
  readonly #variables: ReadonlySet<string>;
  readonly #parts: Parts;
  #whole: Frame | undefined;
  #ended: (Omit<Ended, 'reads' | 'path'> & { reads: Paths; readonly path: string[] }) | undefined;

  /** `variables`: fields of the input that the expression names with a `$`. */
  constructor(variables: ReadonlySet<string>, parts: Parts) {
    this.#variables = variables;
    this.#parts = parts;
  }

  /** A copy of the input that tells who reads it, and its fields as variables. */
  inputs(roots: Readonly<Record<string, unknown>>): Inputs {
    const input = this.#sources.copy(roots) as object;
    // What is named as a variable is told by that; a function of this name is none.
    const variables = Object.fromEntries(Object.keys(roots).map((name) => [name, this.#sources.plain(input, name)]));
    return { input, variables };
  }

  get #top(): Frame {
    return this.#stack.at(-1) ?? this.#stack[0];
  }

  #read(path: string, value: unknown, at: Frame): void {
    this.#found.set(path, value);
    this.#all.add(path);
    for (const paths of [at.reads, at.own, at.data]) paths.add(path);
  }

  evaluated(closure: Closure, part: Known, evaluate: () => unknown): unknown {
    const own = frame();
    this.#stack.push(own);
    const side = this.#parts.sideOf(closure);
    if (side !== undefined) this.#taken.push(side);
    for (const parameter of this.#parts.sharedBy(part)) this.#bound.delete(parameter);
    let value: unknown;
    let isDone = false;
    try {
      value = this.#noted(part, evaluate(), own);
      isDone = true;
      // Where it goes on behind a failure, that ended nothing.
      this.#ended = undefined;
    } finally {
      this.#stack.pop();
      if (this.#stack.length === 1) this.#whole = own;
      if (!isDone) this.#end(closure, part, own);
      this.#close(closure, part, own, value);
    }
    return value;
  }

  /** What is known of this part is its outer part's, too. */
  #close(
    closure: Closure,
    part: Known,
    { reads, own, surface, data, chosen, unheld, left }: Frame,
    value: unknown,
  ): void {
    const outer = this.#top;
    if (value instanceof TailCall) outer.left = left;
    this.#valueOf.set(closure, value);
    add(surface, own);
    add(outer.reads, this.#sources.tellsOfItself(value) ? surface : reads);
    const source = { at: undefined, reads, surface, data, unheld, value };
    const made = this.#parts.madeBy(closure);
    if (made === undefined) {
      add(outer.surface, surface);
      outer.unheld = unheld ?? outer.unheld;
    } else {
      const name = made.name ?? (made.key && this.#valueOf.get(made.key));
      const named = made.key === undefined ? source : { ...source, reads: reads.union(outer.keys) };
      outer.made.push({ ...named, ...made, name: typeof name === 'string' ? name : undefined });
    }
    if (this.#parts.isKey(closure)) add(outer.keys, reads);
    if (part?.kind === 'pick') add(outer.chosen, chosen);
    if (part?.kind === 'choice') add(outer.chosen, reads);
    else add(this.#parts.isBody(closure) ? outer.bodies : outer.data, data);
    if (this.#parts.isArgument(closure)) outer.args.set(closure, source);
    for (const parameter of this.#parts.parametersFor(closure)) {
      const before = this.#parts.isShared(parameter) ? this.#bound.get(parameter) : undefined;
      this.#bound.set(parameter, before === undefined ? source : union(before, source));
    }
  }

  /** The first to break off says where; those around it say of which field. */
  #end(closure: Closure, part: Known, own: Frame): void {
    const { reads } = own;
    this.#ended ??= { ...(own.left ?? calledBy(part, own)), reads, path: [] };
    if (this.#ended.reads.size === 0) this.#ended.reads = reads;
    const name = this.#parts.madeBy(closure)?.name;
    if (name !== undefined) this.#ended.path.unshift(name);
  }

  /** Notes what a part gave; the same value, or one that tells who reads it. */
  #noted(part: Known, value: unknown, own: Frame): unknown {
    switch (part?.kind) {
      case 'object':
        return isMap(value) ? this.#sources.ofMap(value, own.made) : value;
      case 'list':
        if (Array.isArray(value)) this.#sources.ofList(value, own.made);
        return value;
      case 'call':
        return this.#called(part, value, own);
      case 'pick':
        return this.#picked(value, this.#valueOf.get(part.from), own);
      case 'bind':
        this.#bound.set(part.target, { ...own, at: undefined, value });
        return value;
      case 'variable':
        if (part.places.length > 0) this.#readThrough(part.places, value, own);
        else if (this.#variables.has(part.name)) this.#read(part.name, value, own);
        return value;
      case 'context':
        this.#readContext(value, own);
        return value;
      case 'condition':
        // Where nothing is written for it, the other side is seen by what was not evaluated.
        if (!this.#valueOf.delete(part.yes) && part.no === undefined) {
          this.#taken.push({ at: part.at, side: 'else' });
          own.unheld = part.at;
        }
        return value;
      default:
        return value;
    }
  }

  #called(part: Known & { kind: 'call' }, value: unknown, own: Frame): unknown {
    if (value instanceof TailCall) own.left = calledBy(part, own);
    const name = this.#parts.nameOf(part.callee);
    const values = part.args.map((arg) => this.#valueOf.get(arg));
    if (own.bodies.size > 0 && !CHOOSING.has(name)) replace(own.data, [...own.own, ...own.bodies]);
    if (name === 'first' || name === 'table') {
      const chosen = part.args.find((_, at) => values[at] === value && (name === 'first' || at === 2));
      replace(own.data, (chosen && own.args.get(chosen)?.data) ?? []);
    } else if (name === 'lookup') replace(own.data, own.own);
    if (typeof value === 'string') {
      if (!WRITING.has(name) || !isMap(values[0])) return value;
      // As of a map: what it read is told field by field.
      own.own.clear();
      this.#texts.set(value, values[0]);
      return value;
    }
    if (!isObject(value)) return value;
    // What it read of its arguments is told field by field.
    own.own.clear();
    const whole: Source = { ...own, surface: own.reads, at: undefined, value };
    return this.#sources.rebuilt(value, values, whole);
  }

  #readThrough(places: readonly VariablePlace[], value: unknown, own: Frame): void {
    const bound = places.flatMap((place) => {
      const source = this.#bound.get(place);
      if (source === undefined) return [];
      if (!this.#parts.isShared(place)) return [source];
      return [{ ...source, data: new Set(this.#equalTo(value, source.data)), value }];
    });
    // Of an outer one of the same name only where an inner one is not bound yet.
    const inner = bound.find((source) => source.value === value);
    for (const source of inner === undefined ? bound : [inner]) this.#readOf(source, value, own);
  }

  /** Fields of a map say of themselves what they are made of. */
  #readOf({ reads, surface, data }: Source, value: unknown, { reads: to, own, data: made }: Frame): void {
    const isTold = this.#sources.tellsOfItself(value);
    add(to, isTold ? surface : reads);
    add(own, isTold ? surface : reads);
    if (!isTold) add(made, data);
  }

  /** What is picked of a list is of that item, and of what chose it. */
  #picked(value: unknown, from: unknown, own: Frame): unknown {
    if (this.#sources.sourceIn(from, 0) === undefined) return value;
    const whole: Source = { ...own, surface: own.reads, at: undefined, value };
    if (isObject(value)) return this.#sources.rebuilt(value, [from], whole);
    const at = Array.isArray(from) ? from.indexOf(value) : -1;
    const source = at === -1 ? undefined : this.#sources.sourceIn(from, at);
    if (source !== undefined) {
      // Where a condition chose, it is this one because others are missing.
      const missing = [...own.reads].filter((path) => own.chosen.size > 0 && isEmpty(this.#found.get(path)));
      for (const paths of [own.reads, own.surface]) replace(paths, [...source.reads, ...own.chosen, ...missing]);
      replace(own.data, source.data);
    }
    return value;
  }

  /** `$` of a path over texts or numbers is one of what the path has read. */
  #readContext(value: unknown, own: Frame): void {
    if (isObject(value) || value === undefined) return;
    const outer = this.#stack.slice(0, -1).findLast(({ data }) => data.size > 0);
    if (outer === undefined) return;
    const read = this.#equalTo(value, outer.data);
    for (const paths of [own.reads, own.own, own.data]) add(paths, read);
  }

  /** The first of these that has the value, else all. */
  #equalTo(value: unknown, paths: Paths): Iterable<string> {
    const first = [...paths].find((path) => this.#found.get(path) === value);
    return first === undefined ? paths : [first];
  }

  // The result ---------------------------------------------------------------------------------------------------------

  /** The result, taken apart; `raw` as the evaluation gave it. */
  result(raw: unknown): Trace {
    const { reads, surface, data, unheld } = this.#whole ?? this.#top;
    const ended = this.#ended && { ...this.#ended, reads: deepest(this.#ended.reads) };
    const source = { at: 0, reads, surface, data, unheld, value: raw };
    const seen = { sources: this.#sources, found: this.#found, texts: this.#texts };
    let fields: readonly (Leaf | Gap)[] | undefined;
    return {
      get fields() {
        return (fields ??= ended === undefined ? takeApart(raw, source, seen) : []);
      },
      get leaves() {
        const present = this.fields.flatMap((one) => (isGap(one) ? [] : [one]));
        return present.filter(({ value }) => !isObject(value) || !isEmpty(value));
      },
      reads: deepest(this.#all),
      taken: this.#taken,
      ended,
    };
  }
}

/** Functions of which a function of the expression only chooses. */
const CHOOSING: ReadonlySet<string> = new Set(['filter', 'single', 'sift', 'sort']);
/** Functions that write a map as text. */
const WRITING: ReadonlySet<string> = new Set(['toXml', 'string']);

/** Watches evaluations of one expression. */
export const createTracer = () => {
  const parts = new Parts();
  let current: Tracing | Touching | undefined;
  const observe: Observe = (closure, part) => {
    if (parts.knows(closure)) return closure;
    const observed: Closure = (input, frame) =>
      current === undefined ? closure(input, frame) : current.evaluated(observed, part, () => closure(input, frame));
    parts.learn(observed, part);
    return observed;
  };
  const runAs = <Watch extends Tracing | Touching, T>(watch: Watch, evaluate: (watch: Watch) => T): T => {
    const outer = current;
    current = watch;
    try {
      return evaluate(watch);
    } finally {
      current = outer;
    }
  };
  /** Each runs one evaluation of the expression that is observed. `variables`: fields of the input that it names with a `$`. */
  return {
    observe,
    branches: parts.branches,
    trace: <T>(variables: ReadonlySet<string>, evaluate: (tracing: Tracing) => T): T =>
      runAs(new Tracing(variables, parts), evaluate),
    touch: <T>(variables: ReadonlySet<string>, evaluate: (touching: Touching) => T): T =>
      runAs(new Touching(variables, parts), evaluate),
  };
};
