/** What was made of files, for as long as those stay as they are. */
import { isRemembering, keep } from '../../engine/remembered.ts';

interface Files {
  /** undefined when there is no such file. */
  read(path: string): Buffer | undefined;
  list(folder: string): readonly string[];
}

/** What was read. */
export interface Reads {
  readonly contents: ReadonlyMap<string, Buffer | undefined>;
  /** Of files, by folder. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

const noted = <Value>(known: Map<string, Value>, path: string, value: Value): Value => {
  known.set(path, value);
  return value;
};

/** The same files; `reads` is what is read of them from now on. */
export const noteReads = <Of extends Files>(files: Of): { readonly files: Of; readonly reads: Reads } => {
  const contents = new Map<string, Buffer | undefined>();
  const names = new Map<string, readonly string[]>();
  return {
    files: {
      ...files,
      read: (path) => noted(contents, path, files.read(path)),
      list: (folder) => noted(names, folder, files.list(folder)),
    },
    reads: { contents, names },
  };
};

/** Whether these files have all that was read. */
export const isUnchanged = ({ contents, names }: Reads, files: Files): boolean =>
  [...names].every(([folder, before]) => files.list(folder).join('/') === before.join('/')) &&
  [...contents].every(([path, before]) => {
    const now = files.read(path);
    return now === before || (now !== undefined && before?.equals(now) === true);
  });

/** `make` yields what nobody changes, and reads nothing but these files. It is remembered where `rememberTexts` said so. */
export const rememberingFiles = <Of extends Files, Made>(
  make: (carrier: string, name: string, files: Of) => Made,
): typeof make => {
  const known = new Map<string, { readonly made: Made; readonly reads: Reads }>();
  return (carrier, name, files) => {
    if (!isRemembering()) return make(carrier, name, files);
    const key = `${carrier}/${name}`;
    const before = known.get(key);
    if (before !== undefined && isUnchanged(before.reads, files)) return before.made;
    const { files: noted, reads } = noteReads(files);
    const made = make(carrier, name, noted);
    keep(known, key, { made, reads });
    return made;
  };
};
