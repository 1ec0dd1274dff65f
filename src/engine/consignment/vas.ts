/** The catalogue of value-added services: docs/fields.md shows it, and a profile adds to it what its carrier alone has. */

/** A code, and what goes with it. */
export interface VasMeaning {
  readonly description: string;
  /** What it may be asked for: the whole consignment, or single packages and SKUs; undefined: either. */
  readonly level?: 'CONSIGNMENT' | 'SKU' | undefined;
  /** Its parameters, fields of the consignment without which it cannot be done. */
  readonly requires?: readonly string[] | undefined;
}

const whole = (description: string, ...requires: readonly string[]): VasMeaning => ({
  description,
  level: 'CONSIGNMENT',
  requires,
});
const either = (description: string): VasMeaning => ({ description });

export const VAS_CATALOGUE: Readonly<Record<string, VasMeaning>> = {
  SIGNATURE_REQUIRED: either('Somebody signs for it.'),
  TWO_MAN_DELIVERY: either('Two people carry it.'),
  ROOM_OF_CHOICE: either('It is carried into the room that the recipient names; `remark` may say which.'),
  INSTALLATION: either('It is installed; `serviceTime` says how long that takes.'),
  ASSEMBLY: either('It is put together; `serviceTime` says how long that takes.'),
  UNPACKING: either('It is unpacked, and the packaging taken away.'),
  HAUL_AWAY_OLD: either('The old one is taken away; `remark` may say what it is.'),
  INSURANCE: whole('It is insured for more than the carrier is liable for.', 'info.insuredAmount'),
  IDENTITY_CHECK: whole('It is handed to the recipient in person only, who shows an identity document.'),
  AGE_CHECK: whole('Whoever takes it proves to be old enough.', 'info.minimumAge'),
  PICK_UP_POINT: whole('It goes to a shop, locker or post office.', 'info.pickUpPointCode'),
  NOTIFICATION: whole('The recipient is notified before the delivery.', 'info.notifications'),
  NO_NEIGHBOUR: whole('It is not left with a neighbour.'),
  SATURDAY_DELIVERY: whole('It may come on a Saturday.'),
  EVENING_DELIVERY: whole('It comes in the evening.'),
};

/** What a code means to a carrier: its own meaning comes first. Undefined: only the two of them know. */
export const meaningOf = (own: Readonly<Record<string, VasMeaning>>, code: string): VasMeaning | undefined =>
  Object.hasOwn(own, code) ? own[code] : Object.hasOwn(VAS_CATALOGUE, code) ? VAS_CATALOGUE[code] : undefined;
