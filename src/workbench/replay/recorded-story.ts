/** A dispatch as the records have it, or as a carrier answers it now, as the story of a case. */
import type { Exchange as Recorded, Inputs } from '../../engine/dispatch/ports.ts';
import { Failure, type Place } from '../../engine/failure.ts';
import { type Carrier, type EnvironmentName, type OperationName, OPERATIONS } from '../../engine/profile/carrier.ts';
import { isScalar } from '../../engine/value.ts';
import { type CaseFile, unwrittenCase } from '../cases/read.ts';
import type { Case, Exchange, Given } from '../cases/schema.ts';
import { observeCase } from './observe-case.ts';
import type { Running } from './run-payload.ts';

/** A request and its answer, masked; the answer of a login is not kept. */
interface AnsweredCall extends Pick<Recorded, 'operation' | 'method' | 'url' | 'status' | 'responseBody' | 'outcome'> {
  readonly responseHeaders: Readonly<Record<string, string>>;
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
  const { inputs, operation, environment, settings, startedAtMs, carrierCode } = recorded;
  const service = (inputs.service as { readonly name?: string } | undefined)?.name;
  const given: Given = {
    now: new Date(startedAtMs).toISOString(),
    environment,
    ...(service === undefined ? {} : { service }),
    ...(inputs.consignment === undefined ? {} : { consignment: inputs.consignment }),
    settings: scalarsOf(settings),
    ...(inputs.shipment === undefined ? {} : { shipment: inputs.shipment as NonNullable<Given['shipment']> }),
  };
  const exchanges = recorded.exchanges.filter((call) => call.operation !== 'login').map(exchangeOf);
  const remark = inputs.remark === undefined ? {} : { remark: inputs.remark };
  const content: Case = { case: `${operation}, recorded`, given, flow: [{ do: operation, ...remark, exchanges }] };
  return unwrittenCase(content, place, carrierCode);
};

type Scalar = string | number | boolean;

/** What a case can give as credentials or settings. */
export const scalarsOf = (values: Readonly<Record<string, unknown>>): Record<string, Scalar> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Scalar] => isScalar(entry[1])));

const exchangeOf = ({ method, url, status, responseHeaders, responseBody, outcome }: AnsweredCall): Exchange => {
  const request = { [method.toLowerCase()]: url };
  // Nobody answered.
  if (status === undefined) return { request, response: outcome === 'not_sent' ? 'refused' : 'timeout' };
  const hasBody = responseBody !== undefined && responseBody.byteLength > 0;
  const body = hasBody ? { base64: responseBody.toString('base64') } : {};
  return { request, response: { status, headers: responseHeaders, ...body } };
};

/** Asks a carrier what a case asks: only the first step, for what comes after stands on numbers that an answer gave then. */
export const askNow = async (
  caseFile: CaseFile,
  carrier: Carrier,
  { send, given }: Partial<Running>,
  nowMs: number,
): Promise<RecordedStory> => {
  const { content, consignment } = caseFile;
  const [step] = content.flow;
  const operation = OPERATIONS.find((name) => name === step?.do);
  if (step === undefined || operation === undefined) {
    throw new Failure('the case does not begin by asking the carrier', { code: 'payload_unusable' });
  }
  const now = new Date(nowMs).toISOString();
  const asked = { ...content, given: { ...content.given, ...given, now }, flow: [step] };
  const exchanges: Recorded[] = [];
  const onExchange = (exchange: Recorded): void => void exchanges.push(exchange);
  const [seen] = await observeCase({ ...caseFile, content: asked }, carrier, { send, onExchange });
  if (exchanges.length === 0) {
    throw new Failure(seen?.messages?.join('; ') ?? 'nothing was asked', { code: seen?.code ?? 'payload_unusable' });
  }
  const { service, shipment } = content.given ?? {};
  return {
    carrierCode: carrier.code,
    environment: given?.environment ?? 'sandbox',
    operation,
    inputs: {
      consignment,
      ...(service === undefined ? {} : { service: { name: service } }),
      ...(shipment === undefined ? {} : { shipment }),
      ...(step.remark === undefined ? {} : { remark: step.remark }),
    },
    settings: given?.settings ?? {},
    startedAtMs: nowMs,
    exchanges: exchanges.map((exchange) => ({ ...exchange, responseHeaders: exchange.responseHeaders ?? {} })),
  };
};
