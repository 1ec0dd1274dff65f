/** A place in a file that a person wrote. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `carriers/acme.yaml:12:5`, the form that editors and terminals make clickable. */
export const formatPlace = (place: Place): string => `${place.file}:${place.line}:${place.column}`;

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
    return `${where}${withHelp(this)}`;
  }
}

/** What is wrong, and what to do about it. */
export const withHelp = ({ message, help }: { readonly message: string; readonly help?: string | undefined }): string =>
  help === undefined ? message : `${message} (${help})`;

/** The message of whatever was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Why something did not succeed: for the shipper (messages), for programs (code), for authors (the profile's line). */
export interface Problem {
  readonly code: string;
  readonly messages: readonly string[];
  /** The shipper's fields that it is about, one for each message; empty: none. Of an outcome's rule still as it names them. */
  readonly fields?: readonly string[] | undefined;
  /** The line of the profile or mapping that decided or failed. */
  readonly place?: Place | undefined;
}

export const problem = (
  code: string,
  message: string | readonly string[],
  place?: Place,
  fields?: readonly string[],
): Problem => ({
  code,
  messages: typeof message === 'string' ? [message] : message,
  ...(fields === undefined ? {} : { fields }),
  ...(place === undefined ? {} : { place }),
});

/** For people, each once. */
export const fieldsOfProblem = ({ fields }: Partial<Problem>): { readonly fields?: string[] } =>
  fields === undefined ? {} : { fields: [...new Set(fields)].filter((field) => field !== '') };

/** For logs and terminals, with the line that decided. */
export const describeProblem = ({ code, messages, place }: Problem): string =>
  `${code}: ${messages.join('; ')}${place === undefined ? '' : ` (${formatPlace(place)})`}`;
