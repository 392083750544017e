/**
 * The gateway: the host's connections, served over MCP to the editor's own client and to agents. It is in its own bundle
 * (dist/gateway.js), which is loaded when native chat first wants servers, or they are shared.
 */

export { ClientSubscriptions, untilOver } from './clientSubscriptions';
export { instructionsForModels } from './formsForModels';
export {
  Gateway,
  type GatewayAddress,
  type GatewayOptions,
  type ListeningPlace,
  leavePlace,
  newPlace,
  whenRemoved,
} from './gateway';
export type { GatewayTrust } from './gatewayTrust';
export { ANNOUNCE, type AnnouncedKind, ListChanges } from './listChanges';
export { PassThrough } from './passThrough';
export { describe, offeredServer, type RequestHandler } from './sessions';
export { type ClientNames, distinctNames, type ToolConversion, type ToolOptions } from './toolsForModels';
export { WireError } from './wireError';
