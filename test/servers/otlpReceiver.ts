// The published definitions of OTLP, in protobuf: what is sent as JSON has to be what they say.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An attribute, as OTLP has it. */
interface KeyValue {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}

interface Requests {
  trace: {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: readonly KeyValue[] };
      readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[];
    }[];
  };
  metrics: {
    readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly unknown[] }[] }[];
  };
}

/** A message type that protobufjs has made of the definitions. */
interface MessageType {
  fromObject(value: unknown): object;
  verify(message: object): string | null;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): unknown;
}

/** Made by the authors of OpenTelemetry of their definitions; later versions of the package have only code of their own. */
const { collector } = (
  require('otlp-definitions/build/src/generated/root') as {
    opentelemetry: { proto: { collector: Record<'trace' | 'metrics', { v1: Record<string, MessageType> }> } };
  }
).opentelemetry.proto;
const TYPES: Readonly<Record<keyof Requests, MessageType>> = {
  trace: collector.trace.v1.ExportTraceServiceRequest!,
  metrics: collector.metrics.v1.ExportMetricsServiceRequest!,
};
/** In JSON these are in hexadecimal, unlike other bytes. */
const IDS = new Set(['traceId', 'spanId', 'parentSpanId']);

/**
 * The request that a body in JSON is, after a way through protobuf.
 * @throws Error for anything that the definitions do not have.
 */
function asDefined<K extends keyof Requests>(kind: K, body: string): Requests[K] {
  const type = TYPES[kind];
  const given: unknown = JSON.parse(body);
  const message = type.fromObject(withIds(given, 'hex', 'base64'));
  assert.equal(type.verify(message), null);
  const decoded = type.decode(type.encode(message).finish());
  const read = withIds(type.toObject(decoded, { longs: String, bytes: String, arrays: true }), 'base64', 'hex');
  assert.deepEqual(lacking(given, read), [], 'the definitions do not have these');
  return read as Requests[K];
}

function withIds(value: unknown, from: BufferEncoding, to: BufferEncoding): unknown {
  if (Array.isArray(value)) return value.map(item => withIds(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      IDS.has(key) && typeof item === 'string' ? Buffer.from(item, from).toString(to) : withIds(item, from, to),
    ]),
  );
}

/** Paths of what is in `given` and not in `read`. What has no default is left out in protobuf. */
function lacking(given: unknown, read: unknown, path = ''): string[] {
  if (given === 0 || given === '' || given === false || given === null || given === undefined) return [];
  if (typeof given !== 'object') return String(given) === String(read) ? [] : [`${path}: ${given}, not ${read}`];
  return Object.entries(given).flatMap(([key, item]) =>
    lacking(item, (read as Record<string, unknown> | undefined)?.[key], `${path}.${key}`),
  );
}

type Value = string | number | boolean;

/** A span as the receiver got it. */
interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly start: bigint;
  readonly end: bigint;
  readonly isError: boolean;
  readonly description: string | undefined;
  readonly attributes: Record<string, Value>;
}

/** A point of a histogram as the receiver got it. */
interface ReceivedPoint {
  readonly unit: string;
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly attributes: Record<string, Value>;
}

/** How a request is answered. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface RawSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { code?: number; message?: string };
  readonly attributes: readonly KeyValue[];
}
interface RawMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly count: number | string;
      readonly sum: number;
      readonly explicitBounds: readonly number[];
      readonly attributes: readonly KeyValue[];
    }[];
  };
}

const ERROR = 2;
const taken: Answer = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** A receiver of OTLP over HTTP that checks all that it gets by the published definitions, and keeps it. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** By the name of the metric, the newest state of each series. */
  readonly metrics = new Map<string, ReceivedPoint[]>();
  /** Attributes of the program that sent. */
  resource: Record<string, Value> = {};
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  readonly bodies: string[] = [];
  readonly faults: string[] = [];
  /** What it does with requests from now on. Requests that are not taken are not kept. */
  answer: Answer = taken;
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await receiver.open();
    return receiver;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the same port as before if there was one. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Takes requests as usual again. */
  take(): void {
    this.answer = taken;
  }

  /** Is gone from now on: connections are refused. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter(span => span.name === name);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    this.requests.push({ path: url, headers });
    const body = await text(request).catch(() => '');
    const { answer } = this;
    if (answer === taken) {
      try {
        this.#keep(url, body);
      } catch (error) {
        this.faults.push(String(error));
      }
    }
    answer(request, response);
  }

  #keep(path: string, body: string): void {
    this.bodies.push(body);
    if (path === '/v1/traces') {
      for (const { resource, scopeSpans } of asDefined('trace', body).resourceSpans) {
        this.resource = valuesOf(resource.attributes);
        for (const span of scopeSpans.flatMap(({ spans }) => spans)) this.spans.push(readable(span as RawSpan));
      }
    } else if (path === '/v1/metrics') {
      for (const { scopeMetrics } of asDefined('metrics', body).resourceMetrics)
        for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) this.#keepMetric(metric as RawMetric);
    } else throw new Error(`nothing is at ${path}`);
  }

  #keepMetric({ name, unit, histogram }: RawMetric): void {
    const points = histogram?.dataPoints.map(point => ({
      unit,
      count: Number(point.count),
      sum: point.sum,
      bounds: point.explicitBounds,
      attributes: valuesOf(point.attributes),
    }));
    this.metrics.set(name, points ?? []);
  }
}

const readable = (span: RawSpan): ReceivedSpan => ({
  name: span.name,
  kind: span.kind,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  start: BigInt(span.startTimeUnixNano),
  end: BigInt(span.endTimeUnixNano),
  isError: span.status?.code === ERROR,
  description: span.status?.message,
  attributes: valuesOf(span.attributes),
});

const valuesOf = (attributes: readonly KeyValue[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue ?? '') : Number(intValue)),
    ]),
  );
