import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { asDefined, type KeyValue } from './otlpDefinitions';

type Value = string | number | boolean;

/** A span as the receiver got it. */
export interface ReceivedSpan {
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
