/** What a carrier's cases show of its requests, answers and webhooks: lint reads mappings against it. */
import type { CodecName } from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { Failure } from '../../engine/failure.ts';
import { isMap } from '../../engine/value.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import type { EvidenceFor } from '../../engine/profile/load.ts';
import { schemasOnly } from '../../engine/profile/lint/rule.ts';
import { bodyOf, type ReadBeside, type WithBody } from './bodies.ts';
import { type CaseFiles, caseNames, readFlow } from './read.ts';
import { rememberingFiles } from './remembered.ts';

interface Shown {
  readonly answers: { readonly operations: readonly string[]; readonly body: unknown }[];
  readonly pushes: unknown[];
  readonly words: { readonly keys: Set<string>; readonly texts: Set<string> };
}

/** Schemas of the home, and what the cases of each carrier show. Cases that cannot be read show nothing. */
export const evidenceWithCases =
  (files: CaseFiles): EvidenceFor =>
  (code, homes, findings) => {
    let known: Shown | undefined;
    const shown = (): Shown => (known ??= readShown(code, files));
    return {
      ...schemasOnly(code, homes, findings),
      answers: (wanted: OperationName | undefined) =>
        shown().answers.flatMap(({ operations, body }) =>
          wanted === undefined || operations.includes(wanted) ? [body] : [],
        ),
      pushes: () => shown().pushes,
      words: () => shown().words,
    };
  };

const readShown = (code: string, files: CaseFiles): Shown => {
  const cases = caseNames(code, files).map((name) => shownBy(code, name, files));
  return {
    answers: cases.flatMap(({ answers }) => answers),
    pushes: cases.flatMap(({ pushes }) => pushes),
    words: {
      keys: new Set(cases.flatMap(({ words }) => [...words.keys])),
      texts: new Set(cases.flatMap(({ words }) => [...words.texts])),
    },
  };
};

const shownBy = rememberingFiles((code, name, files: CaseFiles): Shown => {
  const shown: Shown = { answers: [], pushes: [], words: { keys: new Set(), texts: new Set() } };
  const read = readFlow(code, name, files);
  addWords(read?.content, shown.words);
  for (const step of read?.content.flow ?? []) {
    const valuesOf = (held: WithBody): readonly unknown[] => (read === undefined ? [] : valueOf(held, read.beside));
    if (step.do === 'webhook' && step.request !== undefined) shown.pushes.push(...valuesOf(step.request));
    // An update that is a cancel and a create is answered as these are.
    const operations = step.do === 'update' ? ['update', 'create', 'cancel'] : [step.do];
    for (const { request, response } of step.exchanges ?? []) {
      if (request !== undefined && request !== 'same') addWords(valuesOf(request), shown.words);
      const bodies = typeof response === 'string' ? [] : valuesOf(response);
      addWords(bodies, shown.words);
      shown.answers.push(...bodies.map((body) => ({ operations, body })));
    }
  }
  addWords(shown.pushes, shown.words);
  return shown;
});

const addWords = (value: unknown, words: Shown['words']): void => {
  if (typeof value === 'string') {
    words.texts.add(value);
    if (/^https?:/.test(value)) for (const part of value.split(/[/?&=]/)) words.texts.add(part);
  } else if (Array.isArray(value)) for (const item of value) addWords(item, words);
  else if (isMap(value)) {
    for (const [key, held] of Object.entries(value)) {
      words.keys.add(key.replace(/^@?(?:[\w-]+:)?/, ''));
      addWords(held, words);
    }
  }
};

/** The value of a body; none where it has none, or was meant not to decode. */
const valueOf = (held: WithBody, beside: ReadBeside): readonly unknown[] => {
  try {
    const { codec = 'none', bytes = Buffer.alloc(0), contentType } = bodyOf(held, beside) ?? {};
    const decoded = decoderNamed(readableCodec(codec, bytes)).decode(bytes, { contentType });
    return decoded.ok && decoded.body !== undefined ? [decoded.body] : [];
  } catch (thrown) {
    if (thrown instanceof Failure) return [];
    throw thrown;
  }
};

/** `none` where no mapping could read into it. */
const readableCodec = (codec: CodecName, bytes: Buffer): CodecName => {
  if (codec === 'xml') return /^[^]{0,400}<(?:\w+:)?Envelope[\s>]/.test(bytes.toString('latin1')) ? 'soap' : 'xml';
  return codec === 'text' || codec === 'binary' ? 'none' : codec;
};
