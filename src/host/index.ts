/**
 * The MCP host core, free of the editor: what the rest of the extension uses of it, beside the `index.ts` of `catalog`,
 * `definition`, `launch` and `settings`.
 */

export type {
  AllowedRequests,
  OpenRequests,
  RequestsOf,
  WantedRequest,
  WantedSubscription,
} from './connection/allowedRequests';
export type { CallChat, ChatQuestion } from './connection/callChat';
export type { ServerConnection } from './connection/connection';
export type { ConnectionOptions, ReplayedCalls } from './connection/connectionOptions';
export { type EventChannel, eventChannel } from './connection/eventChannel';
export type { Latencies } from './connection/latencies';
export { timerMs, untilSettled } from './connection/readiness';
export { type Remedy, remediesOf } from './connection/remedies';
export type { CallOptions, ServerRequests } from './connection/requests';
export { type KeptTask, type MakeCall, type RunningCall, RunningCalls } from './connection/runningCalls';
export type { ServerState } from './connection/serverState';
export { downloaderOf } from './connection/slowStart';
export type { StartPolicy } from './connection/startPolicy';
export { OTHER_TOOLS } from './connection/vitals';
export {
  type ConfiguredServers,
  type ResolvedDefinitions,
  resolveDefinitions,
  type SourceProblems,
} from './definitions';
export { McpHost, type ServerChange, type ServerSet } from './host';
export type { Runtime } from './launch/knownPrograms';
export type { AppearedPlace, BlockedAttempt, SandboxAttempts } from './sandbox/attempts';
export { confinementOf, type Launched, sandboxFolder, sandboxIdentity, whyUnable } from './sandbox/confinement';
export { isSecretPlace, writeProblem as sandboxWriteProblem } from './sandbox/knownPlaces';
export { runProgram } from './sandbox/runProgram';
export { anyObject, anyResult } from './sdk/anyResult';
export { MAX_FIELDS } from './sdk/formLimits';
export { listResult } from './sdk/listResults';
export { isCallerMethod, isPersonMethod } from './sdk/methods';
export { isNotSupported } from './sdk/notSupported';
export { outputProblem } from './sdk/outputProblem';
export { schemaProblem } from './sdk/schemaValidator';
export { type ServerInfo, servesEvents } from './sdk/serverInfo';
export { Needles } from './secrets/needles';
export { REDACTED } from './secrets/redactor';
export { secretsOfEntry } from './secrets/secrets';
export type { FollowedState, SubscriptionState } from './subscriptions/subscriptions';
export type { Caller, TracedCall, TraceLimits, TraceLog, TraceRecord } from './trace/traceLog';
export { MAX_KEPT } from './trace/traceLog';
export { Backoff } from './transport/backoff';
export { LogGate } from './transport/logGate';
