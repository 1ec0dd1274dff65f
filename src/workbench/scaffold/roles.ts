/** Which of the calls creates, cancels, tracks and gets the label, by their words, methods and bodies. */
import type { Call, Method } from './sample.ts';
import { singular, wordsIn } from './shape.ts';
import { words } from './vocabulary.ts';

interface Wanted {
  /** The most likely one first. */
  readonly methods: readonly Method[];
  readonly things: readonly string[];
  readonly actions: readonly string[];
  /** Words that rule it out. */
  readonly not: readonly string[];
}
const THINGS = words(
  'shipment parcel consignment order package label delivery booking waybill ship ws collo dispatch master',
);
const ROLES = {
  create: {
    methods: ['post', 'put'],
    things: THINGS,
    actions: words('create new book add register place submit print store process send'),
    not: words(
      'cancel void delete track tracking trace rate quote price token auth login webhook pickup validate search manifest return status event error rejected fault',
    ),
  },
  cancel: {
    methods: ['delete', 'post', 'put', 'patch'],
    things: THINGS,
    actions: words('cancel cancellation void delete remove'),
    not: words('webhook pickup token'),
  },
  track: {
    methods: ['get', 'post'],
    things: [...THINGS, 'event', 'status'],
    actions: words('track tracking trace event statuse status history'),
    not: words('webhook health rate cancel'),
  },
  label: {
    methods: ['get', 'post'],
    things: words('label document'),
    actions: words('get fetch download retrieve reprint label'),
    not: words('create new cancel void webhook rate manifest'),
  },
} as const satisfies Record<string, Wanted>;
export type Role = keyof typeof ROLES;

/** `said`: how much of what is said of it in words counts; further on other things are told of. */
const wordsOf = ({ about, url = '', from }: Call, said?: number): ReadonlySet<string> => {
  const path = URL.parse(url)?.pathname ?? url;
  const file = (
    from
      .replace(/[:#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  ).replace(/\.\w+$/, '');
  return new Set([...[path, file].flatMap(wordsIn), ...wordsIn(about).slice(0, said)].map(singular));
};

/** What a body is called decides; many a carrier's label is the create, where nothing else is. */
const statedBy = ({ named = '' }: Call): Role | undefined =>
  (['cancel', 'track', 'create', 'label'] as const).find((role) =>
    wordsIn(named).some((word) =>
      role === 'label' ? word === role : ROLES[role].actions.some((one) => singular(one) === singular(word)),
    ),
  );

const points = (call: Call, role: Role): number => {
  const { methods, things, actions, not }: Wanted = ROLES[role];
  const stated = statedBy(call);
  if (stated !== undefined && (role !== 'create' || call.request !== undefined))
    return stated === role ? 10 : stated === 'label' && role === 'create' ? 0.01 : 0;
  const own = wordsOf(call);
  const first = wordsOf(call, 4);
  const has = (some: readonly string[], among = own): boolean => some.some((word) => among.has(singular(word)));
  const { method = methods[0], request, url = '' } = call;
  const [usual] = methods;
  if (method === undefined || !methods.includes(method) || has(not, first)) return 0;
  if (role !== 'create') {
    const acts = has(actions) || (role === 'cancel' && method === 'delete');
    return acts && (has(things) || role === 'track') ? (method === usual ? 3 : 2) : 0;
  }
  if (request === undefined) return 0;
  // A body of many fields is an order, whatever it is called.
  const size = JSON.stringify(request.shape).length;
  const parameters = 0.6 * (url.match(/\{/g) ?? []).length + url.split('/').length / 100;
  const named = has(things) ? (has(actions) ? 3 : 2) : has(actions) ? 1 : 0;
  return Math.max(0.01, named + (request.isShown ? 2 : 0) + Math.min(1.5, size / 4_000) - parameters);
};

/** The one that is likest; undefined: none is. */
export const likest = (calls: readonly Call[], role: Role): Call | undefined =>
  calls
    .map((call) => ({ call, at: points(call, role) }))
    .filter(({ at }) => at > 0)
    .sort((one, other) => other.at - one.at)[0]?.call;

/** A login by OAuth 2.0, whose token the other calls carry. */
export const isLogin = ({ request, url = '' }: Call): boolean =>
  /oauth|token|login|auth/i.test(url) &&
  request !== undefined &&
  /grant_type|client_?secret|password/i.test(JSON.stringify(request.shape));
