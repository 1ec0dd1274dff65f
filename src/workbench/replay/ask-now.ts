/** Asks a carrier what a case asks, and hands back what happened as the records would have it. */
import type { CaseFile } from '../cases/read.ts';
import type { Exchange, Inputs } from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import { type Carrier, OPERATIONS } from '../../engine/profile/carrier.ts';
import type { RecordedStory } from './recorded-story.ts';
import type { Running } from './run-payload.ts';
import { tellCase } from './tell.ts';

/** Only the first step: what comes after stands on numbers that an answer gave then. */
export const askNow = async (
  caseFile: CaseFile,
  carrier: Carrier,
  { play, given }: Partial<Running>,
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
  const exchanges: Exchange[] = [];
  const onExchange = (exchange: Exchange): void => void exchanges.push(exchange);
  const [seen] = await tellCase({ ...caseFile, content: asked }, carrier, { play, onExchange });
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
    } satisfies Inputs,
    settings: given?.settings ?? {},
    startedAtMs: nowMs,
    exchanges: exchanges.map((exchange) => ({ ...exchange, responseHeaders: exchange.responseHeaders ?? {} })),
  };
};
