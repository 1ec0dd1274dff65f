import { ASKED_NAMES, askedOf, type AskedName } from '../../ask/operations.ts';
import * as f from './field.ts';
import { idempotency, notYet, ONE_METHOD, step } from './steps.ts';

const steps = {
  ...step,
  steps: f.list(
    f.ref('step', 'A step.', { id: 'booking', post: '/bookings' }),
    'Steps, run in order.',
    [{ post: '/orders' }],
    { notEmpty: true },
  ),
};
const resultOf = (what: string) => f.mapping(`${what}, from the responses.`, 'answer.jsonata');
export const result = resultOf('The contract’s success body');

export const variantWhen = f.expr(
  'Condition over the consignment; without one, for all that come to it.',
  "service.code = 'INTL'",
  {
    site: { position: 'variant' },
  },
);
const operation = (keys: Readonly<Record<string, f.Field>>, description: string, example: object) =>
  f.group(description, { example, ...ONE_METHOD })({ ...steps, ...keys });
/** Of what is done for a consignment. */
const varied = (keys: Readonly<Record<string, f.Field>>, description: string, example: object) => {
  const variant = f.group('Keys of the operation, for some consignments.', { example: ['when'], ...ONE_METHOD })({
    ...steps,
    ...keys,
    when: variantWhen,
  });
  return f.group(description, { example, ...ONE_METHOD })({
    ...steps,
    ...keys,
    variants: f.list(
      variant,
      'Variants, of which the first whose condition holds is the operation; what stands beside them holds for each.',
      [{ when: "consignment.typeOfOrder = 'REVERSE'", id: 'returned', post: '/returns' }],
      { notEmpty: true },
    ),
  });
};

const update = varied({ idempotency, result }, 'Updates the shipment.', {
  put: '/orders/${shipment.trackingNumber}',
  body: { json: 'create.jsonata' },
});

const cancel = varied({ idempotency }, 'Cancels the shipment.', { delete: '/orders/${shipment.trackingNumber}' });

export const operationKeys = {
  create: varied({ idempotency, result }, 'Creates the shipment.', {
    post: '/orders',
    body: { json: 'create.jsonata' },
    result: 'created.jsonata',
  }),
  update: f.either<f.Field, object>(
    [f.word(['recreate'], 'Cancel, then create.', 'recreate'), update],
    'Updates the shipment: steps, or recreate; without it updates are rejected.',
    'recreate',
  ),
  cancel: f.either<f.Field, object>(
    [f.word(['nothing'], 'There is nothing to tell the carrier.', 'nothing'), cancel],
    'Cancels the shipment: steps, or nothing, where a carrier need not be told; the reply to the shipper says so.',
    'nothing',
  ),
  track: varied({ result: resultOf('Status updates') }, 'Fetches events, once per tracking number or per batch.', {
    get: '/events/${item.trackingNumber}',
    result: 'events.jsonata',
  }),
  label: varied({ result: resultOf('The label') }, 'Fetches labels that the create did not return.', {
    forEach: 'shipment.packages',
    get: '/labels/${item.trackingNumber}',
    response: 'binary',
  }),
  lookup: varied(
    { result: resultOf('The contract’s success body, or nothing'), notYet },
    'Looks up whether the shipment was created.',
    {
      get: '/orders',
      query: { reference: '${consignment.referenceId}' },
      result: 'found.jsonata',
    },
  ),
  probe: operation({}, 'Checks the credentials.', { get: '/me' }),
  register: operation(
    { result: resultOf('Credentials and settings to keep in the account') },
    'Registers our webhook.',
    { post: '/webhooks', body: { json: { url: '${webhook.url}' } } },
  ),
  unregister: operation({}, 'Removes the webhook.', { delete: '/webhooks/${settings.webhookId}' }),
  ...(Object.fromEntries(
    ASKED_NAMES.map((name) => [name, f.ref('asked', askedOf(name).description, askedOf(name).example)]),
  ) as Record<AskedName, f.Field>),
};
export const asked = varied({ idempotency, result }, 'An operation that is asked for by itself.', {
  post: '/rates',
  result: 'offers.jsonata',
});
export const operations = f.group('The operations of the carrier.', { example: ['create'] })(operationKeys);
