import { isJSONRPCErrorResponse, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Marks an error that is to leave with code -32002. */
export const notFoundMessage = 'Resource not found';

/**
 * Lets "resource not found" out with -32002, as servers up to 2025-11-25 answer it: SDK v2 turns that code into -32602
 * whatever a handler throws.
 */
export class OldErrorCodeTransport extends StdioServerTransport {
  override send(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCErrorResponse(message) || !message.error.message.includes(notFoundMessage))
      return super.send(message);
    return super.send({ ...message, error: { ...message.error, code: -32002 } });
  }
}
