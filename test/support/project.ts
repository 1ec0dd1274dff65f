/** Files of the project, by their paths in it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const PROJECT = path.resolve(import.meta.dirname, '../..');
export const read = (name: string): string => readFileSync(path.join(PROJECT, name), 'utf8');
