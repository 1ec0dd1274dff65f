/** Begins a carrier from what somebody has of it, as `waybill new` does, without writing anything. */
import type { HomeFiles } from '../../engine/profile/home-files.ts';
import { describe, type Flags } from '../scaffold/describe.ts';
import { newCarrier } from '../scaffold/new-carrier.ts';
import { readMaterial } from '../scaffold/read.ts';
import { isFileOf, type TextFile } from './draft.ts';

export interface Begin extends Flags {
  readonly carrier: string;
  readonly samples: readonly { readonly name: string; readonly text: string }[];
}

/** Throws a `Failure` where nothing can be made of the samples. */
export const beginCarrier = async ({ carrier, samples, ...flags }: Begin, shipped: HomeFiles) => {
  const given = samples.map(({ name, text }) => ({ name, bytes: Buffer.from(text) }));
  const described = describe(carrier, given.length === 0 ? undefined : readMaterial(given), flags);
  const { files, findings, ignored, refuted } = await newCarrier(described, shipped);
  const texts = Object.entries(files).flatMap(([path, content]): TextFile[] =>
    isFileOf(carrier, path) ? [{ path, text: content.toString() }] : [],
  );
  const schemas = Object.keys(files).filter((path) => !isFileOf(carrier, path));
  return {
    files: texts,
    toConfirm: findings.filter(({ rule }) => rule === 'unconfirmed').length,
    ignored: [...ignored, ...schemas.map((path) => `${path}: only waybill new writes schemas`)],
    refuted,
  };
};
