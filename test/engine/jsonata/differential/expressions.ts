import type { Random } from '../../../support/random.ts';

const names = 'a b c name price qty tags items list addr code on nested missing'.split(' ');
const words = ['', 'x', 'AB', 'red', 'a-b', '12', '3.5', 'é😀', 'Order 66', '__proto__', 'constructor', 'name'];
const variables = ['x', 'y', 'z'];

/** A form each between two blanks or on a line of its own; `3×` says it three times. */
const forms = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\s{2,}/)
    .flatMap((form) => {
      const [, times = '1', once = form] = /^(\d+)×(.*)$/.exec(form) ?? [];
      return Array.from({ length: Number(times) }, () => once);
    });

/**
 * The forms of each kind of expression. `«kind»` is one of that kind, a level less deep; `«kind=»` as deep, `«kind-2»`
 * two levels less, `«kind!»` not deep at all; `«1..9»` a number between them; `«a|b»` one of these texts.
 */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  any: forms(String.raw`
    3×«path=»  «number=»  «text=»  «boolean=»  «array=»  2×«object=»  2×«call=»
    «block=»  «condition=»  «higher=»  «chain=»  «rare=»`),
  decimal: forms('«0..124».«125|25|5|875»  «0..8».«0..9»'),
  leaf: forms('5×«bound»  5×«name»  «0..4»  2×«decimal»  «word»  «true|false|null|$|$$|[]|{}»  $$.«name»'),
  path: forms('12×«steps=»  «steps=»^(«|<|>»«any!»)  «steps=»{«key»: «any-2»}'),
  steps: forms('«first=»  «first=».«step»  «first=».«step».«step»  «first=».«step».«step».«step»'),
  first: forms('28×«firstStep=»  6×«firstStep=»«filter»  2×«firstStep=»[]  «bind»'),
  step: forms('28×«laterStep=»  6×«laterStep=»«filter»  2×«laterStep=»[]  «bind»  «name».%'),
  firstStep: forms('26×«name»  «leaf»  *  **  «object»  «firstArray»  («any»)  «call»  `name`  $'),
  laterStep: forms('26×«name»  *  **  «object»  «array»  («any»)  «call»  `name`  $'),
  filter: forms('[«0..2»]  [-«1|2»]  [«boolean=»]  [«boolean!»]  [[«0|1»..«0..3»]]  [«any=»]'),
  number: forms(String.raw`
    «number» «+|-|*|/|%» «number»  («number» «+|-|*» «any-2»)  -«price|qty|(3)|(a)»
    $«sum|max|min|average|count»(«path»)  $«floor|ceil|abs|round|sqrt»(«number»)  $round(«number», «-1..2»)
    $number(«any»)  $length(«text»)  $power(«number!», «0..3»)  $parseInteger("«0..2999»", "«0|#,##0|00»")`),
  regex: forms(String.raw`/[a-z]+/  /(\w)(\d)?/i  /\s/  /e|d/  /^./  /(.)-(.)/  /(\w)(x)?/  /\d+/  /[-\s]/`),
  // Of infinity, the picture with an exponent never ends in the stock evaluator.
  text: forms(String.raw`
    «any» & «text»  $string(«any»)  «decimal» * «decimal» & «text»  $type(«any»)  $join(«path»«|, ","»)
    $«uppercase|lowercase|trim|base64encode|encodeUrlComponent»(«text»)  $substring(«text», «-2..2»«|, 0|, 1|, 3»)
    $«substringBefore|substringAfter»(«text», «word»)  $pad(«text», «-10..9»«||, "#é"»)
    $replace(«text», «regex», «"<$0$1>"|"$$-$2"|"_"»)  $replace(«text», "e", «"<$0$1>"|"$$-$2"|"_"»)
    $formatNumber(«decimal», "0.0e0")  $formatNumber(«number», "«#,##0.00|0|#0.0#|00.0%|###,##0;(#)|#.###»")
    $formatInteger(«number!», "«0|000|#,##0|w|Ww|I|a|A|0;o|w;o»")  $formatBase(«number!», «2..21»)
    $fromMillis(«0..1932735283»000«|, "[Y]-[M01]-[D1o] [h#1]:[m01] [P]"|, "[FNn,3-3] [D] [MNn] [Y0001] W[W] [x] [w]", "+0530"»)`),
  operand: forms('1  "x"  a  "red"  qty'),
  boolean: forms(String.raw`
    «any» «=|!=|=|<|>|<=|>=» «any»  «any» in «["x", "red", 1]|tags»  «any» in «any»  («any» «and|or» «any»)
    $exists(«any»)  $not(«any»)  $boolean(«any»)  $contains(«name|code|"red"», «"e"|/[a-c]/»)`),
  item: forms('9×«any=»  «0..2»..«0..5»'),
  array: forms('2×[]  2×[«item»]  2×[«item», «item»]  2×[«item», «item», «item»]  [«item», «item»]«filter»'),
  key: forms('3×«word»  3×"«name»"  2×«text=»'),
  pair: forms('«key=»: «any=»'),
  object: forms('{}  {«pair»}  {«pair», «pair»}  {«pair», «pair», «pair»}'),
  call: forms(String.raw`
    $«keys|spread|distinct|reverse|sort|merge|clone|string|number|boolean|count»(«any»)
    $«type|sum|exists|uppercase|length|max|single|zip|not»(«any»)
    $append(«any», «any»)  $lookup(«any», "«name»")  $zip(«array», «path»)  $assert(«boolean!», "no")
    $split(«text», «"e"|""|/[-\s]/|" "»«|||, 0|, 2»)  $match(«text», «regex»«||, 1»)
    $«keys|spread|distinct|reverse|sort|merge|clone|string|number|boolean|count»()`),
  higher: forms(String.raw`
    $map(«path», «lambdaOfOne»)  $map(«path», «lambdaOfTwo»)  $filter(«path», «lambdaOfOne»)
    $reduce(«path», «lambdaOfTwo»)  $reduce(«path», «lambdaOfTwo», «leaf»)
    $each(«object», «lambdaOfTwo»)  $sift(«object», «lambdaOfOne»)  («lambdaOfOne»)(«any»)
    $map(«path», $«string|type|keys|number|uppercase»)  $sort(«path», function($x, $y){ $x.qty > $y.qty })`),
  chain: forms(String.raw`
    2×«path» ~> $«sum|count|string|keys|distinct|reverse|boolean»  «path» ~> $append(«leaf»)
    «path» ~> $string ~> $substring(?, 0, 2)  «path» ~> $join(",")
    «path» ~> | «$|items|**» | {"a": «any-2»}«||, ["a", "name"]» |`),
  condition: forms('(«boolean» ? «any» : «any»)  («boolean» ? «any»)  («leaf» ?: «any»)  («leaf» ?? «any»)'),
  rare: forms(String.raw`
    $$.items#$z[$z < 2].{"n": $z, "v": «any-2»}  items@$x.list@$y[$x.qty = $y.qty].{"x": $x.name, "y": $y}
    items.nested.{"p": %.name, "c": code}  items.nested[%.qty > 1].code  «steps»^(>qty, name)  items{code: «any»}
    items{code: {"q": qty, "n": {"x": «any-2»}}}  c.{"all": $, "n": «any-2»}  missing.«object»
    $toMillis("20«10..39»-0«1..9»-1«0..9»«|T10:20:30Z|T10:20:30.5+01:00»")
    $toMillis("«1..28»/0«1..9»/20«10..29»", "[D]/[M01]/[Y]")  $evalx(1)  $«x|y|z»  $error(«text!»)`),
};

/** What these kinds are where there is no depth left. */
const SHALLOW: Readonly<Record<string, readonly string[]>> = {
  any: forms('«leaf»'),
  number: forms('«price|qty|a»  «0..19».«0..9»'),
  text: forms('«name|code»  «word»'),
  boolean: forms(String.raw`
    «name» «=|!=|=|<|>|<=|>=» «operand»  «name» in «["x", "red", 1]|tags»  («name» «and|or» «operand»)
    $exists(«name»)  $not(«name»)  $boolean(«name»)  $contains(«name|code|"red"», «"e"|/[a-c]/»)`),
};

/** Writes random expressions: mostly such as mean something, each about as deep as asked. */
export class ExpressionWriter {
  readonly #random: Random;
  #bound: readonly string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  write(depth: number): string {
    this.#bound = [];
    return this.#kind('any', depth);
  }

  #kind(kind: string, depth: number): string {
    const own = this.#own(kind, depth);
    if (own !== undefined) return own;
    const forms = (depth <= 0 ? SHALLOW[kind] : undefined) ?? FORMS[kind] ?? [];
    return this.#random.pick(forms).replaceAll(/«([^»]*)»/g, (_all, part: string) => this.#part(part, depth));
  }

  #part(part: string, depth: number): string {
    const [, kind, sign = ''] = /^([a-zA-Z]{3,})(=|-2|!)?$/.exec(part) ?? [];
    if (kind !== undefined) return this.#kind(kind, { '=': depth, '-2': depth - 2, '!': 0 }[sign] ?? depth - 1);
    const [, from, to] = /^(-?\d+)\.\.(\d+)$/.exec(part) ?? [];
    if (from !== undefined) return String(Number(from) + this.#random.below(Number(to) - Number(from) + 1));
    return this.#random.pick(part.split('|'));
  }

  /** Kinds that look at, or add to, the variables in sight. */
  #own(kind: string, depth: number): string | undefined {
    const random = this.#random;
    switch (kind) {
      case 'name':
        return random.pick(names);
      case 'word':
        return JSON.stringify(random.pick(words));
      case 'bound':
        return this.#bound.length === 0 ? random.pick(names) : `$${random.pick(this.#bound)}`;
      case 'bind': {
        const variable = random.pick(variables);
        this.#bound = [...this.#bound, variable];
        return `${random.pick(names)}${random.pick(['#', '@'])}$${variable}`;
      }
      case 'firstArray': {
        // It sees its input wrapped, where `*` shows the stock evaluator's own mark on that (`sequence: true`): not asked.
        const array = this.#kind('array', depth);
        return array.includes('*') ? '[items]' : array;
      }
      case 'lambdaOfOne':
        return this.#lambda(depth, variables.slice(0, 1));
      case 'lambdaOfTwo':
        return this.#lambda(depth, variables.slice(0, 2));
      case 'block':
        return this.#block(depth);
      default:
        return undefined;
    }
  }

  #within<T>(write: () => T): T {
    const outer = this.#bound;
    const written = write();
    this.#bound = outer;
    return written;
  }

  #lambda(depth: number, parameters: readonly string[]): string {
    return this.#within(() => {
      this.#bound = [...this.#bound, ...parameters, ...parameters];
      const any = (): string => this.#kind('any', depth - 1);
      const body = this.#random.chance(0.15) ? `(${any()}; ${any()})` : any();
      return `function(${parameters.map((name) => `$${name}`).join(', ')}){ ${body} }`;
    });
  }

  #block(depth: number): string {
    return this.#within(() => {
      const parts: string[] = [];
      for (let count = this.#random.below(2); count >= 0; count -= 1) {
        const name = this.#random.pick(variables);
        parts.push(`$${name} := ${this.#kind(this.#random.chance(0.2) ? 'lambdaOfOne' : 'any', depth - 1)}`);
        this.#bound = [...this.#bound, name];
      }
      return `(${[...parts, this.#kind('any', depth - 1)].join('; ')})`;
    });
  }
}
