const OFFSET = /^([+-])(\d{1,2}):?(\d{2})?$/;

/** `Z`, `+2`, `+0200`, `+02:00` → minutes; NaN for what no place on earth has. */
export function offsetOf(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const [, sign, hours, minutes = '0'] = OFFSET.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (Number(minutes) > 59 || total > 14 * 60) return Number.NaN;
  return sign === '-' ? -total : total;
}

/** `+02:00`, with what stands between hours and minutes. */
export function offsetText(minutes: number, between: string): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}${between}${twoDigits(size % 60)}`;
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

/** `07` */
export const twoDigits = (value: number): string => TWO_DIGITS[value] ?? String(value);
