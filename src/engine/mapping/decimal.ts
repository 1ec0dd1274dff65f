/** An exact number: `numerator / denominator`, the denominator positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The decimal number that a double is written as: 0.1 is a tenth, not the double nearest to it. */
export function fractionOf(value: number): Fraction {
  const [, sign, whole = '0', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const digits = BigInt(`${sign ?? ''}${whole}${fraction}`);
  const power = Number(exponent) - fraction.length;
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) };
}

export const times = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.numerator,
  denominator: one.denominator * other.denominator,
});

export const dividedBy = (one: Fraction, other: Fraction): Fraction =>
  other.numerator < 0n
    ? { numerator: -one.numerator * other.denominator, denominator: one.denominator * -other.numerator }
    : { numerator: one.numerator * other.denominator, denominator: one.denominator * other.numerator };

/** The least whole number that is not below it. */
export function ceilingOf({ numerator, denominator }: Fraction): bigint {
  const quotient = numerator / denominator;
  return quotient * denominator < numerator ? quotient + 1n : quotient;
}

/** Rounded to `digits` after the point, halves away from zero. */
export function rounded({ numerator, denominator }: Fraction, digits: number): number {
  const scaled = numerator * 10n ** BigInt(digits);
  const half = scaled < 0n ? -denominator / 2n : denominator / 2n;
  // An odd denominator has no exact half.
  const quotient = (scaled + half) / denominator;
  const text = String(quotient < 0n ? -quotient : quotient).padStart(digits + 1, '0');
  const point = text.length - digits;
  const magnitude = Number(`${text.slice(0, point)}.${text.slice(point)}`);
  return quotient < 0n ? -magnitude : magnitude;
}

/** To 15 significant digits, which every double can tell apart. */
export function toNumber(fraction: Fraction): number {
  const { numerator, denominator } = fraction;
  if (numerator === 0n) return 0;
  const magnitude = String(numerator < 0n ? -numerator : numerator).length - String(denominator).length;
  const digits = 15 - magnitude;
  if (digits >= 0) return Number(rounded(fraction, Math.min(digits, 300)).toPrecision(15));
  return Number(Number(numerator / denominator).toPrecision(15));
}
