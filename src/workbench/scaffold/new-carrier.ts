/** Creates all files of a new carrier in memory and loads them there: nothing is written that does not load. */
import { writeYaml } from '../cases/correct-yaml.ts';
import { Failure } from '../../engine/failure.ts';
import type { HomeFiles } from '../../engine/profile/home-files.ts';
import { memoryFiles } from '../../engine/profile/home-files.ts';
import { formatFinding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier } from '../../engine/profile/load.ts';
import type { Described } from './describe.ts';
import { EXAMPLE_CONSIGNMENT, writeCreateCase, writeStatusesCase } from './write-case.ts';
import { writeMapping } from './suggest.ts';
import { MAPPING, writeProfile } from './write-profile.ts';

const CONSIGNMENT = 'example';

/** `shipped`: the bases of the engine. Throws a `Failure` when what came of the description does not load. */
export const newCarrier = async (described: Described, shipped: HomeFiles) => {
  const { code, create } = described;
  if (create.request === undefined)
    throw new Failure('the create sends no body that could be mapped', { code: 'no_request' });
  const sources = {
    [`carriers/${code}.yaml`]: writeProfile(described),
    [`mappings/${code}/${MAPPING}`]: writeMapping(create.request),
  };
  const loaded = loadCarrier(code, { home: memoryFiles(sources), shipped });
  const carrier = draftOf(loaded);
  if (carrier === undefined) {
    const errors = loaded.findings.filter(({ severity }) => severity === 'error').slice(0, 3);
    throw new Failure(`what was made of it does not load: ${errors.map(formatFinding).join('; ')}`, {
      code: 'scaffold_broken',
      help: 'try it with --format and --url alone',
    });
  }
  const statuses = writeStatusesCase(carrier);
  /** Path below the home → text. */
  const files: Readonly<Record<string, string>> = {
    ...sources,
    [`fixtures/_consignments/${CONSIGNMENT}.yaml`]: `# Everybody in these files is invented.\n${writeYaml(EXAMPLE_CONSIGNMENT, false)}\n`,
    [`fixtures/${code}/create.yaml`]: await writeCreateCase(carrier, described, CONSIGNMENT),
    ...(statuses === undefined ? {} : { [`fixtures/${code}/statuses.yaml`]: statuses }),
  };
  // What is still to be confirmed.
  return { files, findings: loaded.findings };
};
