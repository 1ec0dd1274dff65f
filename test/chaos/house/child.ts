/** Carriers in a process of their own: their memory and their work are not counted as ours. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export interface CarrierProcess<Hello> {
  /** Its first message: where it listens. */
  readonly hello: Hello;
  /** Sent to it as a message. */
  tell(message: unknown): void;
  /** Asks it a question; one at a time. */
  ask<Answer>(message: unknown): Promise<Answer>;
  close(): Promise<void>;
}

/** The file below `hostile/` says hello when it listens, and ends when its channel does. */
export const startCarrierProcess = async <Hello>(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CarrierProcess<Hello>> => {
  const options = { execArgv: [], env: { ...process.env, ...env } };
  const child: ChildProcess = fork(path.join(import.meta.dirname, '../hostile', file), options);
  const [hello] = (await once(child, 'message')) as [Hello];
  return {
    hello,
    tell: (message) => void child.send(message as object),
    ask: async <Answer>(message: unknown) => {
      const answered = once(child, 'message');
      child.send(message as object);
      return ((await answered) as [Answer])[0];
    },
    close: async () => {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
};
