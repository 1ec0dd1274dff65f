/** Twenty carriers that speak our contract and differ in what they promise of a repeated request. */

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

/** A profile of a carrier of the contract, with what else it says. */
export const contractProfile = (code: string, url: string, more = ''): string => `carrier: ${code}
name: Example
extends: contract
environments: { production: { url: ${JSON.stringify(url)} } }
${more}`;

/** What it says if it is shown a token. */
export const WITH_TOKEN = `credentials: { token: { secret: true } }
auth: { bearer: { token: '\${credentials.token}' } }
`;

/** What it is shown where nothing depends on it. */
export const CREDENTIALS = { token: 'carrier-secret-token' };

/** Of the carriers, which live under this URL. */
export const profilesAt = (carriersUrl: string, timeoutS: number): Record<string, string> =>
  Object.fromEntries(
    CARRIERS.map(({ code, kind }) => [
      code,
      contractProfile(
        code,
        `${carriersUrl}/${code}`,
        `${WITH_TOKEN}limits: { timeout: ${timeoutS}s, concurrency: 32, breaker: { failures: 100, pause: 1s } }
retry: { attempts: 20, wait: 500ms, max: 5s }
${OPERATIONS[kind]}`,
      ),
    ]),
  );
