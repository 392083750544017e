import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Description } from './description';

/** Carries out a request of a client. Rejects with a `WireError`. */
export type RequestHandler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Nothing is checked here that would need one. */
const noValidator = {
  getValidator: () => () => {
    throw new Error('The gateway validates nothing.');
  },
};

/**
 * One server towards one client of the gateway. Requests go to the handler unread: the SDK's own handlers would check,
 * strip and so alter what the server behind says. Without a handler it knows only what every server does.
 */
export function offeredServer(
  { implementation, capabilities, instructions }: Description,
  handle?: RequestHandler,
): Server {
  const server = new Server(implementation, {
    capabilities,
    jsonSchemaValidator: noValidator,
    ...(instructions !== undefined && { instructions }),
  });
  if (handle) server.fallbackRequestHandler = handle;
  return server;
}
