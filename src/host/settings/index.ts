/** The settings of MCP servers: reading, checking, resolving and finding them. Free of the editor. */
export { parseEnvFile } from './envFile';
export { canonicalJson, fingerprint } from './fingerprint';
export { findServerEntries, type LocateOptions, locate, type SettingsLocation } from './locate';
export { type ParsedServer, type ParsedServers, type Problem, parseServers } from './parse';
// `serversJsonSchema` stays out: only the manifest is made with it, and it would bring its texts into the bundle.
export { LOG_LEVELS, type ServerEntry } from './schema';
export { type ResolvedEntry, resolveVariables, type VariableContext } from './variables';
