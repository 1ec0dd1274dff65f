import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { replaceFile } from '../workbench/write-files.ts';
import { type AddCommand, GOOD, type Terminal, writeJson } from './command.ts';

interface Options {
  readonly write?: string;
}

export const addSchemas: AddCommand = (program, terminal, ran) => {
  program
    .command('schemas')
    .summary('write the JSON Schemas for editors')
    .description('Prints the JSON Schemas (2020-12) of profiles and cases as one JSON object, or writes them as files.')
    .option('--write <folder>', 'write carrier.schema.json and case.schema.json there')
    .option('--json', 'as it is anyway')
    .action(async ({ write }: Options) => {
      if (write !== undefined) terminal.endOnInterrupt();
      const schemas = await readSchemas();
      if (write === undefined) writeJson(terminal, schemas);
      else writeSchemas(schemas, write, terminal);
      ran(GOOD);
    });
};

type Schemas = Readonly<Record<string, unknown>>;

const readSchemas = async (): Promise<Schemas> => {
  const { carrierJsonSchema } = await import('../engine/profile/language/json-schema.ts');
  const { caseJsonSchema } = await import('../workbench/cases/schema.ts');
  return { carrier: carrierJsonSchema(), case: caseJsonSchema() };
};

const writeSchemas = (schemas: Schemas, folder: string, terminal: Terminal): void => {
  const into = resolve(terminal.cwd, folder);
  mkdirSync(into, { recursive: true });
  for (const [name, schema] of Object.entries(schemas)) {
    const file = join(into, `${name}.schema.json`);
    replaceFile(file, `${JSON.stringify(schema, undefined, 2)}\n`);
    terminal.out(`${join(folder, `${name}.schema.json`)}\n`);
  }
};
