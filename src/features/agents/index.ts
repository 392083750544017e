export { shareServers } from './shareServers';
