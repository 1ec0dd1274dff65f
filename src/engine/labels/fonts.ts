/** The fonts of labels and documents: which writes what, and how wide. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import anyAscii from 'any-ascii';
import { type Font, openSync } from 'fontkit';
import { findFile } from '../profile/home-files.ts';
import { once } from '../value.ts';

export interface Face {
  readonly file: string;
  readonly font: Font;
}

/** A stretch of text that one face writes. */
export interface FaceRun {
  readonly face: Face;
  readonly text: string;
}

export interface Fonts {
  /** Characters that no face has are transliterated. */
  readonly runsOf: (text: string, bold: boolean) => readonly FaceRun[];
  /** In points. */
  readonly widthOf: (text: string, size: number, bold: boolean) => number;
}

const { resolve } = createRequire(import.meta.url);
const shipped = (name: string): string => resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);

const openFace = once((file: string): Face => {
  const opened = openSync(file);
  const font = 'fonts' in opened ? opened.fonts[0] : opened;
  if (font === undefined) throw new Error(`${file} holds no font`);
  return { file, font };
});

/** The fonts that ship with the engine (Latin, Greek, Cyrillic, Arabic, Hebrew and more), then those in a folder, by name. */
export const createFonts = (folder?: string): Fonts => {
  const own = once((): readonly string[] =>
    folder === undefined || findFile(folder)?.isDirectory() !== true
      ? []
      : readdirSync(folder)
          .filter((name) => /\.(?:ttf|otf|ttc)$/i.test(name))
          .toSorted()
          .map((name) => join(folder, name)),
  );
  const filesOf = once((bold: boolean): readonly string[] => [
    ...(bold ? [shipped('DejaVuSans-Bold')] : []),
    shipped('DejaVuSans'),
    ...own(undefined),
  ]);

  const runsOf: Fonts['runsOf'] = (text, bold) => {
    const runs: { face: Face; text: string }[] = [];
    const add = (character: string): boolean => {
      const last = runs.at(-1);
      const has = ({ font }: Face): boolean => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
      // One that has it goes on, so that marks stay with their letters.
      const file =
        last !== undefined && has(last.face) ? last.face.file : filesOf(bold).find((one) => has(openFace(one)));
      if (file === undefined) return false;
      const face = openFace(file);
      if (face === last?.face) last.text += character;
      else runs.push({ face, text: character });
      return true;
    };
    for (const character of text) if (!add(character)) for (const letter of anyAscii(character) || '?') add(letter);
    return runs;
  };

  return {
    runsOf,
    widthOf: (text, size, bold) =>
      runsOf(text, bold).reduce(
        (width, { face: { font }, text: part }) => width + (font.layout(part).advanceWidth / font.unitsPerEm) * size,
        0,
      ),
  };
};
