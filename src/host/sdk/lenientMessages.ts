import {
  type CallToolResult,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import type { LeftOut } from './leftOut';
import { lenient } from './lenient';

const RESULTS: Readonly<Record<string, StandardSchemaV1>> = {
  'completion/complete': specTypeSchemas.CompleteResult,
  'logging/setLevel': specTypeSchemas.EmptyResult,
  ping: specTypeSchemas.EmptyResult,
  'prompts/get': specTypeSchemas.GetPromptResult,
  'resources/read': specTypeSchemas.ReadResourceResult,
  'resources/subscribe': specTypeSchemas.EmptyResult,
  'resources/unsubscribe': specTypeSchemas.EmptyResult,
  'tools/call': specTypeSchemas.CallToolResult,
};
const REQUESTS: Readonly<Record<string, StandardSchemaV1>> = {
  'elicitation/create': specTypeSchemas.ElicitRequest,
  'sampling/createMessage': specTypeSchemas.CreateMessageRequest,
};

/** Reads messages that the SDK refuses because of an optional part. */
export class LenientMessages {
  constructor(private readonly leftOut: LeftOut = () => {}) {}

  /** A result that the SDK has refused with this error. Throws the error if a required part is odd. */
  result(method: string, raw: unknown, error: SdkError, schema = RESULTS[method]): unknown {
    // The type belongs to the modern era; the SDK drops it.
    const { resultType = 'complete', ...result } = Object(raw) as Record<string, unknown>;
    const read = schema && resultType === 'complete' ? lenient(schema, result) : undefined;
    if (!read) throw error;
    for (const place of read.leftOut) this.leftOut(method, place);
    return read.value;
  }

  /** The result of a tool call in which these issues were found, likewise. */
  call(raw: unknown, issues: readonly StandardSchemaV1.Issue[]): CallToolResult {
    const said = issues.map(({ message, path }) => (path?.length ? `${path.map(String).join('.')}: ` : '') + message);
    const error = new SdkError(SdkErrorCode.InvalidResult, `Invalid result for tools/call: ${said.join(', ')}`);
    return this.result('tools/call', raw, error) as CallToolResult;
  }

  /** A server's request, or the answer to one of the SDK's own, as the SDK will accept it; or unchanged. */
  fitting<T extends object>(method: string, value: T, schema = REQUESTS[method]): T {
    const read = schema && lenient(schema, value);
    if (!read || read.leftOut.length === 0) return value;
    for (const place of read.leftOut) this.leftOut(method, place);
    return read.raw as T;
  }
}
