import { randomUUID } from 'node:crypto';
import { constants, setPriority } from 'node:os';
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
import {
  type IdGenerator,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  BoundedQueue,
  type FromTelemetry,
  type Operation,
  type SessionFacts,
  type Signal,
  type SpanPlace,
  type ToTelemetry,
} from '../operation';

/*
 * A separate program: it sends spans and metrics of requests to a receiver of OTLP, with the libraries of OpenTelemetry. It
 * gets batches from the window (`Reporting`), and ends with it.
 */

/** How long the receiver may take at the end when nobody waits for it. */
const LAST_MS = 2_000;
const tell = (message: FromTelemetry, sent = () => {}) => {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
  else sent();
};
let reports: OtlpReports | undefined;
try {
  // Reports can wait; the calls that they tell of cannot.
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // A system that forbids it loses nothing else.
}

process.on('message', (message: ToTelemetry) => {
  if (message.type === 'start') reports = new OtlpReports(message, tell);
  else if (message.type === 'finish') void finish();
  else {
    reports?.add(message);
    tell({ type: 'taken' });
  }
});
// The window is gone.
process.once('disconnect', () => {
  setTimeout(() => process.exit(), LAST_MS);
  void finish();
});

/** Ends when the window has got all that it was told. */
async function finish(): Promise<void> {
  await reports?.finish();
  tell({ type: 'finished' }, () => process.exit());
}

type Start = Extract<ToTelemetry, { type: 'start' }>;
type Batch = Extract<ToTelemetry, { type: 'ended' }>;

const NAME = 'mcp-host';
/** In seconds, as the conventions say. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** What varies too much for metrics. */
const SESSION_ID = 'mcp.session.id';

/** Turns requests that have ended into spans and metrics, and sends them. */
class OtlpReports {
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
    this.#spans = new SpanExports(new OTLPTraceExporter(to('/v1/traces')), new SignalReporter('spans', tell));
    const spans = new TracerProvider({ resource, idGenerator: this.#ids, spanProcessors: [this.#spans] });
    this.#tracer = spans.getTracer(NAME, version);
    const exporter = new OTLPMetricExporter(to('/v1/metrics'));
    const told = new SignalReporter('metrics', tell);
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

/** Spans that wait for the receiver. */
const MAX_WAITING = 4_096;
const BATCH = 512;

/**
 * Gives spans to the exporter, one batch after the other, so that a receiver that is slow gets no more at once. The SDK's own
 * processor does the same, but does not say how many spans it has dropped.
 */
class SpanExports implements SpanProcessor {
  readonly #queue = new BoundedQueue<ReadableSpan>(MAX_WAITING);
  #exporting: Promise<void> | undefined;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly told: SignalReporter,
  ) {}

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    this.#queue.push(span);
    // All that are added together are sent together.
    this.#exporting ??= Promise.resolve().then(() => this.#export());
  }

  async forceFlush(): Promise<void> {
    while (this.#exporting !== undefined) await this.#exporting;
  }

  shutdown(): Promise<void> {
    return this.forceFlush();
  }

  async #export(): Promise<void> {
    while (this.#queue.size > 0) {
      const batch = this.#queue.take(BATCH);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.exporter.export(batch, result => {
        if (result.code !== 0) this.#queue.lose(batch.length);
        const lost = this.#queue.takeDropped();
        if (lost > 0) this.told.lost(lost);
        this.told.exported(result);
        resolve();
      });
      await promise;
    }
    this.#exporting = undefined;
  }
}

/** What an exporter says. `code` 0: the receiver has taken it. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** Tells the window whether the receiver takes one signal, when that changes. */
class SignalReporter {
  #said: FromTelemetry['type'] | undefined;

  constructor(
    private readonly signal: Signal,
    private readonly tell: (message: FromTelemetry) => void,
  ) {}

  exported<T extends ExportResult>(result: T): T {
    const { signal } = this;
    const said = result.code === 0 ? 'delivered' : 'failing';
    if (said !== this.#said)
      this.tell(said === 'delivered' ? { type: said, signal } : { type: said, signal, reason: reasonOf(result.error) });
    this.#said = said;
    return result;
  }

  lost(spans: number): void {
    this.tell({ type: 'lost', spans });
    // The next success is told with the number of those that were lost.
    if (this.#said === 'delivered') this.#said = undefined;
  }
}

/** Name, HTTP status or code of the network, and message. */
function reasonOf(error: Error | undefined): string {
  if (!error) return 'unknown';
  const { message, code, cause } = error as Error & { code?: unknown };
  const codes = [code, (cause as { code?: unknown } | undefined)?.code].filter(one => one !== undefined);
  return [message || error.name, ...(codes.length > 0 ? [`(${codes.join(', ')})`] : [])].join(' ');
}
