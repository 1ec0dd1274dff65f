import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { engineNamed } from '../src/engine/mapping/chosen-engine.ts';
import { compileExpression } from '../src/engine/mapping/expression.ts';
import type { Roots, EvaluationContext } from '../src/engine/mapping/mapping.ts';
import { sourceText } from '../src/engine/mapping/source-text.ts';
import { directoryFiles } from '../src/engine/profile/home-files.ts';
import { loadCarrier } from '../src/engine/profile/load.ts';
import { mappingsOf, recordCases } from '../test/support/recorded-mappings.ts';
import { dhlExpress } from './by-hand/dhl-express.ts';
import { landmark } from './by-hand/landmark.ts';
import type { ByHand, Given, Hands, Kind } from './by-hand/platform.ts';
import { royalMail } from './by-hand/royal-mail.ts';
import { seko } from './by-hand/seko.ts';
import { ups } from './by-hand/ups.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Bundled carriers, some of whose mappings are written by hand as well. */
export const CARRIERS: readonly {
  readonly code: string;
  readonly files: Readonly<Record<Kind, string>>;
  readonly byHand: Hands;
}[] = [
  { code: 'dhl_express', files: { request: 'create', response: 'created', status: 'events' }, byHand: dhlExpress },
  { code: 'landmark', files: { request: 'ship', response: 'created', status: 'events' }, byHand: landmark },
  { code: 'royal_mail', files: { request: 'order', response: 'created', status: 'events' }, byHand: royalMail },
  { code: 'seko', files: { request: 'create', response: 'created', status: 'events' }, byHand: seko },
  { code: 'ups', files: { request: 'create', response: 'created', status: 'events' }, byHand: ups },
];

/** An evaluation seen while cases ran, and how large what it gave is. */
interface Seen {
  readonly roots: Roots;
  readonly context: EvaluationContext;
  readonly size: number;
}

/** Compares as JSON would be sent: what is undefined is not there, and the order of keys counts. */
const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** All evaluations of a mapping that gave something, by the size of what they gave; the hand-written one must agree. */
const seenOf = async (text: string, all: readonly Omit<Seen, 'size'>[], byHand: ByHand): Promise<readonly Seen[]> => {
  const mapping = compileExpression(sourceText('mapping', text), engineNamed('compiled'));
  const seen: Seen[] = [];
  for (const { roots, context } of all) {
    let value: unknown;
    try {
      value = await mapping.evaluate(roots, context);
    } catch {
      continue;
    }
    if (value === undefined) continue;
    const written = byHand(roots as Given, context);
    if (!sameJson(written, value) && !isDeepStrictEqual(plain(written), plain(value))) {
      throw new Error(`by hand:\n${JSON.stringify(written)}\nby the mapping:\n${JSON.stringify(value)}`);
    }
    seen.push({ roots, context, size: JSON.stringify(value).length });
  }
  return seen.toSorted((a, b) => a.size - b.size);
};

/** As it is sent: what is undefined is not there. */
export const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** A mapping of a carrier with what it was evaluated with. */
export interface Written {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
  readonly byHand: ByHand;
  readonly seen: readonly Seen[];
}

/** The mappings of a carrier that are written by hand, too. Throws where the two disagree on what its cases hold. */
export const writtenOf = async ({ code, files, byHand }: (typeof CARRIERS)[number]): Promise<readonly Written[]> => {
  const home = directoryFiles(ROOT);
  const { carrier } = loadCarrier(code, { home, shipped: home });
  if (carrier === undefined) throw new Error(`${code} does not load`);
  const mappings = mappingsOf(carrier);
  const recorded = await recordCases(carrier, ROOT);
  const written: Written[] = [];
  for (const kind of ['request', 'response', 'status'] as const) {
    const name = `${code}/${files[kind]}`;
    const at = mappings.findIndex(({ place }) => place.file === `mappings/${name}.jsonata`);
    const { text } = mappings[at] ?? { text: '' };
    const own = recorded.filter(({ mapping }) => mapping === at);
    written.push({ name, kind, text, byHand: byHand[kind], seen: await seenOf(text, own, byHand[kind]) });
  }
  return written;
};
