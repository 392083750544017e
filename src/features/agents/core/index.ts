export { isOfAgentHost } from './agentHost';
export { AgentSession, type AgentSessionOptions, type SessionHooks } from './agentSession';
export { bridgeIn, chatCardIn, defaultHome, privateFolder, readCards } from './bridge/windowCards';
export { BridgeDoor } from './bridgeDoor';
export type { ServedServers } from './sharedServers';
