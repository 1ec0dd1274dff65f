import { decoderNamed } from '../codecs/codecs.ts';
import { labelBytes } from '../codecs/label-document.ts';
import { parseMediaType } from '../codecs/media-type.ts';
import type { LabelOutcome } from './decide.ts';

/** A value that should be a label. One that is none yet may become one; one that is too large stays so. */
export const judgeContent = (content: unknown): LabelOutcome => {
  const read = labelBytes(content);
  if (read.ok) return { kind: 'stored', bytes: read.bytes, format: read.format };
  return { kind: read.reason.code === 'label_too_large' ? 'failed' : 'not_yet', message: read.reason.message };
};

/** The body of an answer that should be a label, or hold one among its parts. */
export const judgeBody = (body: Buffer, contentType: string | undefined): LabelOutcome => {
  if (!parseMediaType(contentType).type.startsWith('multipart/')) return judgeContent(body);
  const decoded = decoderNamed('multipart').decode(body, { contentType });
  return decoded.ok ? judgeContent(decoded.body) : { kind: 'not_yet', message: decoded.reason.message };
};
