/** Manifests: what is handed over to a carrier at a facility on a day. A package is on one, for as long as that counts. */
import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { packagesOf, placeOf } from '../../engine/ask/handed-over.ts';
import type { AskedResult } from '../../engine/ask/operations.ts';
import type { Manifest } from '../../engine/ask/shapes.ts';
import { type DocumentFormat, labelBytes } from '../../engine/codecs/label-document.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { FacilityDetails } from '../../engine/consignment/facility.ts';
import { startOfDay } from '../../engine/consignment/rules.ts';
import { findService } from '../../engine/consignment/service.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { isDispatched, NORMALISED_STATUSES } from '../../engine/statuses/status.ts';
import { addErrand, type Errand, type ErrandKind } from './errands.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, queryAll, type Queryable, queryFirst, queryOne, rowsOf, sql, type Sql } from './sql.ts';

/** Of a manifest: what its errand's `request` and `result` hold. */
export interface ManifestRequest {
  readonly manifest: Manifest;
  readonly timeZone: string;
}
export interface ManifestResult {
  /** The carrier's. */
  readonly numbers: readonly string[];
  readonly warnings: readonly string[];
}

export interface WantedManifest extends Owner {
  readonly facilityCode: string;
  readonly facility: FacilityDetails;
  /** `YYYY-MM-DD`, local to the facility. */
  readonly day: string;
  readonly timeZone: string;
  readonly planId?: number | undefined;
  readonly trace?: string | undefined;
}

/** Consignments of one manifest at most; the rest is the next one's. */
const MOST = 2_000;
const DAY_MS = 86_400_000;
/** What was to be handed over longer ago was, whatever the carrier has said of it. */
const RECENT_DAYS = 7;
/** Older ones are not even looked at. */
const LOOKED_AT_DAYS = 30;
const AWAITING = NORMALISED_STATUSES.filter((status) => !isDispatched(status) && status !== 'Cancelled');

interface Row {
  readonly id: number;
  readonly accountId: number | undefined;
  readonly referenceNumber: string;
  readonly masterTrackingNumber: string | undefined;
  readonly ordered: Parameters<typeof findService>[1];
  readonly canonical: Consignment;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly packages: readonly {
    readonly position: number;
    readonly trackingNumber: string;
    readonly memo: Readonly<Record<string, unknown>>;
  }[];
}

/** Accepted, not picked up, due by the end of the day, and on no manifest that counts. */
const findAwaiting = async (
  client: PoolClient,
  { code: carrierCode }: Carrier,
  { facilityCode, day, timeZone, shipperId, environment }: WantedManifest,
): Promise<readonly Row[]> => {
  const beginsMs = startOfDay(day, timeZone);
  const recent = new Date(beginsMs - RECENT_DAYS * DAY_MS);
  const ends = new Date(startOfDay(dayAfter(day), timeZone));
  return await queryAll<Row>(client)`
    select c.id, c.account_id, c.reference_number, c.master_tracking_number, c.memo::json as memo,
      c.canonical::json as canonical, json_build_object('consignmentDetails', json_build_object('serviceType',
        c.order_text::json #>> '{consignmentDetails,serviceType}'), 'routeDetails', c.order_text::json -> 'routeDetails') as ordered,
      p.packages
    from consignments c cross join lateral (
      select json_agg(json_build_object('position', p.position, 'trackingNumber', p.tracking_number, 'memo', p.memo::json) order by p.position) as packages
      from packages p where p.consignment_id = c.id and p.tracking_number is not null and p.status = any (${AWAITING})
        and not exists (select from manifest_packages m where m.consignment_id = c.id and m.position = p.position
          and m.tracking_number = p.tracking_number and not m.is_free)) p
    where ${ownedBy({ shipperId, environment })} and c.status = any (${AWAITING}) and c.acceptance = 'accepted' and c.carrier_code = ${carrierCode}
      and c.created_at >= ${new Date(beginsMs - LOOKED_AT_DAYS * DAY_MS)}
      and p.packages is not null and c.canonical::json ->> 'originCode' = ${facilityCode}
      and coalesce(left(c.canonical::json ->> 'originPreferredStartTime', 10), '') <= ${day}
      and (c.created_at >= ${recent} or left(c.canonical::json ->> 'shippingDateTime', 10) >= ${recent.toISOString().slice(0, 10)})
      and (select min(finished_at) from dispatches d where d.consignment_id = c.id and d.operation = 'create'
        and d.state in ('done', 'held')) < ${ends}
      -- What is being changed or cancelled is the next one's, or nobody's.
      and not exists (select from dispatches d where d.consignment_id = c.id
        and (d.state in ('pending', 'sending', 'waiting') or d.state = 'held' and d.operation = 'cancel'))
    order by c.id limit ${MOST}`;
};

const shipmentOf = (carrier: Carrier, row: Row): Manifest['shipments'][number] => {
  const { referenceNumber, masterTrackingNumber, ordered, canonical, memo, packages } = row;
  const service = findService(carrier, ordered);
  const measured = packagesOf(canonical, []);
  return {
    referenceId: referenceNumber,
    trackingNumber: masterTrackingNumber ?? packages[0]?.trackingNumber ?? '',
    ...(service !== undefined && { service: service.code ?? service.name }),
    memo,
    packages: packages.map(({ position, trackingNumber, memo: own }) => ({
      ...(measured[position] ?? { weightKg: 0 }),
      trackingNumber,
      memo: own,
    })),
  };
};

const dayAfter = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

/**
 * Makes one of all that awaits the carrier there, in a transaction; a carrier that closes out is to be asked by the
 * dispatch. Undefined: nothing awaits it. Whoever makes one at the same time waits, and gets what is left.
 */
export const makeManifest = async (
  client: PoolClient,
  carrier: Carrier,
  wanted: WantedManifest,
): Promise<{ readonly number: string; readonly dispatchId: number | undefined } | undefined> => {
  const { shipperId, environment, facilityCode, facility, day, timeZone, planId, trace } = wanted;
  const lock = JSON.stringify(['manifest', shipperId, environment, carrier.code, facilityCode]);
  await execute(client)`select pg_advisory_xact_lock(hashtextextended(${lock}, 22))`;
  const found = await findAwaiting(client, carrier, wanted);
  const [first] = found;
  if (first === undefined) return undefined;
  const { number } = await queryOne<{ number: string }>(client)`
    select 'M' || lpad(nextval('manifest_numbers')::text, 8, '0') as number`;
  const shipments = found.map((row) => shipmentOf(carrier, row));
  const place = { code: facilityCode, address: placeOf(facility) };
  const manifest: Manifest = { reference: number, day, facility: place, shipments };
  const request: ManifestRequest = { manifest, timeZone };
  const { accountId } = first;
  const errand = { kind: 'manifest', shipperId, environment, referenceNumber: number, carrierCode: carrier.code };
  const done: ManifestResult = { numbers: [], warnings: [] };
  const added = await addErrand(
    client,
    { ...errand, accountId, facilityCode, day, request, planId },
    carrier.operations.manifest === undefined
      ? { done }
      : { operation: 'manifest', profileHash: carrier.hash, inputs: { manifest }, trace },
  );
  if (added === undefined) return undefined;
  const packages = found.flatMap(({ id, packages: own }, at) =>
    own.map((one, index) => ({
      consignmentId: id,
      position: one.position,
      reference: shipments[at]?.packages[index]?.itemReferenceNumber,
      trackingNumber: one.trackingNumber,
      service: shipments[at]?.service,
      weightKg: shipments[at]?.packages[index]?.weightKg,
    })),
  );
  await execute(client)`
    insert into manifest_packages (errand_id, consignment_id, position, reference, tracking_number, service, weight_kg)
    select ${added.id}, consignment_id, position, reference, tracking_number, service, weight_kg
    from ${rowsOf(
      'package',
      packages,
      `consignment_id bigint, position int, reference text, tracking_number text, service text,
       weight_kg double precision`,
    )}`;
  await addDocuments(client, added.id, [{}]);
  return { number, dispatchId: added.dispatchId };
};

interface NewDocument {
  readonly number?: string | undefined;
  readonly format?: DocumentFormat | undefined;
  readonly content?: Buffer | undefined;
  readonly sourceUrl?: string | undefined;
}

/** 32 characters. */
const ID_BYTES = 24;

const addDocuments = async (client: PoolClient, errandId: number, documents: readonly NewDocument[]): Promise<void> => {
  if (documents.length === 0) return;
  await execute(client)`
    insert into manifest_documents (id, errand_id, number, format, content, source_url)
    select id, ${errandId}, number, format, content, source_url
    from ${rowsOf('document', documents, 'id text, number text, format text, content bytea, source_url text', {
      id: () => randomBytes(ID_BYTES).toString('base64url'),
    })}`;
};

type Closed = NonNullable<AskedResult<'manifest'>>;

const isOn = (errandId: number): Sql => sql`errand_id = ${errandId}`;

export const MANIFEST: ErrandKind = {
  begins: 'manifest',
  ended: async (client, { id }, { state, result, problem }) => {
    // What an operator has seen not to be done, another manifest may do.
    const isOver = state === 'rejected' || (state === 'held' && problem?.code === 'resolved_by_operator');
    if (isOver) {
      await execute(client)`update manifest_packages set is_free = true where ${isOn(id)}`;
      return { acceptance: 'rejected' };
    }
    if (state === 'held') return undefined;
    const closed = result as Closed;
    const warnings: string[] = [];
    const documents = closed.flatMap(({ number, document }): readonly NewDocument[] => {
      if (document === undefined) return [];
      const { content, url, format } = document;
      if (url !== undefined) return [{ number, format, sourceUrl: url }];
      const read = labelBytes(content);
      if (read.ok) return [{ number, format: read.format, content: read.bytes }];
      warnings.push(`the carrier’s document ${number ?? ''} cannot be read: ${read.reason.message}`);
      return [];
    });
    await addDocuments(client, id, documents);
    const left = await freeWhatIsLeft(client, id, closed);
    if (left.length > 0) warnings.push(`the carrier has left out ${left.join(', ')}: they may be on another manifest`);
    const numbers = closed.flatMap(({ number }) => number ?? []);
    return { acceptance: 'accepted', result: { numbers, warnings } satisfies ManifestResult };
  },
  resultOf: (_errand, _operation, number) => ({ result: [number === undefined ? {} : { number }] satisfies Closed }),
};

/** Where the carrier says what is on it: the tracking numbers of what is not. */
const freeWhatIsLeft = async (client: PoolClient, errandId: number, closed: Closed): Promise<readonly string[]> => {
  const named = closed.map(({ trackingNumbers }) => trackingNumbers);
  if (closed.length === 0 || named.includes(undefined)) return [];
  const freed = await queryAll<{ trackingNumber: string }>(client)`
    update manifest_packages m set is_free = true from consignments c
    where ${isOn(errandId)} and c.id = m.consignment_id and m.tracking_number <> all (${named.flat()}::text[])
      and (c.master_tracking_number is null or c.master_tracking_number <> all (${named.flat()}::text[]))
    returning m.tracking_number`;
  return freed.map(({ trackingNumber }) => trackingNumber);
};

export interface ManifestPackage {
  readonly referenceNumber: string;
  readonly packageId: string;
  readonly trackingNumber: string;
  readonly service: string | undefined;
  readonly weightKg: number;
  readonly country: string | undefined;
  readonly postalCode: string | undefined;
  /** Since when it is not handed over any more: cancelled, or made anew under another number. */
  readonly struckOutAtMs: number | undefined;
}

/** Of one that counts: without what the carrier has left out. */
export const manifestedPackages = async (
  client: Queryable,
  { id, acceptance }: Errand,
): Promise<readonly ManifestPackage[]> =>
  await queryAll<ManifestPackage>(client)`
    select c.reference_number, m.reference as package_id, m.tracking_number, m.service, m.weight_kg,
      c.canonical::json ->> 'destinationCountry' as country, c.canonical::json ->> 'destinationPostalCode' as postal_code,
      case when c.acceptance = 'cancelled' then coalesce(c.cancelled_at, c.updated_at)
        when p.tracking_number is distinct from m.tracking_number then coalesce(
          (select min(d.finished_at) from dispatches d where d.consignment_id = c.id and d.operation in ('update', 'cancel')
            and d.finished_at >= e.created_at), c.updated_at)
        when p.status = 'Cancelled' then p.status_at end as struck_out_at_ms
    from manifest_packages m join errands e on e.id = m.errand_id join consignments c on c.id = m.consignment_id
      left join packages p on p.consignment_id = m.consignment_id and p.position = m.position
    where ${isOn(id)} and (not m.is_free or ${acceptance} = 'rejected') order by c.id, m.position`;

export interface ManifestDocument extends Owner {
  readonly id: string;
  readonly errandId: number;
  readonly number: string | undefined;
  readonly format: DocumentFormat | undefined;
  readonly content: Buffer | undefined;
  readonly sourceUrl: string | undefined;
}

interface DocumentEntry extends Pick<ManifestDocument, 'id' | 'errandId' | 'number'> {
  readonly isCarriers: boolean;
}

/** Of each of these: our own list, then the carrier's. */
export const documentsOf = async (client: Queryable, errandIds: readonly number[]): Promise<readonly DocumentEntry[]> =>
  await queryAll<DocumentEntry>(client)`
    select id, errand_id, number, (content is not null or source_url is not null) as is_carriers from manifest_documents
    where errand_id = any (${errandIds}::bigint[]) order by errand_id, 4, number, id`;

export const findDocument = async (client: Queryable, id: string): Promise<ManifestDocument | undefined> =>
  await queryFirst<ManifestDocument>(client)`
    select d.id, errand_id, number, format, content, source_url, shipper_id, environment
    from manifest_documents d join errands e on e.id = d.errand_id where d.id = ${id}`;

/** It was downloaded. */
export const keepDocument = async (
  client: Queryable,
  { id, format, content }: Pick<ManifestDocument, 'id' | 'format' | 'content'>,
): Promise<void> => {
  await execute(client)`
    update manifest_documents set format = ${format}, content = ${content} where id = ${id} and content is null`;
};
