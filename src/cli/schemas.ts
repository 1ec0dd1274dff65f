import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { carrierJsonSchema, labelJsonSchema, sharedJsonSchemas } from '../engine/profile/language/shape.ts';
import { caseJsonSchema } from '../workbench/cases/schema.ts';
import { replaceFile } from '../workbench/write-files.ts';
import { type DeclareCommand, EXIT, writeJson } from './command.ts';

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Prints the JSON Schemas (2020-12) of profiles, cases, templates of labels, policies, tariffs and transit times as one JSON object, or writes them as files.',
    )
    .option('--write <folder>', 'write each as <name>.schema.json to this folder')
    .option('--json', 'the default');
  act(command, async ({ write: folder }: { readonly write?: string }) => {
    const schemas = {
      carrier: carrierJsonSchema(),
      case: caseJsonSchema(),
      label: labelJsonSchema(),
      ...sharedJsonSchemas(),
    };
    if (folder === undefined) writeJson(terminal, schemas);
    else {
      terminal.endOnInterrupt();
      mkdirSync(resolve(terminal.cwd, folder), { recursive: true });
      for (const [name, schema] of Object.entries(schemas)) {
        const file = join(folder, `${name}.schema.json`);
        replaceFile(resolve(terminal.cwd, file), `${JSON.stringify(schema, undefined, 2)}\n`);
        terminal.out(`${file}\n`);
      }
    }
    return await Promise.resolve(EXIT.good);
  });
};
