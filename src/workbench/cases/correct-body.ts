/** What a case would have to say for a body to be the one that was seen: as little of it as can be is changed. */
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { isInnerTextKey } from '../../engine/codecs/inner-text.ts';
import { decodeXmlText } from '../../engine/codecs/text.ts';
import { Failure } from '../../engine/failure.ts';
import { isMap, valueAt, type ValuePath } from '../../engine/value.ts';
import { bodyOf, type CaseBody, type ReadBeside, type WithBody } from './bodies.ts';
import { compareBodies, type ComparedBody } from './compare-bodies.ts';
import { compareValues } from './compare-values.ts';
import { correctXml } from './correct-xml.ts';
import type { ValueCorrection } from './correct-yaml.ts';
import { innerValue, isXml } from './inner-text.ts';
import type { Correction } from './report.ts';

/** `held`: what has the body, at `path` of the case. None where only a person can say how to write it. */
export const correctBody = (
  held: WithBody,
  body: CaseBody,
  seen: ComparedBody & { readonly bytes: Buffer },
  path: ValuePath,
  beside: ReadBeside,
): Correction[] => {
  const { key, codec, file } = body;
  const isMarkup = codec === 'xml' || codec === 'soap';
  const decoded = decoderNamed(codec).decode(seen.bytes, { contentType: seen.contentType });
  const markup = (old: string): string => {
    const text = decodeXmlText(seen.bytes, seen.contentType);
    return correctXml(old, text) ?? text;
  };
  if (file !== undefined) {
    if (codec === 'json' && decoded.ok) {
      return [{ file, bytes: Buffer.from(`${JSON.stringify(decoded.body, undefined, 2)}\n`) }];
    }
    const old = body.bytes.toString('utf8');
    return [{ file, bytes: isMarkup && old !== '' ? Buffer.from(markup(old)) : seen.bytes }];
  }
  const at = [...path, key];
  const written = held[key];
  const whole = (value: unknown): Correction[] => [{ path: at, value }];
  if (key === 'base64') return whole(seen.bytes.toString('base64'));
  if (isMarkup && typeof written === 'string') return whole(markup(written));
  if (!decoded.ok) return [];
  // Of an envelope the codec reads the content of its body.
  const [inside, from] = codec === 'soap' ? [valueAt(written, 'body'), [...at, 'body']] : [written, at];
  const corrections = correctionsOf(inside, decoded.body, from);
  const corrected = applied(written, corrections, at.length);
  if (saysTheSame({ ...held, [key]: corrected }, seen, beside)) return corrections;
  if (isMarkup) return whole(seen.bytes.toString('utf8'));
  return codec === 'multipart' ? [] : whole(decoded.body ?? null);
};

const correctionsOf = (written: unknown, seen: unknown, at: ValuePath): ValueCorrection[] => {
  if (isSame(written, seen)) return [];
  if (Array.isArray(written) && Array.isArray(seen)) {
    return Array.from({ length: Math.max(written.length, seen.length) }, (_, index) =>
      correctionsOf(written[index], seen[index], [...at, index]),
    ).flat();
  }
  if (isMap(written)) {
    const [key, ...others] = Object.keys(written);
    const inner = typeof seen === 'string' && others.length === 0 ? innerValue(seen) : undefined;
    if (isInnerTextKey(key) && inner !== undefined) {
      return correctionsOf(written[key], inner, [...at, key]);
    }
    if (isMap(seen)) return correctFields(written, seen, at);
    if ('content' in written) return correctionsOf(written['content'], seen, [...at, 'content']);
  }
  if (typeof written === 'string' && typeof seen === 'string' && isXml(written)) {
    return [{ path: at, value: correctXml(written, seen) ?? seen }];
  }
  return [{ path: at, value: seen }];
};

/** Names of elements are read without their prefixes, and declarations of these not at all. */
const correctFields = (
  written: Readonly<Record<string, unknown>>,
  seen: Readonly<Record<string, unknown>>,
  at: ValuePath,
): ValueCorrection[] => {
  const names = new Map(
    Object.keys(written)
      .filter((key) => !key.startsWith('@xmlns'))
      .map((key) => [key, Object.hasOwn(seen, key) ? key : key.replace(/^(@?)[^:]+:/, '$1')]),
  );
  const known = new Set(names.values());
  return [
    ...[...names].flatMap(([key, name]) => correctionsOf(written[key], valueAt(seen, name), [...at, key])),
    ...Object.entries(seen).flatMap(([key, value]) => (known.has(key) ? [] : [{ path: [...at, key], value }])),
  ];
};

/** In most formats all is text. */
const isSame = (written: unknown, seen: unknown): boolean =>
  compareValues(written, seen).length === 0 ||
  ((typeof written === 'number' || typeof written === 'boolean') && String(written) === seen);

const applied = (value: unknown, corrections: readonly ValueCorrection[], depth: number): unknown => {
  const root = { it: structuredClone(value) };
  const removals = corrections.filter((one) => one.value === undefined).toReversed();
  for (const { path, value: other } of [...corrections.filter((one) => one.value !== undefined), ...removals]) {
    const keys = ['it', ...path.slice(depth)];
    const last = keys.pop() ?? 'it';
    const holder = keys.reduce<unknown>((held, key) => valueAt(held, String(key)), root) as Record<string, unknown>;
    if (other !== undefined) holder[last] = other;
    else if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  }
  return root.it;
};

const saysTheSame = (held: WithBody, seen: ComparedBody, beside: ReadBeside): boolean => {
  try {
    const body = bodyOf(held, beside);
    return body !== undefined && compareBodies(body.codec, body, seen).length === 0;
  } catch (thrown) {
    if (thrown instanceof Failure) return false;
    throw thrown;
  }
};
