export type { ConfinedServers } from './confinedServers';
