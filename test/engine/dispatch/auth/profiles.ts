/** Profiles that differ in how they authenticate: the YAML of `auth` or `auths`, around one call. */
export const profileWith = (auth: string, more = ''): string => `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials:
  user: {}
  password: { secret: true }
  key: { secret: true, optional: true }
  refresh: { secret: true, optional: true }
settings: { account: { optional: true } }
${auth}
operations:
  create:
    post: /orders
    body: { json: { ref: '\${consignment.referenceId}', amount: 12 } }
    result: |
      { "itemsTrackDetails": { "trackingNumber": response.body.number } }
${more}`;

export const account = (values: Readonly<Record<string, unknown>> = {}, version = 1) => ({
  id: 1,
  version,
  credentials: { user: 'erika', password: 'pa:ss wörd-1', key: 'key-0123456789', refresh: 'refresh-one-1', ...values },
  settings: {},
});
