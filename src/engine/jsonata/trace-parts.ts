import type { Binding, Closure, ScopedPart, VariablePlace } from './scope.ts';

/** A condition, and one of its sides. */
export interface Branch {
  readonly at: number;
  readonly side: 'then' | 'else';
}

export type Known = ScopedPart | undefined;

/** What a closure makes: the value of a field, written out or of a computed name, or an item of a list. */
interface Makes {
  readonly at: number;
  readonly name?: string | undefined;
  readonly key?: Closure;
  /** An item that stays one, be it a list. */
  readonly isOne?: boolean;
}

/** What the closures of an expression are to each other. */
export class Parts {
  /** Both sides of every condition, once the expression is compiled. */
  readonly branches: Branch[] = [];
  readonly #parts = new Map<Closure, Known>();
  readonly #sides = new Map<Closure, Branch>();
  readonly #makes = new Map<Closure, Makes>();
  readonly #keys = new Set<Closure>();
  readonly #bodies = new Set<Closure>();
  readonly #arguments = new Set<Closure>();
  /** Of functions by the variable that they are bound to. */
  readonly #parameters = new Map<VariablePlace, readonly Binding[]>();
  readonly #named = new Map<Closure, { readonly callee: Closure; readonly index: number }>();
  readonly #sharing = new Map<Closure, readonly Binding[]>();
  readonly #shared = new Set<VariablePlace>();

  knows(closure: Closure): boolean {
    return this.#parts.has(closure);
  }

  learn(closure: Closure, part: Known): void {
    this.#parts.set(closure, part);
    switch (part?.kind) {
      case 'condition':
        this.branches.push({ at: part.at, side: 'then' }, { at: part.at, side: 'else' });
        this.#sides.set(part.yes, { at: part.at, side: 'then' });
        if (part.no !== undefined) this.#sides.set(part.no, { at: part.at, side: 'else' });
        break;
      case 'object':
        for (const { value, key, ...makes } of part.pairs) {
          this.#makes.set(value, makes.name === undefined ? { ...makes, key } : makes);
          if (makes.name === undefined) this.#keys.add(key);
        }
        break;
      case 'list':
        for (const { value, ...makes } of part.items) this.#makes.set(value, makes);
        break;
      case 'function':
        this.#bodies.add(part.body);
        break;
      case 'bind': {
        const value = this.#parts.get(part.value);
        if (value?.kind === 'function') this.#parameters.set(part.target, value.parameters);
        break;
      }
      case 'call':
        this.#learnCall(part);
        break;
      default:
    }
  }

  #learnCall({ callee, args }: ScopedPart & { kind: 'call' }): void {
    const given = args.flatMap((arg) => {
      const part = this.#parts.get(arg);
      return part?.kind === 'function' ? part.parameters : [];
    });
    for (const parameter of given) this.#shared.add(parameter);
    for (const [index, arg] of args.entries()) {
      this.#arguments.add(arg);
      if (given.length > 0 && this.#parts.get(arg)?.kind !== 'function') this.#sharing.set(arg, given);
      if (callee !== undefined) this.#named.set(arg, { callee, index });
    }
  }

  /** The side of a condition that begins with this closure, however it ends. */
  sideOf(closure: Closure): Branch | undefined {
    return this.#sides.get(closure);
  }

  madeBy(closure: Closure): Makes | undefined {
    return this.#makes.get(closure);
  }

  /** It makes the name of a field. */
  isKey(closure: Closure): boolean {
    return this.#keys.has(closure);
  }

  isBody(closure: Closure): boolean {
    return this.#bodies.has(closure);
  }

  isArgument(closure: Closure): boolean {
    return this.#arguments.has(closure);
  }

  /** The name of a function that is called by one. */
  nameOf(callee: Closure | undefined): string {
    const part = callee && this.#parts.get(callee);
    return part?.kind === 'variable' && part.places.length === 0 ? part.name : '';
  }

  /** A function is given beside what it is called for, so that its parameters may be of any of that. */
  isShared(parameter: VariablePlace): boolean {
    return this.#shared.has(parameter);
  }

  /** The parameters that an argument becomes, of functions that the expression defines. */
  parametersFor(argument: Closure): readonly VariablePlace[] {
    const call = this.#named.get(argument);
    const callee = call && this.#parts.get(call.callee);
    const places = callee?.kind === 'variable' ? callee.places : [];
    const named = places.map((place) => this.#parameters.get(place)).find((found) => found !== undefined);
    const parameters = callee?.kind === 'function' ? callee.parameters : named;
    const own = parameters?.[call?.index ?? 0];
    return [...(own === undefined ? [] : [own]), ...(this.#sharing.get(argument) ?? [])];
  }

  /** The parameters that its arguments share. */
  sharedBy(part: Known): readonly VariablePlace[] {
    return part?.kind === 'call' ? part.args.flatMap((arg) => this.#sharing.get(arg) ?? []) : [];
  }
}
