/** A dispatch as the records have it, as the story of a case: so that it can be told again, and written down. */
import type { CaseFile } from '../cases/read.ts';
import type { Case, Exchange, Given } from '../cases/schema.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { Place } from '../../engine/failure.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';

/** A request and its answer, masked; the answer of a login is not kept. */
interface AnsweredCall {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** undefined: nobody answered. */
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: Buffer | undefined;
  readonly outcome: string;
}

export interface RecordedStory {
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly operation: OperationName;
  readonly inputs: Inputs;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly startedAtMs: number;
  readonly exchanges: readonly AnsweredCall[];
}

export const storyOf = (recorded: RecordedStory, place: Place): CaseFile => {
  const { inputs } = recorded;
  const consignment = inputs.consignment as Readonly<Record<string, unknown>> | undefined;
  const content: Case = {
    case: `${recorded.operation}, recorded`,
    given: givenOf(recorded, consignment),
    flow: [
      {
        do: recorded.operation,
        ...(inputs.remark === undefined ? {} : { remark: inputs.remark }),
        exchanges: recorded.exchanges.filter(({ operation }) => operation !== 'login').map(exchangeOf),
      },
    ],
  };
  return {
    file: place.file,
    carrier: recorded.carrierCode,
    text: '',
    content,
    consignment,
    beside: () => undefined,
    placeAt: () => place,
  };
};

const givenOf = (
  { environment, settings, startedAtMs, inputs }: RecordedStory,
  consignment: Readonly<Record<string, unknown>> | undefined,
): Given => {
  const service = (inputs.service as { readonly name?: string } | undefined)?.name;
  return {
    now: new Date(startedAtMs).toISOString(),
    environment,
    ...(service === undefined ? {} : { service }),
    ...(consignment === undefined ? {} : { consignment }),
    settings: scalarsOf(settings),
    ...(inputs.shipment === undefined ? {} : { shipment: inputs.shipment as NonNullable<Given['shipment']> }),
  };
};

/** What a case can give as credentials or settings. */
export const scalarsOf = (values: Readonly<Record<string, unknown>>): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string | number | boolean] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'number' || typeof entry[1] === 'boolean',
    ),
  );

const exchangeOf = (call: AnsweredCall): Exchange => ({
  request: { [call.method.toLowerCase()]: call.url },
  response: answerOf(call),
});

const answerOf = ({ status, responseHeaders, responseBody, outcome }: AnsweredCall): Exchange['response'] => {
  if (status === undefined) return outcome === 'not_sent' ? 'refused' : 'timeout';
  const hasBody = responseBody !== undefined && responseBody.byteLength > 0;
  return { status, headers: responseHeaders, ...(hasBody ? { base64: responseBody.toString('base64') } : {}) };
};
