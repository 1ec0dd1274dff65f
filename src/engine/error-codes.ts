/**
 * Stable codes of what the API refuses, for programs: words may change, codes are only added. docs/shipper-api.md has
 * both tables.
 */

/** The word that an error body's `status` carries, by HTTP status. The specification shows 400, 409, 422 and 500. */
export const STATUS_WORDS = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'TOO_MANY_REQUESTS',
  431: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
  500: 'INTERNAL_SERVER_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
} as const;
export type ErrorStatus = keyof typeof STATUS_WORDS;

/** By status, `code` of an error body where that says more than the status's own word in small letters, and when. */
const CODES = {
  400: {
    unreadable_request: 'It is no HTTP, or no JSON in UTF-8, or its URL cannot be read.',
    unknown_reference: 'A cancel names references that are not known; the others were carried out.',
  },
  401: {
    token_missing: 'There is no token.',
    token_invalid: 'The token is none of ours, has expired or was revoked.',
  },
  403: {
    csrf_token: 'A request of a session in a browser does not bring the session’s `X-CSRF-Token`.',
  },
  404: {
    unknown_route: 'There is no such path.',
    unknown_consignment: 'There is no consignment of this reference.',
    unknown_label: 'There is no such label.',
    label_revoked: 'The label was revoked with its consignment.',
    unknown_facility: 'There is no such facility.',
    unknown_manifest: 'There is no such manifest.',
    unknown_document: 'There is no such document of a manifest.',
    unknown_webhook: 'There is no such webhook.',
    unknown_delivery: 'There is no such delivery.',
    unknown_redelivery: 'There is no such redelivery.',
    unknown_shipper: 'There is no such shipper.',
    unknown_carrier: 'There is no such carrier, or it has no such operation.',
    unknown_account: 'There is no such account.',
    unknown_token: 'There is no such token.',
    unknown_dispatch: 'There is no such dispatch.',
    unknown_push: 'There is no such push.',
    unknown_session: 'There is no such session.',
    unknown_slot: 'There is no such slot, or no such reservation.',
    unknown_pickup: 'There is no such pickup.',
    unknown_plan: 'There is no such plan, or it has ended.',
  },
  409: {
    duplicate_reference: 'Another consignment, or another pickup, has the `referenceNumber`.',
    duplicate_consignment_number: 'Another consignment has the `consignmentNumber`.',
    duplicate_tracking_number: 'Another live consignment has a `trackingNumber` of the order.',
    dispatched: 'The carrier has picked the consignment up.',
    cancelled: 'The consignment is cancelled.',
    rejected: 'The carrier rejected the consignment.',
    create_unknown: 'Nobody knows whether the carrier has the consignment.',
    pickup_unknown: 'Nobody knows whether the carrier has the pickup as it was last asked for.',
    undo_failed: 'A part of the consignment may remain at the carrier: an operator has to clear it.',
    partial: 'The carrier has only some packages of the consignment, and takes no update of a part.',
    nothing_held: 'Nothing of the consignment waits for a retry.',
    under_way: 'An earlier action is still under way: try again in a while.',
    idempotency_key_reused: 'The Idempotency-Key was used for another request.',
    idempotency_key_in_use: 'The request with this Idempotency-Key is still worked on.',
    webhook_limit: 'There are as many webhooks as may be.',
    label_not_failed: 'Only a label that failed is asked for anew.',
    label_cannot_be_fetched: 'The carrier cannot be asked for the label.',
    dispatch_not_held: 'Only a held dispatch is resolved.',
    push_not_assignable: 'The push cannot be for that consignment, or has its own already.',
    dispatch_not_waiting: 'Only a dispatch that waits is sent now.',
    slot_sold_out: 'All places of the slot are reserved.',
    slot_closed: 'The slot is not to be reserved any more.',
    slot_ended: 'The reservation has expired or was released.',
    slot_used: 'A consignment uses the reservation.',
    token_ended: 'The token was revoked or replaced, or has expired.',
    file_changed: 'A file of the profile is not as it was when it was read.',
    draft_not_loaded: 'Only what is loaded is sent: the draft is another version.',
  },
  422: {
    rules_broken: 'The order breaks rules; `findings` names each.',
    no_carrier: 'The policy leaves no carrier for the order; `findings` says of each why.',
    carrier_rejected: 'The carrier rejected it; `findings` has its code and words.',
    unusable_value:
      'A value of the order cannot be made into what the carrier asks for; nothing was sent. `findings` names its field.',
    nothing_to_manifest: 'No package waits for the carrier there that is on no manifest yet.',
    carrier_not_loaded: 'The carrier is not on this platform at present.',
    account_invalid: 'The account is not what the carrier asks for.',
    token_expired: 'The token would be expired already.',
    profiles_invalid: 'Profiles of carriers have errors.',
    draft_failed: 'Nothing can be made of the draft, or of the samples; `errors` says why.',
  },
  429: {
    wrong_tokens: 'Too many wrong tokens came from the address.',
    wrong_proofs: 'Too many requests that prove nothing came from the address.',
    large_requests: 'Too much of large requests came, or is worked on.',
    test_events: 'Too many test events were sent.',
    slots_held: 'As many slots are reserved as a shipper may hold without orders.',
  },
  502: {
    label_failed: 'The carrier gave no label.',
    slot_unknown: 'Nobody knows whether the carrier holds the slot: reserve another.',
    carrier_failed: 'The carrier could not be asked, or gave no answer that can be used.',
    document_failed: 'The carrier gave no document of its manifest.',
  },
  503: {
    overloaded: 'There is more to do than can be done now.',
    records_unreachable: 'The database cannot be reached.',
    not_in_time: 'It takes too long, and may yet be done: ask again with the same key.',
    slot_unconfirmed: 'The carrier has not confirmed the slot of the order; nothing was done.',
    label_pending: 'The carrier has not made the label yet.',
  },
} as const;

type Codes = typeof CODES;
type WordOf<Status extends ErrorStatus> = Lowercase<(typeof STATUS_WORDS)[Status]>;
/** Those that answers of this status may have. */
export type CodeOf<Status extends ErrorStatus> =
  | WordOf<Status>
  | (Status extends keyof Codes ? keyof Codes[Status] & string : never);
export type ErrorCode = { [Status in ErrorStatus]: CodeOf<Status> }[ErrorStatus];

/** That of an answer of which nothing more is to be said. */
export const wordCode = <Status extends ErrorStatus>(status: Status): WordOf<Status> =>
  STATUS_WORDS[status].toLowerCase() as WordOf<Status>;

const codesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = CODES;

/** Of each code its HTTP status, and when it is given. */
export const ERROR_CODES = Object.fromEntries(
  Object.entries(STATUS_WORDS).flatMap(([status, word]) =>
    Object.entries({ [word.toLowerCase()]: 'Anything else.', ...codesOf[status] }).map(([code, when]) => [
      code,
      { status: Number(status), when },
    ]),
  ),
) as Readonly<Record<ErrorCode, { readonly status: number; readonly when: string }>>;

/** Of a problem whose `fields` are the shipper's. */
export const UNUSABLE_VALUE = 'unusable_value' satisfies CodeOf<422>;

/** `code` of an entry of a cancel that failed. */
export const CANCEL_CODES = {
  dispatched: CODES[409].dispatched,
  cancelled: CODES[409].cancelled,
  rejected: CODES[409].rejected,
  create_unknown: CODES[409].create_unknown,
  undo_failed: CODES[409].undo_failed,
  nothing_held: CODES[409].nothing_held,
  under_way: CODES[409].under_way,
  carrier_cannot: 'The carrier cannot cancel by this platform.',
  carrier_rejected: 'The carrier rejected the cancel.',
  unusable_value: 'A value cannot be made into what the carrier asks for; nothing was sent. `fields` names it.',
  held: 'The cancel failed, or its outcome is unknown, and waits for a retry or an operator.',
  pending: 'The carrier has not confirmed the cancel yet; a webhook tells its end.',
} as const;
export type CancelCode = keyof typeof CANCEL_CODES;

/** `code` of a finding, of which an answer may have many: what is wrong with the field. */
export const FINDING_CODES = {
  required: 'is missing',
  unknown_field: 'is no field or parameter that there is',
  wrong_type: 'is of another type',
  not_one_of: 'is none of the values that there are',
  too_long: 'has too many characters',
  too_short: 'has too few characters',
  too_few: 'has too few entries',
  too_many: 'has too many entries',
  too_small: 'is too small a number',
  too_large: 'is too large a number',
  malformed: 'is not written as it must be',
  out_of_bounds: 'is beyond what a request may be: its depth, its size, its characters',
  not_allowed: 'does not go with the rest of the request',
  invalid: 'is wrong for another reason, which `message` says',
  carrier_known: 'is no carrier of this platform',
  policy_known: 'is no policy of this platform, or AUTO without a default policy',
  carrier_excluded: 'is a policy that leaves a carrier out, for the reason that `message` says',
  carrier_creates: 'is a carrier that takes no orders',
  carrier_updates: 'is a carrier that takes no updates',
  environment_known: 'is a carrier without this environment',
  account_known: 'is a carrier with which the shipper has no account',
  carrier_fixed: 'cannot be changed once a label exists',
  order_number_fixed: 'cannot be changed by an update',
  consignment_number_fixed: 'cannot be changed by an update',
  consignment_type_fixed: 'cannot be changed by an update',
  packages_kept: 'leaves packages out',
  alias: 'contradicts another name of the same field',
  service_known: 'is no service of the carrier',
  service_for_order_type: 'is a service for other order types',
  capability: 'is not offered by the carrier',
  positive: 'must be greater than 0',
  not_negative: 'must not be negative',
  on_earth: 'is no latitude or longitude',
  cod_complete: 'is needed for COD',
  currency_known: 'is no currency',
  return_address: 'is needed without a facility',
  time_exists: 'is a time that clocks jump over',
  window_order: 'ends before it begins',
  window_after_ship_by: 'is over before `shipByDate`',
  unusable_value: 'cannot be made into what the carrier asks for',
  unique: 'comes twice',
  sku_in_package: 'is in none of the packages',
  total_quantity: 'is neither how many entries packageDetails has nor the sum of their quantities',
  sku_units: 'does not add up to the units of the packages',
  targets_for_sku: 'is needed for the level SKU',
  carrier_needs: 'is needed by the carrier',
  vas_needs: 'is needed by a value-added service',
  vas_level: 'is a level that the value-added service does not have',
  amount_currency: 'is needed where there are amounts',
  channel_contact: 'is no address of that channel',
  slot_known: 'is no reservation of the shipper',
  slot_usable: 'is a reservation that has expired, was released or is used by another consignment',
  slot_fits: 'is a slot of another carrier, service or destination',
  offer_known: 'is no offer that was made to the shipper',
  offer_expired: 'is an offer that has expired',
  offer_fits: 'is an offer for another carrier, or for an order of another price',
  postcode_form: 'is not written as postcodes of the country are',
  region_known: 'is no state or province of the country',
  facility_known: 'is no facility of the shipper',
  window_one_day: 'ends on another day than it begins',
  window_past: 'is over already',
  window_closed: 'is when the facility is closed, or the carrier does not work',
  consignment_known: 'is no consignment of the shipper',
  consignment_fits: 'is a consignment of another carrier, or one that does not wait to be picked up',
  day_begun: 'is a day that has not begun',
  target_known: 'is neither a line number nor the id of a package',
} as const;
export type FindingCode = keyof typeof FINDING_CODES;
