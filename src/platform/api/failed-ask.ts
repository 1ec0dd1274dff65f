import type { Asked } from '../../engine/ask/ask.ts';
import type { AskedName } from '../../engine/ask/operations.ts';
import { badGateway, type HttpAnswer, notFound, unprocessable } from './http-answer.ts';

/** Where a carrier was asked for something by itself, and did not give it. */
export const failedAsk = ({ why, problem: { messages } }: Extract<Asked<AskedName>, { ok: false }>): HttpAnswer => {
  if (why === 'not_offered') return notFound(messages.join('; '), 'unknown_carrier');
  if (why === 'rejected') return unprocessable('The carrier refused', messages, {}, 'carrier_rejected');
  return badGateway(`The carrier gave no answer: ${messages.join('; ')}`, 'carrier_failed');
};
