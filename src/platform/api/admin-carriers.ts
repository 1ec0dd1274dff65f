/** For operators: carriers as they are loaded, one of them in full, and the versions of its profile. */
import { Type } from 'typebox';
import type { AccountField, Auth, Carrier, Operation, Step } from '../../engine/profile/carrier.ts';
import { type Finding, formatFinding } from '../../engine/profile/finding.ts';
import type { ProfileBundle } from '../../engine/profile/load.ts';
import { recordAudit } from '../records/audit.ts';
import { findProfileVersion, listProfileVersions } from '../records/profiles.ts';
import { CarrierWhole } from './console-shapes.ts';
import { invalid, notFound, ok } from './http-answer.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, json, named, routesOf } from './route.ts';

const VERSIONS_MAX = 100;

const anything = () => Type.Record(Type.String(), Type.Unknown());
const CarriersReply = Type.Object({
  carriers: Type.Array(anything()),
  findings: Type.Array(anything(), { description: 'What keeps carriers from loading, or is doubtful.' }),
});
const Version = Type.Object({ hash: Type.String(), keptAt: f.instant(), current: Type.Boolean() });
const Files = Type.Record(Type.String(), Type.String(), { description: 'Texts by their paths.' });
const Path = Type.Object({ carrierCode: f.carrierCode() });
const VersionPath = Type.Object({
  ...Path.properties,
  hash: Type.String({ pattern: '^\\w{1,100}$', 'x-must': 'be the hash of a version' }),
});

export const addAdminCarrierRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const);
  const { pool, carriers } = deps;
  const loaded = (isShown: (carrier: Carrier) => boolean = () => true) =>
    ok({
      carriers: carriers.list().filter(isShown).map(carrierView),
      findings: carriers.findings().map((finding) => ({ ...finding, text: formatFinding(finding) })),
    });
  route('GET /admin/carriers', {
    id: 'listCarriers',
    role: 'read',
    summary: 'The carriers that are loaded, and what is wrong with those that are not',
    reply: [CarriersReply, 'As loaded now.'],
    handle: () => loaded(),
  });
  route('POST /admin/reload', {
    id: 'reloadCarriers',
    role: 'operate',
    summary: 'Read all profiles anew; a carrier that no longer loads stays as it was',
    query: Type.Object({
      only: Type.Optional(
        Type.Enum(['changed'], { description: 'Of the carriers only those that are new or changed.' }),
      ),
    }),
    reply: [CarriersReply, 'As loaded now.'],
    answers: { 422: json(named('ErrorReply'), 'Profiles have errors, which are named; the others are loaded.') },
    handle: async ({ actor, query: { only } }) => {
      const before = new Map(carriers.list().map(({ code, hash }) => [code, hash]));
      await carriers.reload();
      const errors = carriers.findings().filter(({ severity }) => severity === 'error');
      const detail = JSON.stringify({ carriers: carriers.list().length, errors: errors.length });
      await recordAudit(pool, { actor, action: 'reload', subject: 'carriers', detail });
      if (errors.length === 0) return loaded(({ code, hash }) => only === undefined || before.get(code) !== hash);
      return invalid(
        'Carriers with errors were not loaded: what was loaded of them before stays',
        errors.map(formatFinding),
        'profiles_invalid',
      );
    },
  });
  route('GET /admin/carriers/:carrierCode', {
    id: 'readCarrier',
    role: 'read',
    summary: 'One carrier: its operations with their calls, its status table, and what lint says of its profile',
    path: Path,
    reply: [CarrierWhole, 'As loaded now.'],
    errors: [404],
    handle: ({ path: { carrierCode } }) => {
      const carrier = carriers.find(carrierCode);
      return carrier === undefined ? unknown(carrierCode) : ok(wholeView(carrier, carriers.findings()));
    },
  });
  route('GET /admin/carriers/:carrierCode/versions', {
    id: 'listCarrierVersions',
    role: 'read',
    summary: 'Versions of a carrier’s profile, the newest first',
    path: Path,
    reply: [Type.Object({ data: Type.Array(Version) }), `The newest ${VERSIONS_MAX}.`],
    handle: async ({ path: { carrierCode } }) => {
      const current = carriers.find(carrierCode)?.hash;
      const versions = await listProfileVersions(pool, carrierCode, VERSIONS_MAX);
      return ok({ data: versions.map((one) => f.viewOf(Version, { ...one, current: one.hash === current })) });
    },
  });
  route('GET /admin/carriers/:carrierCode/versions/:hash', {
    id: 'readCarrierVersion',
    role: 'read',
    summary: 'The files of one version of a carrier’s profile',
    path: VersionPath,
    reply: [Type.Object({ hash: Type.String(), files: Files }), 'As they were loaded.'],
    errors: [404],
    handle: async ({ path: { carrierCode, hash } }) => {
      const text = await findProfileVersion(pool, hash);
      const bundle = text === undefined ? undefined : (JSON.parse(text) as ProfileBundle);
      return bundle?.code === carrierCode
        ? ok({ hash, files: bundle.files })
        : notFound(`There is no version ${hash} of ${carrierCode}`, 'unknown_carrier');
    },
  });
};

const unknown = (code: string) => notFound(`There is no carrier ${code}`, 'unknown_carrier');

const carrierView = (carrier: Carrier) => ({
  code: carrier.code,
  name: carrier.name,
  hash: carrier.hash,
  capabilities: carrier.capabilities,
  services: carrier.services === undefined ? undefined : [...carrier.services.values()],
  environments: Object.keys(carrier.environments),
  operations: Object.keys(carrier.operations),
  credentials: fieldsView(carrier.credentials),
  settings: fieldsView(carrier.settings),
  labelFormats: carrier.labels.formats,
  statuses: {
    rows: carrier.statuses.table.length,
    webhook: carrier.statuses.webhook !== undefined,
    poll: carrier.statuses.poll !== undefined,
  },
});

/** Its profile, and what that alone is made of. */
const isOf = ({ code, place, tariffs, transit }: Carrier, file: string): boolean =>
  file.startsWith(`mappings/${code}/`) ||
  [place, transit?.place, ...tariffs.map((one) => one.place)].some((one) => one?.file === file);

const wholeView = (carrier: Carrier, findings: readonly Finding[]) => ({
  ...carrierView(carrier),
  place: placeText(carrier),
  services: [...(carrier.services?.values() ?? [])],
  environments: Object.entries(carrier.environments).map(([name, { url }]) => ({ name, url: url.text })),
  limits: carrier.limits,
  operations: Object.values(carrier.operations).flatMap((one) =>
    one.variants.length === 0
      ? [operationView(one)]
      : one.variants.map(({ when, operation }) => operationView(operation, when?.text ?? 'otherwise')),
  ),
  statuses: {
    rows: carrier.statuses.table.map(({ key, status, reason, ofReturns, place }) => ({
      key,
      status,
      reason,
      ofReturns,
      place: placeText({ place }),
    })),
    webhook: carrier.statuses.webhook !== undefined,
    poll: carrier.statuses.poll !== undefined,
  },
  requires: carrier.requires.map(({ fields, when }) => ({ fields, when: when?.text })),
  findings: findings.filter(({ place }) => isOf(carrier, place.file)).map(formatFinding),
});

const operationView = ({ name, place, steps, idempotency }: Operation, when?: string) => ({
  name,
  when,
  place: placeText({ place }),
  idempotent: idempotency !== undefined,
  steps: steps.map(stepView),
});

const stepView = (step: Step) => ({
  id: step.id,
  method: step.method,
  url: step.url.text,
  place: placeText(step),
  response: step.response,
  when: step.when?.text,
  forEach: step.forEach?.text,
  body: step.body?.codec,
  lookup: step.lookup?.name,
  auth: step.auth.map(({ kind, name }: Auth) => (/^\W/.test(name) || name === kind ? kind : `${name} (${kind})`)),
  outcomes: step.outcomes.map(({ do: word, status, when }) => ({
    do: word,
    status: status?.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', '),
    when: when?.text,
  })),
  undo: step.undo.map(({ method, url }) => `${method} ${url.text}`),
});

const placeText = ({ place: { file, line } }: Pick<Carrier, 'place'>): string => `${file}:${line}`;

/** What an account must supply; an example or default of a secret stays out. */
const fieldsView = (fields: Readonly<Record<string, AccountField>>) =>
  Object.entries(fields).map(([name, field]) => ({
    name,
    type: field.type,
    secret: field.secret,
    optional: field.optional,
    title: field.title,
    oneOf: field.oneOf,
    pattern: field.pattern?.source,
    default: field.secret ? undefined : field.default,
    example: field.secret ? undefined : field.example,
    fromRegister: field.fromRegister,
  }));
