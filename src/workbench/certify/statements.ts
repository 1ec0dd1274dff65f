/** What the carrier contract says of an endpoint, sentence by sentence, by the part that says so. */
import { isMap } from '../../engine/value.ts';
import { itemsOf } from './consignments.ts';
import { cameOf, type Evidence, isAccepted, isAnswered, type LabelSeen, statusOf } from './evidence.ts';
import * as j from './judging.ts';
import type { Tried } from './perform.ts';
import { LACKING } from './trials.ts';

const { echoes, entries, has, needing, ofEach, refusals, refuses, shipments, takes } = j;

const firstOf = ({ tried }: Evidence): readonly Tried[] =>
  ['mandatory', 'complete'].flatMap((name) => tried.get(name) ?? []);
const isNowhere = (tried: Tried): boolean =>
  tried.exchange.outcome === 'not_sent' || [404, 405].includes(statusOf(tried));
const isDenied = (tried: Tried): boolean => [401, 403].includes(statusOf(tried));
const proves = (isLetIn: boolean, ...names: readonly string[]): j.Judge => {
  const judge = ofEach(j.named(...names), ({ tried }) => (isDenied(tried) === isLetIn ? cameOf(tried) : undefined));
  return (evidence) => (evidence.isProven ? judge(evidence) : { leftOut: '--auth none' });
};

const is = (wanted: unknown) => (value: unknown) => value === wanted;
const isPrintable = (value: unknown): boolean =>
  j.isText(value) && value.length <= 200 && !/[\p{C}\p{Zl}\p{Zp}\uFFFD]/u.test(value);
/** Seconds since 1970 have ten digits. */
const isMilliseconds = (value: unknown): boolean => Number.isInteger(value) && /^\d{13}$/.test(String(value));
const MILLISECONDS = 'milliseconds since 1970';

const referencesOf = (list: readonly unknown[]): string =>
  list
    .map((one) => String(isMap(one) ? one['itemReferenceNumber'] : one))
    .toSorted((one, other) => one.localeCompare(other))
    .join();

/** What is served in the place of a document; where nothing is, a label is late. */
const isOther = ({ outcome }: LabelSeen): boolean =>
  outcome.kind !== 'stored' && /^label_(?:unknown_format|truncated|ambiguous|too_large)$/.test(outcome.code);
const isServed = (label: LabelSeen): boolean => label.outcome.kind === 'stored' || isOther(label);
const whyNot = ({ outcome, url }: LabelSeen): string | undefined =>
  outcome.kind === 'stored' ? undefined : `${url}: ${outcome.message}`;
const inFormat = (...formats: readonly unknown[]): j.Judge =>
  ofEach(
    ({ labels }) => labels.filter(({ tried }) => formats.includes(tried.consignment['labelFormat'])),
    ({ outcome, tried: { consignment } }) =>
      outcome.kind === 'stored' ? j.unlike('the document', outcome.format, consignment['labelFormat']) : undefined,
  );

const ACCESS: Readonly<Record<string, j.Statement>> = {
  https: {
    says: 'The endpoint is hosted over HTTPS.',
    judge: ({ url }) => (url.startsWith('https:') ? [] : { leftOut: 'http: is called on private networks only' }),
  },
  reachable: {
    says: 'Consignments are posted to the URL of the endpoint.',
    judge: (evidence) =>
      firstOf(evidence).every(isNowhere) ? firstOf(evidence).map((tried) => ({ what: cameOf(tried), tried })) : [],
  },
  answers: {
    says: 'A request is answered within 30 seconds.',
    judge: ofEach(
      ({ tried }) => [...tried.values()].map((one) => ({ tried: one })),
      ({ tried }) => (isAnswered(tried) ? undefined : cameOf(tried)),
    ),
    needs: ['reachable'],
  },
  credentials: {
    says: 'The platform is let in by the credentials that the carrier gave it: Bearer token, API key or Basic.',
    judge: proves(true, 'mandatory', 'complete'),
    needs: ['reachable'],
  },
  create: {
    says: 'CREATE makes a shipment, and is answered with it.',
    judge: (evidence) => (firstOf(evidence).some(isAccepted) ? [] : takes('mandatory', 'complete')(evidence)),
    needs: ['credentials'],
  },
  denies: {
    says: 'Without credentials, or with wrong ones, a request is refused (401 or 403).',
    judge: proves(false, 'unproven', 'misproven'),
    needs: ['create'],
  },
};

const REQUEST = needing(['create'], {
  mandatory: { says: 'A request is complete with the mandatory fields alone.', judge: takes('mandatory') },
  complete: { says: 'A request with every field is accepted; optional ones may be ignored.', judge: takes('complete') },
  unknown: { says: 'Unexpected fields do not cause a rejection.', judge: takes('unknown') },
  packages: { says: 'A consignment may have several packages.', judge: takes('several') },
  values: {
    says: 'All types of order, services, units of weight and label formats of the contract are accepted.',
    judge: takes('reverse', 'ground', 'express', 'economy', 'pounds', 'basic', 'zpl', 'png'),
  },
});

const SUCCESS = needing(['create'], {
  success: {
    says: 'Success is HTTP 200.',
    judge: ofEach(j.successes, ({ tried }) => j.unlike('the status', statusOf(tried), 200)),
  },
  json: {
    says: 'An answer is a JSON object, and its Content-Type says so.',
    judge: ofEach(shipments, ({ tried }) => (isMap(tried.body) ? undefined : cameOf(tried))),
  },
});

const ANSWER = needing(['json'], {
  status: { says: 'status is the integer 200.', judge: has(shipments, 'status', is(200), '200') },
  reference: { says: 'referenceId is that of the request.', judge: echoes(shipments, 'referenceId') },
  timestamp: {
    says: `timestamp is when the request was processed, in ${MILLISECONDS}.`,
    judge: has(shipments, 'timestamp', isMilliseconds, MILLISECONDS),
    isAdvice: true,
  },
  entries: {
    says: 'itemsTrackDetails has one entry for each package, by its itemReferenceNumber.',
    judge: ofEach(shipments, ({ held: { itemsTrackDetails: list }, tried }) => {
      if (!Array.isArray(list)) return j.unfit('itemsTrackDetails', list, false, 'a list');
      return j.unlike('the list of itemReferenceNumber', referencesOf(list), referencesOf(itemsOf(tried.consignment)));
    }),
  },
  'tracking-number': {
    says: 'trackingNumber is a text of printable characters, at most 200.',
    judge: has(entries, 'trackingNumber', isPrintable, 'such a text'),
  },
  'tracking-own': {
    says: 'Each package has its own tracking number.',
    judge: j.ownOf('trackingNumber'),
    needs: ['tracking-number'],
  },
  'tracking-assigned': {
    says: 'A tracking number that the request assigns to a package is kept.',
    judge: ofEach(entries, ({ held: { trackingNumber: number }, item: { itemTrackingNumber: assigned = number } }) =>
      j.unlike('trackingNumber', number, assigned),
    ),
    needs: ['tracking-number'],
  },
  carrier: { says: 'carrierCode of an entry is that of the request.', judge: echoes(entries, 'carrierCode') },
  order: { says: 'orderNumber of an entry is that of the request.', judge: echoes(entries, 'orderNumber') },
  'label-url': {
    says: 'labelUrl of an entry is the URL at which its label is, or will be.',
    judge: has(entries, 'labelUrl', j.fits('http-url'), 'a whole URL'),
  },
  'label-own': { says: 'Each package has its own label URL.', judge: j.ownOf('labelUrl'), needs: ['label-url'] },
});

const isRule = ([, { isAdvice }]: readonly [string, j.Statement]): boolean => isAdvice !== true;
const UNDERSTOOD = needing(
  [
    'success',
    ...Object.entries(ANSWER)
      .filter(isRule)
      .map(([id]) => id),
  ],
  {
    understood: {
      says: 'The platform can use the answer.',
      judge: ofEach(j.successes, ({ tried }) => (tried.outcome.kind === 'done' ? undefined : cameOf(tried))),
    },
  },
);

const ACTIONS = needing(['create'], {
  repeat: {
    says: 'A CREATE that is sent again, since its answer was lost, is answered the same, and makes no second shipment.',
    judge: j.sameNumbers('repeat'),
    needs: ['tracking-number'],
  },
  update: { says: 'UPDATE changes the consignment that its referenceId names.', judge: takes('update') },
  'update-same': {
    says: 'UPDATE makes no new shipment: tracking numbers stay.',
    judge: j.sameNumbers('update'),
    needs: ['update', 'repeat'],
  },
  'update-unknown': {
    says: 'UPDATE of a referenceId that names nothing is refused.',
    judge: refuses('updateUnknown'),
    isAdvice: true,
    needs: ['update'],
  },
  cancel: { says: 'CANCEL cancels the shipment, and is confirmed.', judge: takes('cancel') },
});

const LABELS = needing(['label-url'], {
  'label-served': {
    says: 'The label is served at its URL: at once or, where labels take their time, before long.',
    judge: ofEach(
      ({ labels }) => labels,
      (label) => (isServed(label) ? undefined : whyNot(label)),
    ),
  },
  'label-document': {
    says: 'A label is a whole PDF, ZPL or PNG document.',
    judge: ofEach(({ labels }) => labels.filter(isServed), whyNot),
  },
  'label-pdf': { says: 'A label is a PDF where labelFormat asks for one.', judge: inFormat('PDF') },
  'label-others': {
    says: 'A label is ZPL or PNG where labelFormat asks for that.',
    judge: inFormat('ZPL', 'PNG'),
    isAdvice: true,
  },
});

const ERRORS = needing(['create'], {
  refuses: { says: 'An invalid or incomplete request is refused.', judge: refuses('incomplete', 'invalid') },
  'refuses-each': {
    says: 'A request that lacks any one of the mandatory fields is refused.',
    judge: refuses(...Object.keys(LACKING)),
    isAdvice: true,
    needs: ['refuses'],
  },
  'refusal-400': {
    says: 'A refusal is HTTP 400.',
    judge: ofEach(refusals, ({ tried }) => j.unlike('the status', statusOf(tried), 400)),
    needs: ['refuses'],
  },
  'refusal-body': {
    says: 'A refusal has status 400, and errors: a list of texts that say what is wrong.',
    judge: ofEach(refusals, ({ held: { status, errors } }) => {
      const isFit = Array.isArray(errors) && errors.length > 0 && errors.every(j.isText);
      return j.unlike('status', status, 400) ?? j.unfit('errors', errors, isFit, 'a list of texts');
    }),
    needs: ['refusal-400'],
  },
  'refusal-reference': {
    says: 'A refusal has the referenceId of the request.',
    judge: echoes(
      (evidence) => refusals(evidence).filter(({ tried }) => 'referenceId' in tried.consignment),
      'referenceId',
    ),
    isAdvice: true,
    needs: ['refusal-body'],
  },
  'refusal-timestamp': {
    says: `A refusal has a timestamp, in ${MILLISECONDS}.`,
    judge: has(refusals, 'timestamp', isMilliseconds, MILLISECONDS),
    isAdvice: true,
    needs: ['refusal-body'],
  },
});

export const ENDPOINT_PARTS: Readonly<Record<string, Readonly<Record<string, j.Statement>>>> = {
  'Endpoints, Authentication, Limits': ACCESS,
  'Consignment request': REQUEST,
  'Consignment response': { ...SUCCESS, ...ANSWER, ...UNDERSTOOD },
  'Behaviour by typeOfAction': ACTIONS,
  Labels: LABELS,
  'Errors and the error body': ERRORS,
};
