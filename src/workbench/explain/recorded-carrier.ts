/** The carrier's side of a recorded dispatch: answers each request as it was answered then. No network. */
import type { CallKey, Exchange } from '../../engine/dispatch/ports.ts';
import type { AmbiguousCode, NotSentCode, WireOutcome } from '../../engine/transport/wire.ts';

/** Thrown where a request comes of which the record has no answer. */
export class RecordEnded extends Error {
  override readonly name = 'RecordEnded';
}

export interface RecordedCarrier {
  /** This call is what the next request is for; without it, the next request is a lookup's. */
  announce(key: CallKey): void;
  answer(): WireOutcome;
  /** When the next request left. */
  nowMs(): number;
  /** In the order in which they were asked for. */
  readonly answered: readonly Exchange[];
  /** What is left. */
  open(): readonly Exchange[];
}

/** Logins are none of `exchanges`: nothing is kept of what they said. */
export const createRecordedCarrier = (exchanges: readonly Exchange[]): RecordedCarrier => {
  const answered: Exchange[] = [];
  let announced: CallKey | undefined;
  const open = (): readonly Exchange[] => exchanges.filter((exchange) => !answered.includes(exchange));
  const isNext = (exchange: Exchange): boolean =>
    announced === undefined ? exchange.operation === 'lookup' : isOf(exchange, announced);
  return {
    answered,
    open,
    announce: (key) => {
      announced = key;
    },
    nowMs: () => (open()[0] ?? exchanges.at(-1))?.atMs ?? 0,
    answer: () => {
      const exchange = open().find(isNext);
      announced = undefined;
      if (exchange === undefined) throw new RecordEnded('no answer to this request is recorded');
      answered.push(exchange);
      return outcomeOf(exchange);
    },
  };
};

/** The calls of a recreate are named `cancel/<step>` and `create/<step>`. */
const isOf = ({ operation, step, element }: Exchange, key: CallKey): boolean => {
  const [part, name] = key.step.includes('/') ? key.step.split('/') : [undefined, key.step];
  return step === name && element === key.element && operation !== 'lookup' && (part ?? operation) === operation;
};

const outcomeOf = (exchange: Exchange): WireOutcome => {
  const { status, responseHeaders, responseBody, outcome, message = '' } = exchange;
  if (status !== undefined && responseHeaders !== undefined) {
    const body = responseBody ?? Buffer.alloc(0);
    return { kind: 'answer', status, headers: responseHeaders, body };
  }
  // Messages begin with their code.
  const [code = '', ...rest] = message.split(': ');
  const said = rest.join(': ');
  return outcome === 'not_sent'
    ? { kind: 'not_sent', code: code as NotSentCode, message: said }
    : { kind: 'ambiguous', code: code as AmbiguousCode, message: said };
};
