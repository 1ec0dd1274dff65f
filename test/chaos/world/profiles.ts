/** Twenty carriers that speak our contract and differ in what they promise of a repeated request. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What a carrier makes of a request that comes twice. `slow`: as `reference`, and takes its time. */
const KINDS = ['reference', 'none', 'lookup', 'slow'] as const;
export type Kind = (typeof KINDS)[number];

export interface MockCarrier {
  readonly code: string;
  readonly kind: Kind;
}

export const CARRIERS: readonly MockCarrier[] = Array.from({ length: 20 }, (_, index) => ({
  code: `c${String(index + 1).padStart(2, '0')}`,
  kind: KINDS[index === 19 ? 3 : index % 3] ?? 'reference',
}));

const OPERATIONS: Readonly<Record<Kind, string>> = {
  reference: '',
  slow: '',
  none: `operations:
  create: { idempotency: none }
  update: { idempotency: none }
  cancel: { idempotency: none }
`,
  // With a secret in the URL, which is written down with the rest of an exchange.
  lookup: `operations:
  create: { idempotency: none, query: { key: '\${credentials.token}' } }
  lookup:
    get: '\${environment.url}'
    query: { reference: '\${consignment.referenceId}' }
    outcomes: [ { status: 404, do: succeed } ]
    result: |
      response.body.itemsTrackDetails ? { "itemsTrackDetails": response.body.itemsTrackDetails.{
        "itemReferenceNumber": itemReferenceNumber, "trackingNumber": trackingNumber } }
`,
};

const profileOf = ({ code, kind }: MockCarrier, carriersUrl: string, timeoutS: number): string => `carrier: ${code}
name: Chaos carrier ${code} (${kind})
extends: contract
environments:
  production: { url: '${carriersUrl}/${code}' }
credentials:
  token: { secret: true }
auth: { bearer: { token: '\${credentials.token}' } }
limits: { timeout: ${timeoutS}s, concurrency: 32, breaker: { failures: 100, pause: 1s } }
retry: { attempts: 20, wait: 500ms, max: 5s }
${OPERATIONS[kind]}`;

/** Writes the carriers of a WAYBILL_HOME, living under this URL. */
export const writeProfiles = async (home: string, carriersUrl: string, timeoutS: number): Promise<void> => {
  await mkdir(path.join(home, 'carriers'), { recursive: true });
  for (const carrier of CARRIERS) {
    await writeFile(path.join(home, 'carriers', `${carrier.code}.yaml`), profileOf(carrier, carriersUrl, timeoutS));
  }
};
