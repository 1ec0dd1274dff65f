import * as f from './field.ts';
import { idempotency, ONE_METHOD, step } from './steps.ts';

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

const operation = (keys: Readonly<Record<string, f.Field>>, description: string, example: object) =>
  f.group(description, { example, ...ONE_METHOD })({ ...steps, ...keys });

const update = operation({ idempotency, result }, 'Updates the shipment.', {
  put: '/orders/${shipment.trackingNumber}',
  body: { json: 'create.jsonata' },
});

const cancel = operation({ idempotency }, 'Cancels the shipment.', { delete: '/orders/${shipment.trackingNumber}' });

export const operationKeys = {
  create: operation({ idempotency, result }, 'Creates the shipment.', {
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
  track: operation({ result: resultOf('Status updates') }, 'Fetches events, once per tracking number or per batch.', {
    get: '/events/${item.trackingNumber}',
    result: 'events.jsonata',
  }),
  label: operation({ result: resultOf('The label') }, 'Fetches labels that the create did not return.', {
    forEach: 'shipment.packages',
    get: '/labels/${item.trackingNumber}',
    response: 'binary',
  }),
  lookup: operation(
    { result: resultOf('The contract’s success body, or nothing') },
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
};
export const operations = f.group('The operations of the carrier.', { example: ['create'] })(operationKeys);
