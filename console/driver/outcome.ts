/** What became of a stop, with its proof. */
import type { Stop, Task } from '../src/fleet/shapes.ts';
import { photos, signature } from './capture.ts';
import { check, el, field } from './dom.ts';
import type { App } from './app.ts';
import { namesOf } from '../src/fleet/times.ts';
import { isSettled } from './route.ts';
import { goneScreen } from './stop.ts';

const RELATIONS = ['Recipient', 'Household member', 'Neighbour', 'Reception', 'Colleague', 'Other'];
const TITLES = {
  delivered: 'Delivered',
  partly_delivered: 'Partly delivered',
  failed: 'Failed',
  delayed: 'Delayed',
} as const;
type Outcome = keyof typeof TITLES;

const choice = (id: string, options: readonly (readonly [value: string, text: string])[]): HTMLSelectElement =>
  el('select', { id, required: true }, ...options.map(([value, text]) => el('option', { value }, text)));

export const outcomeScreen = (app: App, id: string, type: string): HTMLElement => {
  const stop = app.route?.stops.find((one) => one.id === id);
  if (stop === undefined || !(type in TITLES)) return goneScreen();
  const outcome = type as Outcome;
  const { parts, send } = outcome === 'delayed' ? delay(app, stop) : result(app, stop, outcome);
  const says = el('p', { role: 'alert', class: 'bad' });
  const submit = el('button', { type: 'submit', class: 'main' }, 'Report');
  const form = el(
    'form',
    {
      submit: (event) => {
        event.preventDefault();
        submit.disabled = true;
        void send()
          .catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)))
          .then((wrong) => {
            submit.disabled = false;
            if (wrong === undefined) window.location.hash = '#/';
            else says.replaceChildren(wrong);
          });
      },
    },
    ...parts,
    el('footer', {}, says, submit),
  );
  const title =
    outcome === 'delivered' && stop.tasks.every(({ kind }) => kind === 'PICKUP') ? 'Collected' : TITLES[outcome];
  return el(
    'main',
    {},
    el('a', { href: `#/stop/${id}`, class: 'back' }, `‹ ${namesOf(stop)}`),
    el('h1', {}, `${title}: stop ${stop.position + 1}`),
    form,
  );
};

interface Form {
  readonly parts: readonly HTMLElement[];
  /** Resolves with what is missing; undefined: the device keeps the report. */
  send(): Promise<string | undefined>;
}

const delay = (app: App, { id }: Stop): Form => {
  const minutes = el('input', {
    id: 'minutes',
    type: 'number',
    inputmode: 'numeric',
    min: 1,
    max: 600,
    value: 15,
    required: true,
  });
  const comment = el('textarea', { id: 'comment', rows: 2, maxlength: 500 });
  return {
    parts: [field('Minutes', minutes), field('Remark', comment)],
    send: async () => {
      await app.report({ type: 'delayed', stopId: id, minutes: Number(minutes.value), ...written({ comment }) });
      return undefined;
    },
  };
};

const result = (app: App, { id, tasks }: Stop, type: Exclude<Outcome, 'delayed'>): Form => {
  const open = tasks.filter((task) => !isSettled(task));
  const of = open.length === 0 ? tasks : open;
  const isDone = type !== 'failed';
  const orders = checklist(
    'Orders',
    of,
    (task) => [task.id, `${task.kind === 'PICKUP' ? 'Collect' : 'Deliver'} ${task.orderNumber}`],
    () => true,
  );
  const scanned = new Set(app.known.scanned?.[id]);
  const packages = checklist(
    'What was handed over',
    of.flatMap((task) => task.packages),
    (one) => [one.itemReferenceNumber, one.trackingNumber],
    (one) => scanned.has(one.itemReferenceNumber),
  );
  const services = of.flatMap((task) => task.vas).filter(({ vasCode }) => vasCode !== SIGNATURE);
  const vas = checklist(
    'Services done',
    services,
    ({ vasCode, itemReferenceNumber }) => [
      '',
      [vasCode.replaceAll('_', ' '), itemReferenceNumber].filter(Boolean).join(' · '),
    ],
    () => false,
  );
  const reason = choice('reason', [
    ['', 'Choose …'],
    ...(app.known.reasons ?? []).map(({ code, description }) => [code, description] as const),
  ]);
  const receivedBy = el('input', { id: 'receivedBy', autocomplete: 'off', maxlength: 100 });
  const relation = choice(
    'relation',
    RELATIONS.map((one) => [one.toUpperCase().replaceAll(' ', '_'), one]),
  );
  const comment = el('textarea', { id: 'comment', rows: 2, maxlength: 500 });
  const pictures = photos();
  const pad = signature();
  return {
    parts: [
      ...(of.length > 1 ? [orders.part] : []),
      ...(type === 'partly_delivered' ? [packages.part] : []),
      ...(isDone ? [] : [field('Reason', reason)]),
      ...(isDone && services.length > 0 ? [vas.part] : []),
      ...(isDone ? [field('Name of who received it', receivedBy), field('Who that is', relation)] : []),
      pictures.part,
      ...(isDone ? [pad.part] : []),
      field('Remark', comment),
    ],
    send: async () => {
      const taskIds = orders.values();
      const signed = isDone ? await pad.signed() : undefined;
      const taken = pictures.taken();
      if (taskIds.length === 0) return 'Choose at least one order';
      if (type === 'partly_delivered' && packages.values().length === 0)
        return 'Choose what was handed over; if nothing was, report it as failed';
      if (isDone && receivedBy.value.trim() === '' && signed === undefined && taken.length === 0)
        return 'A name, a photo or a signature is needed as proof';
      const isSigned = signed !== undefined || of.every((task) => !taskIds.includes(task.id) || !needsSignature(task));
      if (isDone && !isSigned) return 'The order asks for a signature';
      const done = vas.boxes.map(({ checked }) => checked);
      await app.report(
        {
          type,
          stopId: id,
          taskIds,
          ...(type === 'partly_delivered' ? { packages: packages.values() } : {}),
          ...(isDone
            ? { ...written({ receivedBy }), ...(receivedBy.value.trim() === '' ? {} : { relation: relation.value }) }
            : { reason: reason.value }),
          ...(isDone && services.length > 0
            ? {
                vas: services.map(({ vasCode, itemReferenceNumber }, at) => ({
                  vasCode,
                  ...(itemReferenceNumber === undefined ? {} : { itemReferenceNumber }),
                  done: done[at] ?? false,
                })),
              }
            : {}),
          ...written({ comment }),
        },
        [
          ...taken.map((content) => ({ kind: 'photo' as const, content })),
          ...(signed ? [{ kind: 'signature' as const, content: signed }] : []),
        ],
      );
      return undefined;
    },
  };
};

const SIGNATURE = 'SIGNATURE_REQUIRED';
const needsSignature = ({ vas }: Task): boolean => vas.some(({ vasCode }) => vasCode === SIGNATURE);

/** Of fields, what was written. */
const written = <Name extends string>(
  fields: Readonly<Record<Name, { readonly value: string }>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    Object.entries<{ readonly value: string }>(fields).flatMap(([name, { value }]) =>
      value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  ) as Partial<Record<Name, string>>;

const checklist = <One>(
  title: string,
  all: readonly One[],
  textOf: (one: One) => readonly [value: string, text: string],
  isOn: (one: One) => boolean,
) => {
  const rows = all.map((one) => {
    const [value, text] = textOf(one);
    return check(text, isOn(one), value);
  });
  const boxes = rows.map(([, box]) => box);
  return {
    part: el('fieldset', {}, el('legend', {}, title), ...rows.map(([label]) => label)),
    boxes,
    values: () => boxes.filter(({ checked }) => checked).map(({ value }) => value),
  };
};
