/** What a carrier's cases show of its answers and webhooks: lint reads the paths of mappings against it. */
import type { CodecName } from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { Failure } from '../../engine/failure.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import type { EvidenceFor } from '../../engine/profile/load.ts';
import { schemasOnly } from '../../engine/profile/types/evidence.ts';
import { bodyOf, type ReadBeside, type WithBody } from './bodies.ts';
import { type CaseFiles, caseNames } from './case-files.ts';
import { readFlow } from './read.ts';

interface Shown {
  readonly answers: { readonly operation: string; readonly body: unknown }[];
  readonly pushes: unknown[];
}

/** Schemas of the home, and what the cases of each carrier show. Cases that cannot be read show nothing. */
export const evidenceWithCases =
  (files: CaseFiles): EvidenceFor =>
  (code, homes, findings) => {
    let known: Shown | undefined;
    const shown = (): Shown => (known ??= readShown(code, files));
    return {
      ...schemasOnly(code, homes, findings),
      answers: (operation: OperationName | undefined) =>
        shown().answers.flatMap((each) => (operation === undefined || each.operation === operation ? [each.body] : [])),
      pushes: () => shown().pushes,
    };
  };

const readShown = (code: string, files: CaseFiles): Shown => {
  const shown: Shown = { answers: [], pushes: [] };
  for (const name of caseNames(code, files)) {
    const read = readFlow(code, name, files);
    if (read === undefined) continue;
    const { content, beside } = read;
    for (const step of content.flow) {
      if (step.do === 'webhook' && step.request !== undefined) shown.pushes.push(...valueOf(step.request, beside));
      for (const { response } of step.exchanges ?? []) {
        if (typeof response === 'string') continue;
        // An update that is a cancel and a create is answered as these are.
        const operations = step.do === 'update' ? ['update', 'create', 'cancel'] : [step.do];
        for (const body of valueOf(response, beside)) {
          for (const operation of operations) shown.answers.push({ operation, body });
        }
      }
    }
  }
  return shown;
};

/** The value of a body; none where it has none, or was meant not to decode. */
const valueOf = (held: WithBody, beside: ReadBeside): readonly unknown[] => {
  try {
    const body = bodyOf(held, beside);
    if (body === undefined) return [];
    const { bytes, contentType } = body.encode();
    const codec = codecOf(body.codec, bytes);
    const decoded = codec === undefined ? undefined : decoderNamed(codec).decode(bytes, { contentType });
    return decoded?.ok === true && decoded.body !== undefined ? [decoded.body] : [];
  } catch (thrown) {
    if (thrown instanceof Failure) return [];
    throw thrown;
  }
};

const codecOf = (codec: CodecName, bytes: Buffer): CodecName | undefined => {
  if (codec === 'xml') return /^[^]{0,400}<(?:\w+:)?Envelope[\s>]/.test(bytes.toString('latin1')) ? 'soap' : 'xml';
  return codec === 'text' || codec === 'binary' || codec === 'none' ? undefined : codec;
};
