/** Misbehaviour on demand: what a carrier does wrong, how often, and whether it did the work before. */
import { type Static, Type } from 'typebox';
import { Failure } from '../../engine/failure.ts';
import { validator } from '../../engine/validate.ts';
import { OPERATIONS } from '../../engine/profile/carrier.ts';
import type { Scenes } from './scenes.ts';

const PROBLEMS = ['slow', 'status', 'refuse', 'hang', 'reset', 'truncated', 'malformed', 'html', 'case'] as const;

const Behaviour = Type.Object(
  {
    /** `refuse`: as the closest case that shows a refusal. `case`: as the case of that name. */
    do: Type.Enum([...PROBLEMS]),
    /** For how many requests, 1 by default; 0: for all. */
    times: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    /** Whether it did what was asked of it: by default where only the answer suffers. */
    acted: Type.Optional(Type.Boolean()),
    /** Before the answer; with `slow` 1,000 by default. */
    ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    /** Of `status` (default 500) and `html` (502). */
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    message: Type.Optional(Type.String()),
    case: Type.Optional(Type.String()),
    /** Only requests of this operation (`lookup` and `undo` of whichever), of this method, or whose path or body holds this text. */
    operation: Type.Optional(Type.Enum([...OPERATIONS, 'lookup', 'undo'])),
    method: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    body: Type.Optional(Type.String()),
    /** So many such requests are let pass first. */
    after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  },
  { additionalProperties: false },
);
export type Behaviour = Readonly<Static<typeof Behaviour>>;

const ACTS = new Set<Behaviour['do']>(['slow', 'truncated', 'malformed']);
const check = validator(Behaviour, 'a behaviour');

/** Out of a control request or an option. Throws a `Failure` that names the key and what it may be. */
export const readBehaviour = (given: Readonly<Record<string, unknown>>): Behaviour => {
  const checked = check(given);
  const why = checked.ok ? '' : checked.issues.map(({ message }) => message).join('; ');
  if (checked.ok && (checked.value.do !== 'case' || checked.value.case !== undefined)) return checked.value;
  throw new Failure(why || 'case needs the name of one', { code: 'behaviour_invalid' });
};

const TEXTS = new Set(['message', 'case', 'operation', 'method', 'path', 'body']);

/** `status,status=429,times=3` as an option: the first word is what to do. */
export const parseBehaviour = (text: string): Behaviour => {
  const [first = '', ...pairs] = text.split(',');
  const entries = pairs.map((pair) => {
    const split = pair.indexOf('=');
    const [key, value] = [pair.slice(0, split), pair.slice(split + 1)];
    const isNumber = /^\d+$/.test(value) && !TEXTS.has(key);
    return [key, isNumber ? Number(value) : key === 'acted' && /^(true|false)$/.test(value) ? value === 'true' : value];
  });
  return readBehaviour({ do: first, ...(Object.fromEntries(entries) as object) });
};

/** Throws a `Failure` where no case shows what would be answered. */
export const requireShown = (
  { do: what, case: name, operation, method, path = '' }: Behaviour,
  { scenes }: Scenes,
): void => {
  if (what !== 'refuse' && what !== 'case') return;
  const isShown = scenes.some(({ case: own, do: doing, of, isRefusal, request }) => {
    const isMeant = name === undefined ? isRefusal : own === name;
    const fits = method === undefined || method.toUpperCase() === request.method;
    const isOf = operation === undefined || operation === doing || operation === of;
    return isMeant && fits && isOf && `/${request.segments.join('/')}`.includes(path);
  });
  const asked = [
    name === undefined ? 'refuses a request' : `named ${name} has a request`,
    operation,
    method,
    path,
  ].filter(Boolean);
  if (!isShown) throw new Failure(`no case ${asked.join(' ')}`, { code: 'behaviour_invalid' });
};

/** A behaviour as it applies to one request. */
export type Applied = Behaviour & { readonly acts: boolean };

/** First come, first served; a request meets one at most. */
export const createBehaviours = () => {
  const waiting: { behaviour: Behaviour; left: number; passing: number }[] = [];
  return {
    add: (behaviour: Behaviour): void => {
      const { times = 1, after = 0 } = behaviour;
      waiting.push({ behaviour, left: times === 0 ? Number.POSITIVE_INFINITY : times, passing: after });
    },
    take: (method: string, path: string, body: Buffer, isOf: (operation: string) => boolean): Applied | undefined => {
      const meant = waiting.filter(
        ({ behaviour }) =>
          (behaviour.method === undefined || behaviour.method.toUpperCase() === method) &&
          path.includes(behaviour.path ?? '') &&
          body.includes(behaviour.body ?? '') &&
          (behaviour.operation === undefined || isOf(behaviour.operation)),
      );
      const found = meant.find(({ passing }) => passing === 0);
      for (const one of meant) one.passing = Math.max(0, one.passing - 1);
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left <= 0) waiting.splice(waiting.indexOf(found), 1);
      return { ...found.behaviour, acts: found.behaviour.acted ?? ACTS.has(found.behaviour.do) };
    },
    clear: (): void => void waiting.splice(0),
  };
};
