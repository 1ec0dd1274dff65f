/** Broken profiles and mappings: data, one file a case. A « stands right before what a finding points at. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Finding } from '../../src/profile/finding.ts';
import { memoryFiles } from '../../src/profile/home-files.ts';
import { loadHome } from '../../src/profile/load.ts';

interface Expected {
  readonly place: string;
  readonly rule: string;
  readonly message: string;
  readonly help: string | undefined;
}

export interface Broken {
  readonly name: string;
  readonly why: string;
  readonly files: Readonly<Record<string, string>>;
  /** In the order of the marks. */
  readonly expected: readonly Expected[];
}

interface Written {
  readonly why: string;
  readonly files: Readonly<Record<string, string>>;
  readonly expect: readonly Readonly<Record<string, string>>[];
}

const FOLDER = path.join(import.meta.dirname, 'broken');

export const readBroken = (): readonly Broken[] =>
  readdirSync(FOLDER).map((file) => {
    const { why, files, expect } = parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Written;
    const places = Object.entries(files).flatMap(([name, text]) => markedPlaces(name, text));
    const expected = expect.map(({ help, ...said }, at): Expected => {
      const [[rule, message] = ['', '']] = Object.entries(said);
      return { place: places[at] ?? 'nowhere', rule, message, help };
    });
    if (places.length !== expected.length)
      throw new Error(`${file}: ${places.length} marks, ${expected.length} findings`);
    const plain = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('«', '')]));
    return { name: file.replace('.yaml', ''), why, files: plain, expected };
  });

const markedPlaces = (file: string, text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, at) =>
      [...line.matchAll(/«/g)].map(({ index }, before) => `${file}:${at + 1}:${index - before + 1}`),
    );

export const findingsOf = ({ files }: Broken): readonly Finding[] =>
  loadHome({ home: memoryFiles(files), shipped: memoryFiles({}) }).findings;
