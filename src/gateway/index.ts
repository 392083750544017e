/**
 * The gateway: the host's connections, served over MCP to the editor's own client. It is in its own bundle
 * (dist/gateway.js), which is loaded when native chat first wants servers.
 */

export { describe } from './description';
export { Gateway, type GatewayAddress, type GatewayOptions } from './gateway';
