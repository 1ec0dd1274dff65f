/** What must be known of a request before it is checked: whose it is, and by which levels to judge it. */

/** `consignmentDetails.referenceNumber`, where it is one; error bodies name it. */
export const referenceNumberOf = (body: unknown): string | undefined =>
  textOf(held(held(body, 'consignmentDetails'), 'referenceNumber'));

/** `consignmentDetails.orderNumber`, where it is one. */
export const orderNumberOf = (body: unknown): string | undefined =>
  textOf(held(held(body, 'consignmentDetails'), 'orderNumber'));

/** `carrier.code`, where it is one; it decides the profile. */
export const carrierCodeOf = (body: unknown): string | undefined => textOf(held(held(body, 'carrier'), 'code'));

const held = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;

// As long as the schema allows: a longer text is no reference, and must not come back in an error body.
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 100 ? value : undefined;
