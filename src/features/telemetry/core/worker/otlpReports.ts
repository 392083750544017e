import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Histogram,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { type IdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FromTelemetry, Operation, SessionFacts, SpanPlace, ToTelemetry } from '../operation';
import { SpanExports } from './spanExports';
import { Told } from './told';

type Start = Extract<ToTelemetry, { type: 'start' }>;
type Batch = Extract<ToTelemetry, { type: 'ended' }>;

const NAME = 'mcp-host';
/** In seconds, as the conventions say. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** What varies too much for metrics. */
const SESSION_ID = 'mcp.session.id';

/** Turns requests that have ended into spans and metrics, and sends them. */
export class OtlpReports {
  readonly #ids = new GivenIds();
  readonly #spans: SpanExports;
  readonly #tracer: Tracer;
  readonly #meters: MeterProvider;
  readonly #operations: Histogram;
  readonly #sessions: Histogram;

  constructor(
    { endpoint, headers, version, metricsEveryMs, timeoutMs }: Start,
    tell: (message: FromTelemetry) => void,
  ) {
    const resource = defaultResource().merge(
      resourceFromAttributes({
        'service.name': NAME,
        'service.version': version,
        // Metrics of several windows must not be added up as one.
        'service.instance.id': randomUUID(),
      }),
    );
    const to = (path: string) => ({ url: `${endpoint}${path}`, headers: { ...headers }, timeoutMillis: timeoutMs });
    this.#spans = new SpanExports(new OTLPTraceExporter(to('/v1/traces')), new Told('spans', tell));
    const spans = new TracerProvider({ resource, idGenerator: this.#ids, spanProcessors: [this.#spans] });
    this.#tracer = spans.getTracer(NAME, version);
    const exporter = new OTLPMetricExporter(to('/v1/metrics'));
    const told = new Told('metrics', tell);
    const send = exporter.export.bind(exporter);
    exporter.export = (metrics, done) => send(metrics, result => done(told.exported(result)));
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: metricsEveryMs,
      exportTimeoutMillis: Math.min(metricsEveryMs, timeoutMs),
    });
    this.#meters = new MeterProvider({ resource, readers: [reader] });
    const meter = this.#meters.getMeter(NAME, version);
    const histogram = (name: string, description: string) =>
      meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: BOUNDARIES } });
    this.#operations = histogram(
      'mcp.client.operation.duration',
      'The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received.',
    );
    this.#sessions = histogram(
      'mcp.client.session.duration',
      'The duration of the MCP session as observed on the MCP client.',
    );
  }

  add({ facts, operations, of, sessions }: Batch): void {
    for (const [index, operation] of operations.entries()) {
      const about = facts[of[index]!] ?? {};
      const { [SESSION_ID]: _, ...common } = { ...about, ...operationFacts(operation) };
      this.#operations.record(operation.seconds, common);
      if (operation.place) this.#addSpan(operation, operation.place, about);
    }
    for (const { session, seconds } of sessions) {
      const { [SESSION_ID]: _, ...common } = facts[session] ?? {};
      this.#sessions.record(seconds, common);
    }
  }

  /** Sends what is left. Resolves when the receiver has it, or does not take it. */
  async finish(): Promise<void> {
    await Promise.allSettled([this.#spans.forceFlush(), this.#meters.shutdown()]);
  }

  #addSpan(operation: Operation, place: SpanPlace, facts: SessionFacts): void {
    const { method, tool, prompt, id, startedAt, seconds, errorType, content } = operation;
    const target = tool ?? prompt;
    const { traceId, parentId } = place;
    this.#ids.next = place;
    const span = this.#tracer.startSpan(
      target === undefined ? method : `${method} ${target}`,
      {
        kind: SpanKind.CLIENT,
        startTime: highResolution(startedAt),
        attributes: { ...facts, ...operationFacts(operation), 'jsonrpc.request.id': id, ...content },
      },
      parentId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: 1, isRemote: true }),
    );
    // Without a description: the message of an error may hold anything.
    if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(highResolution(startedAt + seconds * 1_000));
  }
}

/** What both the span and the metric of a request have. */
const operationFacts = ({ method, tool, prompt, errorType, statusCode }: Operation): Attributes => ({
  'mcp.method.name': method,
  ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
  ...(tool !== undefined && { 'gen_ai.tool.name': tool }),
  ...(prompt !== undefined && { 'gen_ai.prompt.name': prompt }),
  ...(errorType !== undefined && { 'error.type': errorType }),
  ...(statusCode !== undefined && { 'rpc.response.status_code': statusCode }),
});

/** In seconds and nanoseconds: the SDK would take a smaller number for one that counts from the start of this program. */
function highResolution(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1_000) * 1_000_000))];
}

/** The ids that servers were given with the requests. */
class GivenIds implements IdGenerator {
  next: SpanPlace = { traceId: '', spanId: '' };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}
