// The published definitions of OTLP, in protobuf: what is sent as JSON has to be what they say.
import assert from 'node:assert/strict';

/** An attribute, as OTLP has it. */
export interface KeyValue {
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
export function asDefined<K extends keyof Requests>(kind: K, body: string): Requests[K] {
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
