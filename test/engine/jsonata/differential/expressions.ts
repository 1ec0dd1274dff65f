import type { Random } from '../../../support/random.ts';

const names = [
  'a',
  'b',
  'c',
  'name',
  'price',
  'qty',
  'tags',
  'items',
  'list',
  'addr',
  'code',
  'on',
  'nested',
  'missing',
];
const words = ['', 'x', 'AB', 'red', 'a-b', '12', '3.5', 'é😀', 'Order 66', '__proto__', 'constructor', 'name'];
const variables = ['x', 'y', 'z'];

/** Writes random expressions: mostly such as mean something, each about as deep as asked. */
export class ExpressionWriter {
  readonly #random: Random;
  #bound: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  write(depth: number): string {
    this.#bound = [];
    return this.#any(depth);
  }

  #any(depth: number): string {
    const random = this.#random;
    if (depth <= 0) return this.#leaf();
    return random.pick<() => string>([
      () => this.#path(depth),
      () => this.#path(depth),
      () => this.#path(depth),
      () => this.#number(depth),
      () => this.#text(depth),
      () => this.#boolean(depth),
      () => this.#array(depth),
      () => this.#object(depth),
      () => this.#object(depth),
      () => this.#call(depth),
      () => this.#call(depth),
      () => this.#block(depth),
      () => this.#condition(depth),
      () => this.#higher(depth),
      () => this.#chain(depth),
      () => this.#rare(depth),
    ])();
  }

  #leaf(): string {
    const random = this.#random;
    if (this.#bound.length > 0 && random.chance(0.3)) return `$${random.pick(this.#bound)}`;
    if (random.chance(0.5)) return random.pick(names);
    return random.pick<() => string>([
      () => String(random.below(5)),
      () => String(random.below(1000) / 8),
      () => String(random.below(90) / 10),
      () => JSON.stringify(random.pick(words)),
      () => random.pick(['true', 'false', 'null', '$', '$$', '[]', '{}']),
      () => `$$.${random.pick(names)}`,
    ])();
  }

  #path(depth: number): string {
    const random = this.#random;
    const steps: string[] = [this.#step(depth, true)];
    const more = random.below(3) + (random.chance(0.3) ? 1 : 0);
    for (let index = 0; index < more; index += 1) steps.push(this.#step(depth - 1, false));
    let path = steps.join('.');
    if (random.chance(0.08)) path += `^(${random.pick(['', '<', '>'])}${this.#any(0)})`;
    if (random.chance(0.06)) path += `{${this.#key(depth - 1)}: ${this.#any(depth - 2)}}`;
    return path;
  }

  #step(depth: number, first: boolean): string {
    const random = this.#random;
    let step = random.chance(0.75)
      ? random.pick(names)
      : random.pick<() => string>([
          () => (first ? this.#leafStep() : random.pick(names)),
          () => '*',
          () => (random.chance(0.4) ? '**' : random.pick(names)),
          () => this.#object(depth - 1),
          () => (first ? this.#firstArray(depth - 1) : this.#array(depth - 1)),
          () => `(${this.#any(depth - 1)})`,
          () => this.#call(depth - 1),
          () => '`name`',
          () => '$',
        ])();
    const tuples = random.chance(0.03);
    if (tuples && /^[a-z]+$/.test(step)) {
      const variable = random.pick(variables);
      step += random.pick(['#', '@']) + `$${variable}`;
      this.#bound.push(variable);
    }
    if (random.chance(0.18)) step += this.#filter(depth - 1);
    if (random.chance(0.06)) step += '[]';
    if (!first && random.chance(0.015)) step += '.%';
    return step;
  }

  #leafStep(): string {
    const leaf = this.#leaf();
    return /^[\d.]+$|^(?:true|false|null)$/.test(leaf) ? this.#random.pick(names) : leaf;
  }

  #filter(depth: number): string {
    const random = this.#random;
    return random.pick<() => string>([
      () => `[${random.below(3)}]`,
      () => `[-${1 + random.below(2)}]`,
      () => `[${this.#boolean(depth)}]`,
      () => `[${this.#boolean(0)}]`,
      () => `[[${random.below(2)}..${random.below(4)}]]`,
      () => `[${this.#any(depth)}]`,
    ])();
  }

  #number(depth: number): string {
    const random = this.#random;
    if (depth <= 0) return random.chance(0.5) ? random.pick(['price', 'qty', 'a']) : String(random.below(200) / 10);
    return random.pick<() => string>([
      () => `${this.#number(depth - 1)} ${random.pick(['+', '-', '*', '/', '%'])} ${this.#number(depth - 1)}`,
      () => `(${this.#number(depth - 1)} ${random.pick(['+', '-', '*'])} ${this.#any(depth - 2)})`,
      () => `-${random.pick(['price', 'qty', '(3)', '(a)'])}`,
      () => `$${random.pick(['sum', 'max', 'min', 'average', 'count'])}(${this.#path(depth - 1)})`,
      () => `$${random.pick(['floor', 'ceil', 'abs', 'round', 'sqrt'])}(${this.#number(depth - 1)})`,
      () => `$round(${this.#number(depth - 1)}, ${random.below(4) - 1})`,
      () => `$number(${this.#any(depth - 1)})`,
      () => `$length(${this.#text(depth - 1)})`,
      () => `$power(${this.#number(0)}, ${random.below(4)})`,
      () => `$parseInteger("${random.below(3000)}", "${random.pick(['0', '#,##0', '00'])}")`,
    ])();
  }

  #text(depth: number): string {
    const random = this.#random;
    if (depth <= 0) return random.chance(0.5) ? random.pick(['name', 'code']) : JSON.stringify(random.pick(words));
    const regex = (): string => random.pick(['/[a-z]+/', '/(\\w)(\\d)?/i', '/\\s/', '/e|d/', '/^./', '/(.)-(.)/']);
    return random.pick<() => string>([
      () => `${this.#any(depth - 1)} & ${this.#text(depth - 1)}`,
      () => `$string(${this.#any(depth - 1)})`,
      // Of infinity, this picture never ends in the stock evaluator.
      () => `$formatNumber(${random.below(5000) / 8}, "0.0e0")`,
      () => `${random.below(40) / 10} * ${random.below(40) / 10} & ${this.#text(depth - 1)}`,
      () =>
        `$${random.pick(['uppercase', 'lowercase', 'trim', 'base64encode', 'encodeUrlComponent'])}(${this.#text(depth - 1)})`,
      () =>
        `$substring(${this.#text(depth - 1)}, ${random.below(5) - 2}${random.chance(0.5) ? `, ${random.below(4)}` : ''})`,
      () =>
        `$${random.pick(['substringBefore', 'substringAfter'])}(${this.#text(depth - 1)}, ${JSON.stringify(random.pick(words))})`,
      () => `$pad(${this.#text(depth - 1)}, ${random.below(20) - 10}${random.chance(0.4) ? ', "#é"' : ''})`,
      () => `$join(${this.#path(depth - 1)}${random.chance(0.5) ? ', ","' : ''})`,
      () =>
        `$replace(${this.#text(depth - 1)}, ${random.chance(0.5) ? regex() : '"e"'}, ${random.pick(['"<$0$1>"', '"$$-$2"', '"_"'])})`,
      () =>
        `$formatNumber(${this.#number(depth - 1)}, ${JSON.stringify(random.pick(['#,##0.00', '0', '#0.0#', '00.0%', '###,##0;(#)', '#.###']))})`,
      () =>
        `$formatInteger(${this.#number(0)}, ${JSON.stringify(random.pick(['0', '000', '#,##0', 'w', 'Ww', 'I', 'a', 'A', '0;o', 'w;o']))})`,
      () => `$formatBase(${this.#number(0)}, ${2 + random.below(20)})`,
      () =>
        `$fromMillis(${random.below(2 ** 31) * 900}${random.pick(['', ', "[Y]-[M01]-[D1o] [h#1]:[m01] [P]"', ', "[FNn,3-3] [D] [MNn] [Y0001] W[W] [x] [w]", "+0530"'])})`,
      () => `$type(${this.#any(depth - 1)})`,
    ])();
  }

  #boolean(depth: number): string {
    const random = this.#random;
    const left = depth <= 0 ? random.pick(names) : this.#any(depth - 1);
    const right = depth <= 0 ? random.pick(['1', '"x"', 'a', '"red"', 'qty']) : this.#any(depth - 1);
    return random.pick<() => string>([
      () => `${left} ${random.pick(['=', '!=', '=', '<', '>', '<=', '>='])} ${right}`,
      () => `${left} in ${random.pick(['["x", "red", 1]', 'tags', right])}`,
      () => `(${left} ${random.pick(['and', 'or'])} ${right})`,
      () => `$exists(${left})`,
      () => `$not(${left})`,
      () => `$boolean(${left})`,
      () => `$contains(${random.pick(['name', 'code', '"red"'])}, ${random.pick(['"e"', '/[a-c]/'])})`,
    ])();
  }

  #array(depth: number): string {
    const random = this.#random;
    const items = Array.from({ length: random.below(4) }, () =>
      random.chance(0.1) ? `${random.below(3)}..${random.below(6)}` : this.#any(depth - 1),
    );
    return `[${items.join(', ')}]${random.chance(0.1) ? this.#filter(depth - 1) : ''}`;
  }

  /**
   * An array that begins a path sees its input wrapped; there `*` shows the stock evaluator's own mark on that wrapping
   * (`sequence: true`) as a field. Not asked.
   */
  #firstArray(depth: number): string {
    const array = this.#array(depth);
    return array.includes('*') ? '[items]' : array;
  }

  #key(depth: number): string {
    return this.#random.chance(0.75) ? JSON.stringify(this.#random.pick([...words, ...names])) : this.#text(depth);
  }

  #object(depth: number): string {
    const pairs = Array.from(
      { length: this.#random.below(4) },
      () => `${this.#key(depth - 1)}: ${this.#any(depth - 1)}`,
    );
    return `{${pairs.join(', ')}}`;
  }

  #call(depth: number): string {
    const random = this.#random;
    const one = [
      'keys',
      'spread',
      'distinct',
      'reverse',
      'sort',
      'merge',
      'clone',
      'string',
      'number',
      'boolean',
      'count',
    ];
    const more = [...one, 'type', 'sum', 'exists', 'uppercase', 'length', 'max', 'single', 'zip', 'not'];
    return random.pick<() => string>([
      () => `$${random.pick(more)}(${this.#any(depth - 1)})`,
      () => `$append(${this.#any(depth - 1)}, ${this.#any(depth - 1)})`,
      () => `$lookup(${this.#any(depth - 1)}, ${JSON.stringify(random.pick(names))})`,
      () => `$zip(${this.#array(depth - 1)}, ${this.#path(depth - 1)})`,
      () =>
        `$split(${this.#text(depth - 1)}, ${random.pick(['"e"', '""', '/[-\\s]/', '" "'])}${random.chance(0.3) ? `, ${random.below(3)}` : ''})`,
      () =>
        `$match(${this.#text(depth - 1)}, ${random.pick(['/[a-z]/', '/(\\w)(x)?/', '/\\d+/'])}${random.chance(0.3) ? ', 1' : ''})`,
      () => `$${random.pick(one)}()`,
      () => `$assert(${this.#boolean(0)}, "no")`,
    ])();
  }

  #lambda(depth: number, parameters: number): string {
    const random = this.#random;
    const own = variables.slice(0, parameters);
    const outer = this.#bound;
    this.#bound = [...outer, ...own, ...own];
    const body = random.chance(0.15) ? `(${this.#any(depth - 1)}; ${this.#any(depth - 1)})` : this.#any(depth - 1);
    this.#bound = outer;
    return `function(${own.map((name) => `$${name}`).join(', ')}){ ${body} }`;
  }

  #higher(depth: number): string {
    const random = this.#random;
    return random.pick<() => string>([
      () => `$map(${this.#path(depth - 1)}, ${this.#lambda(depth - 1, 1 + random.below(2))})`,
      () => `$filter(${this.#path(depth - 1)}, ${this.#lambda(depth - 1, 1)})`,
      () =>
        `$reduce(${this.#path(depth - 1)}, ${this.#lambda(depth - 1, 2)}${random.chance(0.4) ? `, ${this.#leaf()}` : ''})`,
      () => `$each(${this.#object(depth - 1)}, ${this.#lambda(depth - 1, 2)})`,
      () => `$sift(${this.#object(depth - 1)}, ${this.#lambda(depth - 1, 1)})`,
      () => `$map(${this.#path(depth - 1)}, $${random.pick(['string', 'type', 'keys', 'number', 'uppercase'])})`,
      () => `$sort(${this.#path(depth - 1)}, function($x, $y){ $x.qty > $y.qty })`,
      () => `(${this.#lambda(depth - 1, 1)})(${this.#any(depth - 1)})`,
    ])();
  }

  #chain(depth: number): string {
    const random = this.#random;
    const link = random.pick<() => string>([
      () => `$${random.pick(['sum', 'count', 'string', 'keys', 'distinct', 'reverse', 'boolean'])}`,
      () => `$append(${this.#leaf()})`,
      () => '$string ~> $substring(?, 0, 2)',
      () => `$join(",")`,
      () =>
        `| ${random.pick(['$', 'items', '**'])} | {"a": ${this.#any(depth - 2)}}${random.chance(0.3) ? ', ["a", "name"]' : ''} |`,
    ])();
    return `${this.#path(depth - 1)} ~> ${link}`;
  }

  #block(depth: number): string {
    const random = this.#random;
    const outer = this.#bound;
    const parts: string[] = [];
    for (let count = random.below(2); count >= 0; count -= 1) {
      const name = random.pick(variables);
      parts.push(`$${name} := ${random.chance(0.2) ? this.#lambda(depth - 1, 1) : this.#any(depth - 1)}`);
      this.#bound = [...this.#bound, name];
    }
    parts.push(this.#any(depth - 1));
    this.#bound = outer;
    return `(${parts.join('; ')})`;
  }

  #condition(depth: number): string {
    const random = this.#random;
    const test = this.#boolean(depth - 1);
    return random.pick<() => string>([
      () => `(${test} ? ${this.#any(depth - 1)} : ${this.#any(depth - 1)})`,
      () => `(${test} ? ${this.#any(depth - 1)})`,
      () => `(${this.#leaf()} ?: ${this.#any(depth - 1)})`,
      () => `(${this.#leaf()} ?? ${this.#any(depth - 1)})`,
    ])();
  }

  #rare(depth: number): string {
    const random = this.#random;
    return random.pick<() => string>([
      () => `$$.items#$z[$z < 2].{"n": $z, "v": ${this.#any(depth - 2)}}`,
      () => `items@$x.list@$y[$x.qty = $y.qty].{"x": $x.name, "y": $y}`,
      () => `items.nested.{"p": %.name, "c": code}`,
      () => `items.nested[%.qty > 1].code`,
      () => `${this.#path(depth - 1)}^(>qty, name)`,
      () => `items{code: ${this.#any(depth - 1)}}`,
      () => `items{code: {"q": qty, "n": {"x": ${this.#any(depth - 2)}}}}`,
      () => `c.{"all": $, "n": ${this.#any(depth - 2)}}`,
      () =>
        `$toMillis("${2000 + random.below(40)}-0${1 + random.below(9)}-1${random.below(10)}${random.pick(['', 'T10:20:30Z', 'T10:20:30.5+01:00'])}")`,
      () => `$toMillis("${1 + random.below(28)}/0${1 + random.below(9)}/20${10 + random.below(20)}", "[D]/[M01]/[Y]")`,
      () => '$evalx(1)',
      () => `missing.${this.#object(depth - 1)}`,
      () => `$${random.pick(variables)}`,
      () => `$error(${this.#text(0)})`,
    ])();
  }
}
