import { formatPlace, type Place } from './place.ts';

export interface FailureOptions {
  /** Stable, `lower_snake_case`: programs match on it, texts may change. */
  readonly code: string;
  readonly place?: Place | undefined;
  /** What to do about it, as a sentence. */
  readonly help?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The one error class of the engine. Its message says what was wrong, `place` where, `help` what to do,
 * `code` is stable, `cause` is what lay beneath. It never carries a secret.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly place: Place | undefined;
  readonly help: string | undefined;

  constructor(message: string, options: FailureOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.place = options.place;
    this.help = options.help;
  }

  /** One line for a log or a terminal. */
  describe(): string {
    const where = this.place === undefined ? '' : `${formatPlace(this.place)}: `;
    return `${where}${this.message}${this.help === undefined ? '' : ` (${this.help})`}`;
  }
}

/** The message of whatever was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
