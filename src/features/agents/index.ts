export { isOfAgentHost } from './core/agentHost';
export { AgentSession, type AgentSessionOptions, type SessionHooks } from './core/agentSession';
export { bridgeIn, chatCardIn, defaultHome, privateFolder, readCards } from './core/bridge/windowCards';
export { BridgeDoor } from './core/bridgeDoor';
export type { ServedServers } from './core/sharedServers';
