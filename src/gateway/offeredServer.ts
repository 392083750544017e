import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Description } from './description';

/** Carries out a request of a client, which has declared this. Rejects with a `WireError`. */
export type RequestHandler = (
  request: JSONRPCRequest,
  context: ServerContext,
  client: ClientCapabilities | undefined,
) => Promise<Result>;

/** Nothing is checked here that would need a validator. */
const noValidator = {
  getValidator: () => () => {
    throw new Error('The gateway validates nothing.');
  },
};

/**
 * One server as one client of the gateway sees it. Requests go to the handler unread: the SDK's own handlers would check and
 * strip, and so alter, what the actual server says. Without a handler it knows only what every server does.
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
  if (handle) {
    server.fallbackRequestHandler = (request, context) => {
      const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
      const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
      return handle(request, context, declared ?? server.getClientCapabilities());
    };
  }
  return server;
}
