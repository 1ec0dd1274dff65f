/** One request to the endpoint, made, sent and read as a dispatch does. */
import { createMemoryLog } from '../../engine/dispatch/attempt-log.ts';
import { readAnswer } from '../../engine/dispatch/answer.ts';
import { authHeadersFor } from '../../engine/dispatch/auth/headers.ts';
import type { Account, Exchange, Ports, Run, RunOutcome } from '../../engine/dispatch/ports.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import { Failure } from '../../engine/failure.ts';
import { downloadLabel, type LabelOutcome } from '../../engine/labels/fetch.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Transport } from '../../engine/transport/transport.ts';
import { mapTexts } from '../../engine/value.ts';
import { performerOf, repeatablePorts, withSteps } from '../engine-run.ts';
import type { Fields } from './consignments.ts';
import type { Trial } from './trials.ts';

export interface Setting {
  readonly carrier: Carrier;
  readonly account: Account;
  readonly send: Transport['send'];
  readonly nowMs: () => number;
}

/** What was sent and what came, masked, and what the engine makes of it. */
export interface Tried {
  readonly trial: Trial;
  readonly consignment: Fields;
  readonly exchange: Exchange;
  readonly outcome: RunOutcome;
  /** As the engine reads it; undefined: it cannot, or there is none. */
  readonly body: unknown;
}

const open = ({ carrier, account, send, nowMs }: Setting, { action, proof }: Trial, consignment: Fields) => {
  const exchanges: Exchange[] = [];
  const noteExchange = (exchange: Exchange): Promise<void> => Promise.resolve(void exchanges.push(exchange));
  const sender = proof === 'missing' ? withSteps(carrier, (step) => ({ ...step, auth: [] })) : carrier;
  const wrong = mapTexts(account.credentials, (text) => `wrong-${text}`) as Fields;
  const { operation, perform: performIt } = performerOf(sender, action);
  if (operation === undefined) throw new Failure(`the contract has no ${action}`, { code: 'operation_missing' });
  const run: Run = {
    seed: JSON.stringify(consignment),
    carrier: sender,
    operation,
    environment: 'production',
    account: proof === 'wrong' ? { ...account, credentials: wrong } : account,
    inputs: { consignment },
    nowMs: nowMs(),
  };
  const attemptLog = createMemoryLog(noteExchange);
  const ports: Ports = repeatablePorts({ attemptLog, tokens: createMemoryTokens(nowMs), noteExchange, send, nowMs });
  return { run, ports, performIt, exchanges };
};

/** Sends it once: what a server would try again is for the endpoint's developer to know. */
export const perform = async (setting: Setting, trial: Trial, consignment: Fields): Promise<Tried> => {
  const { run, ports, performIt, exchanges } = open(setting, trial, consignment);
  const outcome = await performIt(run, ports);
  const [exchange] = exchanges;
  if (exchange === undefined) throw new Failure('the request cannot be made', { code: 'request_not_made' });
  const { status, responseHeaders: headers = {}, responseBody } = exchange;
  if (status === undefined || responseBody === undefined)
    return { trial, consignment, exchange, outcome, body: undefined };
  const { body } = readAnswer(run.operation.steps[0], { status, headers, body: responseBody }).answer;
  return { trial, consignment, exchange, outcome, body };
};

/** Tries once to fetch a label; as a server does, with credentials for the endpoint's own host only. */
export const fetchLabel = async (setting: Setting, tried: Tried, url: string): Promise<LabelOutcome> => {
  const { run, ports } = open(setting, tried.trial, tried.consignment);
  const authHeaders = async (at: string) => await authHeadersFor(run, ports, at);
  return await downloadLabel(url, { send: setting.send, nowMs: setting.nowMs, authHeaders });
};
