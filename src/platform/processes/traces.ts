/** OpenTelemetry spans, sent to an OTLP endpoint. Loaded only if one is configured. */
import type { Traces } from '../../engine/trace.ts';
import { readTraceparent } from '../../engine/trace.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Config } from './config.ts';

export interface SentTraces extends Traces {
  /** Sends what is left, where that does not take long. */
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 3_000;

/** Undefined: traces are off. */
export const openTraces = async ({
  otlpEndpoint: endpoint,
  traceRatio,
  serviceName,
}: Pick<Config, 'otlpEndpoint' | 'traceRatio' | 'serviceName'>): Promise<SentTraces | undefined> => {
  if (endpoint === undefined) return undefined;
  const [{ ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const { version } = packageJson;
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(traceRatio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('waybill', version);
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
  return {
    begin: (name, kind, parent, attributes) => {
      const given = parent === undefined ? undefined : readTraceparent(parent);
      const context =
        given === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...given, isRemote: true });
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceId,
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        end: (more = {}, problem) => {
          span.setAttributes(more);
          if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
          span.end();
        },
      };
    },
    close: async () => {
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref()),
      ]);
    },
  };
};
