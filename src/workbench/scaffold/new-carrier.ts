/** Creates all files of a new carrier in memory and loads them there: nothing is written that does not load. */
import { Failure } from '../../engine/failure.ts';
import { formatFinding } from '../../engine/profile/finding.ts';
import { type HomeFiles, memoryFiles } from '../../engine/profile/home-files.ts';
import { draftOf, loadCarrier } from '../../engine/profile/load.ts';
import { memoryCaseFiles } from '../cases/read.ts';
import { runCaseNamed } from '../cases/run.ts';
import { writeYaml } from '../cases/correct-yaml.ts';
import type { Described } from './describe.ts';
import { match } from './match.ts';
import { matchLater, rememberedIn } from './remembered.ts';
import { EXAMPLE_CONSIGNMENT, writeCreateCase, writeStatusesCase } from './write-case.ts';
import { writeMapping } from './write-mapping.ts';
import { HEADER, LATER, MAPPING, writeProfile } from './write-profile.ts';
import { writeSchema } from './write-schema.ts';

/** `shipped`: the bases of the engine. Throws a `Failure` when what came of the description does not load. */
export const newCarrier = async (described: Described, shipped: HomeFiles) => {
  const { code, create } = described;
  const { request } = create;
  if (request === undefined) throw new Failure('the create sends no body that could be mapped', { code: 'no_request' });
  const matched = match(request.shape, request.format, EXAMPLE_CONSIGNMENT);
  const header = request.soap?.header;
  const memo = rememberedIn(described);
  const later = (['cancel', 'track', 'label'] as const).flatMap((role) => {
    const body = described[role]?.request;
    const number = `$${role === 'track' ? 'item' : 'shipment'}.trackingNumber`;
    if (body === undefined) return [];
    const matchedLater = matchLater(described, body, memo, number);
    return [[`mappings/${code}/${LATER[role]}`, writeMapping(body.shape, body.format, matchedLater, false)] as const];
  });
  const sources = {
    [`carriers/${code}.yaml`]: writeProfile(described, matched, memo),
    [`mappings/${code}/${MAPPING}`]: writeMapping(request.shape, request.format, matched),
    ...Object.fromEntries(later),
    ...(header === undefined
      ? {}
      : { [`mappings/${code}/${HEADER}`]: writeMapping(header, 'soap', { find: () => undefined }) }),
  };
  const loaded = loadCarrier(code, { home: memoryFiles(sources), shipped });
  const carrier = draftOf(loaded);
  if (carrier === undefined) {
    const errors = loaded.findings
      .filter(({ severity, rule }) => severity === 'error' && rule !== 'unconfirmed')
      .slice(0, 3);
    throw new Failure(
      `what was made of it does not load: ${described.secrets.text(errors.map(formatFinding).join('; '))}`,
      {
        code: 'scaffold_broken',
        help: 'try it with --format and --url alone',
      },
    );
  }
  const cases = await writeCreateCase(carrier, described, matched, code);
  const statuses = writeStatusesCase(carrier);
  const invented = `# As the samples have it; replace what is real by invented people.\n${writeYaml(matched.consignment, false)}\n`;
  /** Path below the home → content. */
  const files: Record<string, string | Buffer> = {
    ...sources,
    [`fixtures/_consignments/${code}.yaml`]: invented,
    ...Object.fromEntries(Object.entries(cases).map(([name, content]) => [`fixtures/${code}/${name}`, content])),
    ...(statuses === undefined ? {} : { [`fixtures/${code}/statuses.yaml`]: statuses }),
  };
  const ignored = [...described.ignored];
  for (const step of ['create', 'cancel', 'track', 'label'] as const) {
    const { told, request: body } = described[step] ?? {};
    if (told === undefined || body === undefined) continue;
    const schema = writeSchema(told, body);
    if (schema === undefined)
      ignored.push(`what the document says of the body of ${step}, as the sample of it is another`);
    else files[`schemas/${code}/${step}.request.json`] = schema;
  }
  const { report } = await runCaseNamed(carrier, 'create.yaml', memoryCaseFiles(files));
  // What no sample shows is expected as it is sent.
  if (!request.isShown)
    for (const correction of report.problems.flatMap(({ corrections }) => corrections))
      if ('file' in correction) files[`fixtures/${code}/${correction.file}`] = correction.bytes;
  const refuted = request.isShown
    ? report.problems.map(({ message, differences: [first] }) =>
        described.secrets.text(first === undefined ? message : `${message}, first at ${first.path}`),
      )
    : [];
  refuseSecrets(described, files);
  return {
    files,
    ignored,
    /** What is still to be confirmed. */
    findings: loaded.findings,
    /** In what the case of the create refutes what was made of its sample. */
    refuted,
  };
};

/** What was lifted stands in nothing that is written or told: else nothing is. */
const refuseSecrets = ({ secrets, ignored }: Described, files: Readonly<Record<string, string | Buffer>>): void => {
  const told = [...Object.entries(files), ['what would be printed', ignored.join('\n')] as const];
  for (const [place, content] of told) {
    const [name] = secrets.namesIn(content.toString());
    if (name !== undefined)
      throw new Failure(`the value of "${name}" would also stand in ${place}: nothing was written`, {
        code: 'secret_in_scaffold',
        help: `in the samples (and flags), put a made-up value that stands nowhere else in the place of "${name}"`,
      });
  }
};
