/** Any JSON value. Fixtures say what they like on the wire, so nothing narrower is claimed. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };
export type RequestId = number | string;

/** A JSON-RPC message as it was seen or is to be sent, valid or not. */
export interface Message {
  jsonrpc: '2.0';
  id?: RequestId | null;
  method?: string;
  params?: JsonObject;
  result?: Json;
  error?: { code: number; message: string; data?: Json };
}

/** The JSON-RPC error codes that these servers answer with. */
export const ErrorCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
} as const;

/** Thrown by a handler to answer with a JSON-RPC error; also what a failed request to the client rejects with. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
  }
}

/** True when the value is a JSON object, which arrays and null are not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads one message. Throws an `RpcError` that says why the text is not one. */
export function parseMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RpcError(ErrorCode.parse, `Parse error: ${(error as Error).message}`);
  }
  if (!isObject(value) || value.jsonrpc !== '2.0') throw new RpcError(ErrorCode.invalidRequest, 'Invalid request');
  return value as unknown as Message;
}

/** The error answer for a request, or for a text that could not be read when `id` is null. */
export function errorAnswer(id: RequestId | null, error: unknown): Message {
  const { code, message, data } =
    error instanceof RpcError ? error : new RpcError(ErrorCode.internal, (error as Error).message);
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
