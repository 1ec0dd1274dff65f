/** Manifests: what is handed over to a carrier, closed out where the carrier does that, and as our own list. */
import { LABEL_CONTENT_TYPES } from '../../engine/labels/serve.ts';
import type { DocumentFormat } from '../../engine/codecs/label-document.ts';
import { localDay } from '../../engine/time-zone.ts';
import { type Issue, issueAt } from '../../engine/validate.ts';
import { standingOf } from '../records/acceptance.ts';
import { type Errand, findErrand, findErrandById, listErrands, standsOf } from '../records/errands.ts';
import { findFacility } from '../records/facilities.ts';
import { type Claim, holdClaim } from '../records/idempotency.ts';
import {
  documentsOf,
  findDocument,
  keepDocument,
  makeManifest,
  type ManifestDocument,
  type ManifestPackage,
  type ManifestRequest,
  type ManifestResult,
  manifestedPackages,
} from '../records/manifests.ts';
import { transaction } from '../records/pool.ts';
import { yieldTurn } from './admission.ts';
import { bearerOf, type ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { awaitDispatch, refusalOf } from './dispatch-reply.ts';
import { badGateway, type HttpAnswer, lasting, notFound, ok, stamped, unprocessable } from './http-answer.ts';
import { idempotently } from './idempotent.ts';
import { LabelPath } from './labels.ts';
import { listsOf, NUMBER } from './lists.ts';
import {
  ManifestEntry,
  manifestFilter,
  ManifestPath,
  ManifestReply,
  ManifestView,
  NewManifest,
} from './manifest-shapes.ts';
import { openAccountOf } from './order-intake.ts';
import { numberOf, viewOf } from './query-fields.ts';
import { type AddRoutes, content, routesOf } from './route.ts';

const AREA = { auth: 'shipper', tag: 'Manifests' } as const;
const KIND = 'manifest';

const unknown = (number: string) => notFound(`There is no manifest ${number}`, 'unknown_manifest');

export const addManifestRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool } = deps;
  route('POST /v2/manifests', {
    id: 'makeManifest',
    summary: 'Make the manifest of what a carrier gets at a facility',
    description:
      'Of all packages that the carrier has accepted there, that are due by the end of the day, were not picked up and ' +
      'are on no manifest yet. A carrier that closes out is told; where it does not answer in time, the manifest is ' +
      '`pending` and GET shows its end.',
    headers: ['Idempotency-Key'],
    body: NewManifest,
    reply: [ManifestReply, 'The manifest, or how it stands.'],
    errors: [409, 422],
    handle: async ({ shipper, body: { carrier, ...wanted }, request }) =>
      await idempotently(
        deps,
        request,
        async ({ claim, trace }) => await make(deps, shipper, { ...wanted, carrierCode: carrier.code, claim, trace }),
      ),
  });
  route('GET /v2/manifests/:number', {
    id: 'readManifest',
    summary: 'One manifest, with its packages',
    path: ManifestPath,
    reply: [ManifestView, 'The manifest.'],
    errors: [404],
    handle: async ({ shipper, path: { number } }) => {
      const found = await findErrand(pool, shipper, KIND, number);
      return found === undefined ? unknown(number) : ok(await viewed(deps, found));
    },
  });
  list('GET /v2/manifests', {
    id: 'listManifests',
    summary: 'The manifests there are, the newest first',
    filter: manifestFilter,
    entry: ManifestEntry,
    size: [50, 100],
    place: [({ id }: Listed) => [id], NUMBER],
    read: async ({
      shipper,
      query: { carrier: carrierCode, facilityCode, fromDate: dayFrom, toDate: dayTo },
      after,
      limit,
    }) => {
      const place = { beforeId: numberOf(after?.[0]), limit };
      const found = await listErrands(pool, shipper, KIND, { carrierCode, facilityCode, dayFrom, dayTo, ...place });
      const documents = await documentsOf(pool, idsOf(found));
      return found.map((errand) => ({ id: errand.id, ...summaryOf(deps, errand, documents) }));
    },
    show: (listed) => viewOf(ManifestEntry, listed),
  });
  routesOf(scope, deps, { auth: 'link', tag: 'Manifests' })('GET /v2/manifests/documents/:id', {
    id: 'readManifestDocument',
    summary: 'A document of a manifest, by the link that replies carry',
    description: 'Our own list is drawn as things stand: what was cancelled since is struck out, with the time.',
    path: LabelPath,
    reply: [content(Object.values(LABEL_CONTENT_TYPES), { type: 'string', format: 'binary' }), 'The document.'],
    errors: [404, 502],
    handle: async ({ request, reply, path: { id } }) => {
      const bearer = request.headers.authorization === undefined ? undefined : await bearerOf(deps, request, reply);
      const document = await findDocument(pool, id);
      const errand = document && (await findErrandById(pool, document.errandId));
      if (document === undefined || errand === undefined || !isFor(bearer, document))
        return notFound('There is no such document', 'unknown_document');
      return await served(deps, errand, document);
    },
  });
};

interface Listed extends ReturnType<typeof summaryOf> {
  readonly id: number;
}

const idsOf = (errands: readonly Errand[]): readonly number[] => errands.map(({ id }) => id);

/** The id is the key: whoever holds the link may read it. Who brings a token sees only what is theirs. */
const isFor = (
  bearer: Awaited<ReturnType<typeof bearerOf>> | undefined,
  { shipperId, environment }: ManifestDocument,
): boolean =>
  bearer === undefined ||
  (bearer.kind === 'shipper' && bearer.shipperId === shipperId && bearer.environment === environment);

interface Wanted {
  readonly carrierCode: string;
  readonly facilityCode: string;
  readonly day?: string;
  readonly claim: Claim | undefined;
  readonly trace: string | undefined;
}

const make = async (deps: ApiDeps, shipper: ShipperBearer, wanted: Wanted): Promise<HttpAnswer> => {
  const { carrierCode, facilityCode, claim, trace } = wanted;
  const account = await openAccountOf(deps, shipper, carrierCode);
  const carrier = deps.carriers.find(carrierCode);
  const facility = await findFacility(deps.pool, shipper, facilityCode);
  const timeZone = facility?.details.timezone ?? carrier?.time.zone ?? 'UTC';
  const today = localDay(deps.nowMs(), timeZone);
  const { day = today } = wanted;
  const issues: readonly Issue[] = [
    ...('issues' in account ? account.issues : []),
    ...(facility === undefined
      ? [
          issueAt(
            'facilityCode',
            'facility_known',
            `There is no facility ${facilityCode}: PUT /v2/facilities registers it`,
          ),
        ]
      : []),
    ...(day > today
      ? [issueAt('day', 'day_begun', `${day} has not begun at ${facilityCode}, where it is ${today}`)]
      : []),
  ];
  if (carrier === undefined || facility === undefined || issues.length > 0)
    return unprocessable('The manifest cannot be made', issues, {}, 'rules_broken');
  const { shipperId, environment } = shipper;
  const place = { shipperId, environment, facilityCode, facility: facility.details, day, timeZone, trace };
  const made = await transaction(deps.pool, async (client) => {
    await holdClaim(client, claim);
    return await makeManifest(client, carrier, place);
  });
  if (made === undefined) {
    const before = await listErrands(deps.pool, shipper, KIND, {
      carrierCode,
      facilityCode,
      dayFrom: day,
      dayTo: day,
      limit: 1,
    });
    const last = before.map(({ referenceNumber }) => `; the last manifest of the day is ${referenceNumber}`).join('');
    const message = `No package waits for ${carrierCode} at ${facilityCode} on ${day} that is on no manifest${last}`;
    return unprocessable(message, [message], {}, 'nothing_to_manifest');
  }
  const { number, dispatchId } = made;
  if (dispatchId !== undefined) {
    deps.handOn([dispatchId]);
    await awaitDispatch(deps, dispatchId, deps.nowMs() + deps.createWaitMs);
  }
  const errand = await findErrand(deps.pool, shipper, KIND, number);
  if (errand === undefined) throw new Error(`manifest ${number} is gone`);
  const problem = errand.dispatches.at(-1)?.failure?.problem;
  if (errand.acceptance === 'rejected')
    return lasting(
      unprocessable(`${carrier.name ?? carrierCode} rejected the manifest`, refusalOf(problem), {}, 'carrier_rejected'),
    );
  return lasting(stamped<ManifestReply>({ status: 'OK', data: [await viewed(deps, errand)] }));
};

const summaryOf = (deps: ApiDeps, errand: Errand, documents: Awaited<ReturnType<typeof documentsOf>>) => {
  const { referenceNumber: number, carrierCode, facilityCode = '', day, createdAtMs } = errand;
  const { manifest, timeZone: timezone } = errand.request as ManifestRequest;
  const { numbers = [], warnings = [] } = (errand.result ?? {}) as Partial<ManifestResult>;
  const { acceptance, reason, nextTryAt } = standingOf(standsOf(errand));
  const base = `${deps.publicUrl.replace(/\/+$/, '')}/v2/manifests/documents`;
  return {
    number,
    carrierCode,
    facilityCode,
    day,
    timezone,
    acceptance,
    ...(reason && { reason: { code: reason.code, message: reason.message } }),
    ...(nextTryAt !== undefined && { nextTryAt }),
    carrierNumbers: numbers,
    packageCount: manifest.shipments.reduce((sum, { packages }) => sum + packages.length, 0),
    warnings,
    documents: documents
      .filter(({ errandId }) => errandId === errand.id)
      .map(({ id, number: theirs, isCarriers }) => ({
        kind: isCarriers ? 'carrier' : 'list',
        ...(theirs !== undefined && { number: theirs }),
        url: `${base}/${id}`,
      })),
    createdAtMs,
  };
};

const viewed = async (deps: ApiDeps, errand: Errand) => {
  const packages = await manifestedPackages(deps.pool, errand);
  const { properties } = ManifestView;
  return viewOf(ManifestView, {
    ...summaryOf(deps, errand, await documentsOf(deps.pool, [errand.id])),
    packageCount: packages.length,
    struckOutCount: packages.filter(({ struckOutAtMs }) => struckOutAtMs !== undefined).length,
    packages: packages.map((one) => viewOf(properties.packages.items, one)),
  });
};

const served = async (deps: ApiDeps, errand: Errand, document: ManifestDocument): Promise<HttpAnswer> => {
  const { id, content: kept, format: keptFormat, sourceUrl } = document;
  if (kept !== undefined && keptFormat !== undefined) return bytesOf(kept, keptFormat, errand);
  if (sourceUrl === undefined) return bytesOf(await drawn(deps, errand), 'PDF', errand);
  const got = await yieldTurn(async () => await deps.download(errand, sourceUrl));
  if (got.kind !== 'stored') return badGateway(`The carrier gave no document: ${got.message}`, 'document_failed');
  await keepDocument(deps.pool, { id, format: got.format, content: got.bytes });
  return bytesOf(got.bytes, got.format, errand);
};

const bytesOf = (bytes: Buffer, format: DocumentFormat, { referenceNumber }: Errand): HttpAnswer =>
  ok(bytes, {
    'Content-Type': LABEL_CONTENT_TYPES[format],
    'Content-Disposition': `inline; filename="${referenceNumber}.${format.toLowerCase()}"`,
    // What a document could do if it were a page, it must not.
    'Content-Security-Policy': "default-src 'none'; sandbox",
  });

const drawn = async (deps: ApiDeps, errand: Errand): Promise<Buffer> => {
  const { manifest, timeZone } = errand.request as ManifestRequest;
  const { numbers: carrierNumbers = [] } = (errand.result ?? {}) as Partial<ManifestResult>;
  const packages = await manifestedPackages(deps.pool, errand);
  const { referenceNumber: number, carrierCode, day, facilityCode = '' } = errand;
  const carrier = deps.carriers.find(carrierCode)?.name ?? carrierCode;
  const { drawManifest } = await import('../../engine/labels/manifest.ts');
  const { address } = manifest.facility;
  const listed = packages.map((one) => ({ ...one, destination: destinationOf(one) }));
  const what = { number, carrier, day, facilityCode, address, timeZone, carrierNumbers, packages: listed };
  return await drawManifest(what, await deps.fonts(), deps.nowMs());
};

const destinationOf = ({ country = '', postalCode = '' }: ManifestPackage): string => `${country} ${postalCode}`.trim();
