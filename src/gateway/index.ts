/**
 * The gateway: the host's connections, served over MCP to the editor's own client and to agents. It is in its own bundle
 * (dist/gateway.js), which is loaded when native chat first wants servers, or they are shared.
 */

export { type ListeningPlace, leavePlace, newPlace } from './address';
export { ClientSubscriptions } from './clientSubscriptions';
export { describe } from './description';
export { Gateway, type GatewayAddress, type GatewayOptions } from './gateway';
export { offeredServer, type RequestHandler } from './offeredServer';
export { type GatewayTrust, PassThrough } from './passThrough';
export { untilOver } from './untilListed';
export { WireError } from './wireError';
