/** What the carrier contract says of status pushes, and of the lifecycle that they tell. */
import { isDeepStrictEqual } from 'node:util';
import { NORMALISED_STATUSES, type NormalisedStatus, parentOf } from '../../engine/statuses/status.ts';
import { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Fields } from './consignments.ts';
import { type Evidence, numbersOf, pushedOf, readPushed } from './evidence.ts';
import { fits, has, needing, ofEach, type Statement, unfit, unlike } from './judging.ts';

const requests = ({ pushes = [] }: Evidence) => pushes.map((push) => ({ push }));
const FIELDS = Object.keys(StatusUpdate.properties);

/** The normalised statuses that the specification names, and those of them that were pushed. */
export const LIFECYCLE = NORMALISED_STATUSES.filter((status) => parentOf(status) === status);
export const seenOf = (evidence: Evidence): ReadonlySet<NormalisedStatus> => {
  const statuses = pushedOf(evidence).map(({ status }) => status);
  return new Set(statuses.filter((status) => status !== 'No Change' && status !== 'Unmapped').map(parentOf));
};

const echoed = (field: string, asked: string): Statement => ({
  says: `${field} is the ${asked} of the request.`,
  judge: ofEach(pushedOf, ({ held, of }) => unlike(field, held[field], of.consignment[asked])),
});

const ARRIVAL: Readonly<Record<string, Statement>> = {
  pushed: {
    says: 'The carrier pushes statuses to the URL that it is given.',
    judge: ({ pushes = [] }) => (pushes.length > 0 ? [] : [{ what: 'nothing came' }]),
    needs: ['create'],
  },
  ...needing(['pushed'], {
    'push-token': {
      says: 'Each push carries the access token: Authorization: Bearer <token>.',
      judge: ofEach(requests, ({ push }) => (push.isProven ? undefined : 'the token is missing, or another')),
    },
    'push-json': {
      says: 'A push is a JSON object.',
      judge: ofEach(requests, ({ push }) => readPushed(push).problems[0]),
    },
    'push-single': {
      says: 'Each event is a push of its own.',
      judge: ofEach(requests, ({ push }) => (readPushed(push).updates.length > 1 ? 'a list of updates' : undefined)),
      isAdvice: true,
    },
    'push-known': {
      says: 'A push names its shipment.',
      judge: (evidence) => (pushedOf(evidence).length > 0 ? [] : [{ what: 'none names a shipment of this run' }]),
      needs: ['push-json'],
    },
  }),
};

const UPDATES = needing(['push-known'], {
  'push-value': {
    says: 'value is the tracking number of the package.',
    judge: has(pushedOf, 'value', (value, { of }) => numbersOf(of).includes(value), 'a tracking number of the order'),
    needs: ['entries', 'tracking-number'],
  },
  'push-type': { says: 'type is Tracking.', judge: has(pushedOf, 'type', (type) => type === 'Tracking', 'Tracking') },
  'push-order': echoed('orderNo', 'orderNumber'),
  'push-consignment': { ...echoed('consignmentNumber', 'consignmentNumber'), isAdvice: true },
  'push-carrier': { ...echoed('carrierCode', 'carrierCode'), isAdvice: true },
  'push-time': {
    says: 'statusReceivedAt is the local time of the event, as YYYY-MM-DD HH:MM:SS.',
    judge: has(pushedOf, 'statusReceivedAt', fits('local-date-time'), 'such a time'),
  },
  'push-zone': {
    says: 'eventTimezone is the IANA time zone of the event.',
    judge: has(pushedOf, 'eventTimezone', fits('time-zone'), 'a time zone'),
  },
  'push-status': {
    says: 'carrierStatusCode is a status of the lifecycle, or one of the carrier’s own that was agreed (--status).',
    judge: has(pushedOf, 'carrierStatusCode', (_, { status }) => status !== 'Unmapped', 'known'),
  },
  'push-fields': {
    says: 'The fields of a push have the types of the contract.',
    judge: ofEach(pushedOf, ({ held, update }) => {
      const kept: Fields = update;
      const isLost = (field: string): boolean =>
        (held[field] ?? undefined) !== undefined && !isDeepStrictEqual(held[field], kept[field]);
      const lost = FIELDS.find(isLost);
      return lost === undefined ? undefined : unfit(lost, held[lost], false, 'of its type');
    }),
    isAdvice: true,
  },
});

const ticked = (status: NormalisedStatus): readonly [string, Statement] => [
  `lifecycle-${status.toLowerCase().replaceAll(' ', '-')}`,
  {
    says: `The carrier can push ${status}.`,
    judge: (evidence) => (seenOf(evidence).has(status) ? [] : [{ what: 'it was not pushed' }]),
    needs: ['push-status'],
  },
];

export const PUSH_PARTS: Readonly<Record<string, Readonly<Record<string, Statement>>>> = {
  'Events and the status update': { ...ARRIVAL, ...UPDATES },
  'States and transitions': Object.fromEntries(LIFECYCLE.map(ticked)),
};
