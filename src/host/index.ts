/** The MCP host, free of the editor, besides the `index.ts` of `catalog`, `definition`, `launch` and `settings`. */

export type {
  AllowedRequests,
  OpenRequests,
  RequestsOf,
  WantedRequest,
  WantedSubscription,
} from './connection/allowedRequests';
export { type EventChannel, eventChannel } from './connection/allowedRequests';
export type { ServerConnection } from './connection/connection';
export type { ReplayedCalls, SetLimits, StartPolicy } from './connection/connectionOptions';
export { type LazyList, LazyLists, listPages } from './connection/lazyLists';
export { type Remedy, remediesOf } from './connection/remedies';
export { type CallOptions, CallTime } from './connection/requestGate';
export type { ServerRequests } from './connection/requests';
export type { CallChat, ChatQuestion } from './connection/runningCalls';
export { type KeptTask, type MakeCall, type RunningCall, RunningCalls } from './connection/runningCalls';
export type { ServerState } from './connection/serverState';
export { downloaderOf, isRunning, timerMs, untilSettled } from './connection/serverState';
export type { Latencies } from './connection/vitals';
export { OTHER_TOOLS } from './connection/vitals';
export { MAX_FIELDS } from './definition/ports';
export {
  type ConfiguredServers,
  type ResolvedDefinitions,
  resolveDefinitions,
  type SourceProblems,
} from './definitions';
export { McpHost, RequestDoors, type ServerChange, type ServerSet } from './host';
export type { Runtime } from './launch/knownPrograms';
export { anyObject, anyResult, roleNote } from './reading/carried';
export { listResult } from './reading/lists';
export type { AppearedPlace, BlockedAttempt, SandboxAttempts } from './sandbox/attempts';
export { confinementOf, type LaunchedServer, sandboxFolder, sandboxIdentity, whyUnable } from './sandbox/confinement';
export { isSecretPlace, writeProblem as sandboxWriteProblem } from './sandbox/knownPlaces';
export { runProgram } from './sandbox/runProgram';
export { givesContent, isCallerMethod, isNotSupported, isPersonMethod } from './sdk/methods';
export { argumentProblem, outputProblem, schemaFault, schemaProblem, uncheckedPart } from './sdk/schemaProblems';
export { type ServerInfo, servesEvents, servesSkills } from './sdk/serverInfo';
export { secretsOfEntry } from './secrets/entrySecrets';
export { Needles } from './secrets/needles';
export { REDACTED } from './secrets/redactor';
export type { SubscriptionState } from './subscriptions/changeStream';
export type { Caller, TracedCall, TraceLimits, TraceLog, TraceRecord } from './trace/traceLog';
export { MAX_KEPT } from './trace/traceLog';
export { Backoff } from './transport/backoff';
export { LogGate } from './transport/incomingMessages';
