/**
 * The MCP host core, free of the editor. Built into a bundle of its own (dist/host.js) that is loaded when the first
 * server is configured: everything that needs the SDK or zod is behind this door.
 */

export type { Account } from './account';
export {
  CATALOG_KINDS,
  Catalog,
  type CatalogItems,
  type CatalogKind,
  type CatalogList,
  type ExcludedItem,
} from './catalog';
export { ServerConnection } from './connection';
export type { DefinitionSource, ServerDefinition, ServerId } from './definition';
export {
  type ConfiguredServers,
  type ResolvedDefinitions,
  resolveDefinitions,
  type SourceProblems,
} from './definitions';
export { HostError, messageOf } from './errors';
export { McpHost, type ServerChange } from './host';
export type { ConnectionOptions } from './options';
export type {
  Admission,
  AuthorizationRequest,
  AuthPort,
  ElicitationPort,
  HostPorts,
  LaunchPort,
  LogEntry,
  LogPort,
  MemoryPort,
  Redirect,
  RootsPort,
  SamplingPort,
} from './ports';
export { readBounded } from './readBounded';
export type { ServerInfo } from './session';
export {
  fillInputs,
  fingerprint,
  type InputDefinition,
  type Problem,
  type ServerEntry,
  settingsReading,
  type UsedInputs,
  type VariableContext,
} from './settings';
export { loginShellPath } from './shellPath';
export type { StartPolicy } from './startPolicy';
export type { ServerState } from './state';
export type { SubscriptionState, Subscriptions } from './subscriptions';
export type { TraceLimits, TraceLog, TraceRecord } from './trace/traceLog';
export { schemaProblem } from './validate';
