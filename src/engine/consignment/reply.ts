import type { Issue } from '../validate.ts';
import type {
  BadRequestReply,
  CancelEntry,
  CancelRefusedReply,
  CancelReply,
  ConflictReply,
  ConsignmentEntry,
  ErrorReply,
  ReferenceErrors,
  SuccessReply,
  UnprocessableReply,
} from './reply-schema.ts';

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

/** `Fri May 01 2026 09:00:00 GMT+0000`: date-time text as the specification has it, readable by `Date.parse`. */
export const timestampText = (nowMs: number): string => {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(nowMs).toUTCString().split(' ');
  return `${weekday.replace(',', '')} ${month} ${day} ${year} ${time} GMT+0000`;
};

/** 200 of a create or update. Without a number for the whole, that of the first package stands for it. */
export const successReply = (entries: readonly ConsignmentEntry[], nowMs: number): SuccessReply => ({
  timestamp: timestampText(nowMs),
  status: 'OK',
  data: entries.map(withMaster),
});

/** 400: what is wrong with the structure of one request. */
export const badRequestReply = (
  referenceNumber: string | undefined,
  issues: readonly Pick<Issue, 'message'>[],
  nowMs: number,
): BadRequestReply => ({
  timestamp: timestampText(nowMs),
  status: 'BAD_REQUEST',
  errors: [referenceErrors(referenceNumber, messagesOf(issues))],
});

/** 409: the details belong to another consignment, or this one can no longer change; `data` is what there is. */
export const conflictReply = (
  message: string,
  errors: readonly string[],
  data: ConsignmentEntry | undefined,
  nowMs: number,
): ConflictReply => ({
  timestamp: timestampText(nowMs),
  status: 'CONFLICT',
  message,
  errors: [...errors],
  ...(data === undefined ? {} : { data: withMaster(data) }),
});

/** 422: rules that are broken, or a carrier's refusal in its own words. */
export const unprocessableReply = (
  message: string,
  errors: readonly string[],
  order: { readonly orderNumber: string | undefined; readonly referenceNumber: string | undefined },
  nowMs: number,
): UnprocessableReply => ({
  timestamp: timestampText(nowMs),
  status: 'UNPROCESSABLE_ENTITY',
  message,
  errors: [...errors],
  data: {
    ...(order.orderNumber === undefined ? {} : { orderNumber: order.orderNumber }),
    ...(order.referenceNumber === undefined ? {} : { referenceNumber: order.referenceNumber }),
    trackingDetails: [],
  },
});

/** Any other error; `errors` repeats the message where there is no more to say. */
export const errorReply = (
  status: ErrorStatus,
  message: string,
  nowMs: number,
  errors: readonly string[] = [message],
): ErrorReply => ({
  timestamp: timestampText(nowMs),
  status: STATUS_WORDS[status],
  message,
  errors: [...errors],
});

/** 200 of a cancel, also where some or all of the entries failed. */
export const cancelReply = (entries: readonly CancelEntry[], nowMs: number): CancelReply => ({
  timestamp: timestampText(nowMs),
  ...counted(entries, 0),
});

/** 400 of a cancel that names references the shipper does not have; the other entries were carried out. */
export const cancelRefusedReply = (
  unknownReferences: readonly string[],
  entries: readonly CancelEntry[],
  nowMs: number,
): CancelRefusedReply => ({
  timestamp: timestampText(nowMs),
  status: 'BAD_REQUEST',
  errors: unknownReferences.map((reference) =>
    referenceErrors(reference, [`referenceNumber ${reference} is not known`]),
  ),
  ...counted(entries, unknownReferences.length),
});

const messagesOf = (issues: readonly Pick<Issue, 'message'>[]): string[] => issues.map(({ message }) => message);

const counted = (entries: readonly CancelEntry[], alsoFailed: number) => {
  const successCount = entries.filter(({ status }) => status === 'Success').length;
  return { successCount, failedCount: entries.length - successCount + alsoFailed, data: [...entries] };
};

const referenceErrors = (referenceNumber: string | undefined, details: string[]): ReferenceErrors =>
  referenceNumber === undefined ? { details } : { referenceNumber, details };

const withMaster = (entry: ConsignmentEntry): ConsignmentEntry => {
  const masterTrackingNumber = entry.masterTrackingNumber ?? entry.trackingDetails[0]?.trackingNumber;
  return masterTrackingNumber === undefined ? entry : { ...entry, masterTrackingNumber };
};
