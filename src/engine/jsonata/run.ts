import { ExpressionFailure } from './failure.ts';

/** Bounds of one evaluation. Counts, UTF-16 units, milliseconds. */
export interface Limits {
  /** Loop turns and function calls. */
  readonly steps: number;
  /** Calls of the expression's own functions inside each other. */
  readonly depth: number;
  readonly timeoutMs: number;
  /** Items in one array. */
  readonly sequence: number;
  /** Characters in one text. */
  readonly text: number;
  /** All that is built in one evaluation: characters, and eight for each array slot or object key. */
  readonly allocation: number;
  /** Backtracking steps that a regular expression may need at worst before the linear engine takes over. */
  readonly regex: number;
}

export const defaultLimits: Limits = {
  steps: 10_000_000,
  depth: 500,
  timeoutMs: 500,
  sequence: 1_000_000,
  text: 5_000_000,
  allocation: 100_000_000,
  regex: 5_000_000,
};

const stepsPerCheck = 512;
const workPerCheck = 50_000;

/** What all evaluations of an expression share. */
export interface RunConfig {
  readonly limits: Limits;
  readonly clock: () => number;
  readonly random: () => number;
}

/** One evaluation: what it may use, what it has used. Never shared, so that evaluations may nest. */
export class Run {
  readonly root: unknown;
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** A binding bears the name of a library function that is called. */
  readonly shadowed: boolean;
  /** The last value that is known to hold nothing but plain arrays and objects. */
  plainValue: unknown;
  readonly #config: RunConfig;
  #timestamp: number | undefined;
  #steps = 0;
  #depth = 0;
  #work = 0;
  #workSinceCheck = 0;
  #deadline = 0;

  constructor(
    config: RunConfig,
    root: unknown,
    bindings: Readonly<Record<string, unknown>>,
    context: unknown,
    shadowed: boolean,
  ) {
    this.#config = config;
    this.root = root;
    this.bindings = bindings;
    this.context = context;
    this.shadowed = shadowed;
  }

  get limits(): Limits {
    return this.#config.limits;
  }

  /** From 0 to 1. */
  random(): number {
    return this.#config.random();
  }

  /** Milliseconds since 1970; the same for the whole evaluation. */
  get timestamp(): number {
    this.#timestamp ??= this.#config.clock();
    return this.#timestamp;
  }

  /** To be called once a loop turn or call. */
  tick(): void {
    this.#steps += 1;
    if (this.#steps % stepsPerCheck === 0) this.#check();
  }

  /** To be called before something of that size is built or walked. */
  charge(units: number): void {
    this.#work += units;
    if (this.#work > this.limits.allocation) throw new ExpressionFailure('W0003', { value: this.limits.allocation });
    this.#workSinceCheck += units;
    if (this.#workSinceCheck > workPerCheck) this.#check();
  }

  /** To be called for work that builds nothing, such as a search: only the time is looked at. */
  work(units: number): void {
    this.#workSinceCheck += units;
    if (this.#workSinceCheck > workPerCheck) this.#check();
  }

  /** Admits a text of that length. */
  chargeText(length: number): void {
    if (length > this.limits.text) throw new ExpressionFailure('W0002', { value: this.limits.text });
    this.charge(length);
  }

  /** Admits an array of that length, of which so many items are new. */
  chargeSequence(length: number, added = length): void {
    if (length > this.limits.sequence) throw new ExpressionFailure('D2015', { value: this.limits.sequence });
    this.charge(added * 8);
  }

  /** Goes into a function; `leave` must follow unless the evaluation ends by an error. */
  enter(): void {
    this.tick();
    this.#depth += 1;
    if (this.#depth > this.limits.depth) throw new ExpressionFailure('D1011', { value: this.limits.depth });
  }

  leave(): void {
    this.#depth -= 1;
  }

  #check(): void {
    this.#workSinceCheck = 0;
    if (this.#steps > this.limits.steps) throw new ExpressionFailure('W0001', { value: this.limits.steps });
    const now = performance.now();
    if (this.#deadline === 0) this.#deadline = now + this.limits.timeoutMs;
    else if (now > this.#deadline) throw new ExpressionFailure('D1012', { value: this.limits.timeoutMs });
  }
}
