import { isNull, type ScalarNode } from './tree.ts';

/** What a scalar of a free tree is: its value, or a form that YAML 1.1, YAML 1.2 and JSON do not read alike. */
export type Reading = { readonly ok: true; readonly value: string | number | boolean | null } | { readonly ok: false };

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What at least one of the dialects takes for something else than text (yaml.org/type, YAML 1.2, section 10.3). */
const SOMETHING_ELSE: readonly RegExp[] = [
  /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  /^(?:~|null|Null|NULL|)$/,
  /^[-+]?(?:0b[01_]+|0o[0-7]+|0x[\da-fA-F_]+|[\d_]*\d[\d_]*)$/,
  /^[-+]?(?=[\d.])(?:\d[\d_]*)?\.?[\d_]*(?:[eE][-+]?\d+)?$/,
  /^[-+]?(?:\.inf|\.Inf|\.INF)$|^\.(?:nan|NaN|NAN)$/,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::?\d{2})?))?)?$/,
  /^(?:<<|=)$/,
];

/** Reads a scalar of a free tree: text, unless it is a number, boolean or null in JSON's form. */
export const readScalar = (node: ScalarNode): Reading => {
  const { text } = node;
  if (node.style !== 'plain') return { ok: true, value: text };
  if (text === 'null' && isNull(node)) return { ok: true, value: null };
  if (text === 'true' || text === 'false') return { ok: true, value: text === 'true' };
  if (isPlainNumber(text)) return { ok: true, value: Number(text) };
  return SOMETHING_ELSE.some((form) => form.test(text)) ? { ok: false } : { ok: true, value: text };
};

/** A number in JSON's form that every dialect reads alike, and that keeps its digits. */
const isPlainNumber = (text: string): boolean => {
  if (!JSON_NUMBER.test(text)) return false;
  // YAML 1.1 takes an exponent for one only after a point and with a sign.
  if (/[eE]/.test(text) && !/\.\d*[eE][+-]/.test(text)) return false;
  return /[.eE]/.test(text) ? Number.isFinite(Number(text)) : Number.isSafeInteger(Number(text));
};

/** A number of a number position: JSON's form, without quotes; undefined for anything else. */
export const readNumber = (node: ScalarNode): number | undefined =>
  node.style === 'plain' && JSON_NUMBER.test(node.text) && Number.isFinite(Number(node.text))
    ? Number(node.text)
    : undefined;

/** `true` or `false` of a boolean position, without quotes; undefined for anything else. */
export const readBoolean = (node: ScalarNode): boolean | undefined =>
  node.style === 'plain' && (node.text === 'true' || node.text === 'false') ? node.text === 'true' : undefined;
