/** Traces as the rest knows them: spans that are begun and ended, and travel as W3C `traceparent`. Who records them, if anybody does, is not said here. */

/** Shown to whoever may see traces: ids, codes, numbers and hosts. Never a path or a text of somebody else's. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Span {
  readonly traceId: string;
  /** For what follows from it. */
  readonly traceparent: string;
  /** `problem`: what was to be done is not done; a stable word. */
  end(attributes?: Attributes, problem?: string): void;
}

export interface Traces {
  /** `parent`: a `traceparent`; one that is none, and undefined, begin a trace. */
  begin(name: string, kind: 'server' | 'client' | 'consumer', parent: string | undefined, attributes: Attributes): Span;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export const readTraceparent = (text: string) => {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  return traceId === undefined || spanId === undefined
    ? undefined
    : { traceId, spanId, traceFlags: Number(`0x${flags}`) & 1 };
};

/** The id that a log line names. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => traceparent?.split('-')[1];
