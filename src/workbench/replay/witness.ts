/** The carrier's side of a story that is written down: answers as it was recorded, and remembers all of it. */
import { answerOf } from '../cases/answers.ts';
import { showDuration } from '../cases/duration-text.ts';
import type { KnownAnswer } from '../cases/pack/material.ts';
import { isTarget } from '../cases/requests.ts';
import type { Exchange } from '../cases/schema.ts';
import type { Script, ScriptOptions } from '../cases/script.ts';
import type { beginStory } from '../cases/story.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { recordedAnswers } from './recorded-answers.ts';

export interface SeenExchange {
  readonly request: WireRequest;
  readonly response: Exchange['response'];
  /** How long the engine waits before it asks again. */
  wait?: string;
}

export interface Witness {
  readonly world: NonNullable<Parameters<typeof beginStory>[3]>;
  seen(): readonly SeenExchange[];
  /** Why the story cannot be told to its end. */
  unanswered(): string | undefined;
}

/** What is said at logins is never recorded: `known`, answers that other cases show, stand in. */
export const createWitness = (known: readonly KnownAnswer[]): Witness => {
  const seen: SeenExchange[] = [];
  let logins = 0;
  let unanswered: string | undefined;

  const scriptFor = (options: ScriptOptions): Script => {
    const recorded = recordedAnswers(options);
    return {
      ...recorded,
      send: async (request, limits) => {
        if (logins > 0) {
          const login = known.find(({ method, url }) => isTarget({ [method.toLowerCase()]: url }, request));
          const { answer, caseFile } = login ?? { answer: GUESSED, caseFile: undefined };
          seen.push({ request, response: answer });
          return answerOf(answer, limits, options.clock, caseFile?.beside ?? (() => undefined));
        }
        const outcome = await recorded.send(request, limits);
        const response = recorded.answers.at(-1);
        if (response === undefined) {
          unanswered ??= `no answer is recorded for ${request.method} ${request.url.split('?')[0] ?? ''}`;
        } else seen.push({ request, response });
        return outcome;
      },
      waited: (waitMs) => {
        const last = seen.at(-1);
        if (last !== undefined) last.wait = showDuration(waitMs);
      },
    };
  };
  return {
    world: (clock) => {
      const tokens = createMemoryTokens(clock.nowMs);
      return {
        scriptFor,
        tokens: {
          drop: tokens.drop,
          get: (wanted, login) =>
            tokens.get(wanted, async (refreshToken) => {
              logins += 1;
              try {
                return await login(refreshToken);
              } finally {
                logins -= 1;
              }
            }),
        },
      };
    },
    seen: () => seen,
    unanswered: () => unanswered,
  };
};

/** What most logins answer. */
const GUESSED = {
  status: 200,
  json: {
    access_token: 'example-token-1',
    token: 'example-token-1',
    refresh_token: 'example-refresh-token-1',
    token_type: 'Bearer',
    expires_in: 3600,
  },
};
