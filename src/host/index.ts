/**
 * The MCP host core, free of the editor: all that the rest of the extension may use of it. What needs the SDK or zod comes
 * through `loadHost`, from a program of its own (`program.ts`); the rest is imported.
 */

export { HostError, messageOf } from '../base/errors';
export { readBounded } from '../base/readBounded';
export {
  CATALOG_KINDS,
  Catalog,
  type CatalogItems,
  type CatalogKind,
  type CatalogList,
  type ExcludedItem,
} from './catalog/catalog';
export {
  coveredBefore,
  once,
  type PinnedResource,
  promptDefinition,
  resourceDefinition,
  toolDefinition,
} from './catalog/pinnedDefinitions';
export { APP_MIME_TYPE, appOf, isFor, UI_EXTENSION } from './catalog/toolVisibility';
export { ServerConnection } from './connection/connection';
export type { Runtime } from './connection/entryFacts';
export type { ConnectionOptions } from './connection/options';
export { type Remedy, remediesOf } from './connection/remedies';
export type { ServerInfo } from './connection/session';
export { downloaderOf } from './connection/slowStart';
export type { StartPolicy } from './connection/startPolicy';
export type { ServerState } from './connection/state';
export type { DefinitionSource, ServerDefinition, ServerId } from './definition';
export { McpHost, type ServerChange } from './host';
export {
  type Ecosystem,
  ecosystemOf,
  isContainerEngine,
  knownProgram,
  languageOf,
  type PackageRunner,
  programName,
  SHELLS,
} from './launch/knownPrograms';
export {
  commandLine,
  isClearText,
  type LaunchField,
  launchFields,
  launchFingerprint,
  quoted,
  REMOVED,
} from './launch/launchReview';
export { fetchesAtStart, isPackageProgram, packageRunner } from './launch/packageRunner';
export { powerOf, type VariablePower } from './launch/powerfulVariables';
export { fetchedBy, partOf, programsOf, type RunWord, type WordPlace } from './launch/runChain';
export { runProgram } from './launch/runProgram';
export { MASK, shown, shownAddress } from './launch/shownValues';
export { partInWorkspace } from './launch/untrusted';
export type {
  Admission,
  AuthorizationRequest,
  AuthPort,
  DebuggedLaunch,
  ElicitationPort,
  HostPorts,
  LaunchPort,
  LogEntry,
  LogPort,
  MemoryPort,
  Redirect,
  RedirectOptions,
  RootsPort,
  SamplingPort,
  SandboxPort,
} from './ports';
export type { AllowedRequests, RequestsOf, WantedRequest } from './requests/allowedRequests';
export type { CallChat, ChatQuestion } from './requests/callChat';
export { timerMs, untilSettled } from './requests/readiness';
export { type CallOptions, ServerRequests } from './requests/requests';
export { type KeptTask, type MakeCall, type RunningCall, RunningCalls } from './requests/runningCalls';
export type { BlockedAttempt, SandboxAttempts } from './sandbox/attempts';
export {
  confinementOf,
  type Launched,
  SANDBOX_SETTINGS,
  type SandboxSetting,
  sandboxFolder,
  sandboxIdentity,
  whyUnable,
} from './sandbox/confinement';
export type { SandboxGrant, SandboxRules } from './sandbox/rules';
export { writeProblem as sandboxWriteProblem } from './sandbox/writeProblem';
export { MAX_FIELDS } from './sdk/formLimits';
export { listResult } from './sdk/listResults';
export { Needles } from './secrets/needles';
export { REDACTED } from './secrets/redact';
export { secretsOfEntry } from './secrets/secrets';
export type { ServerSet } from './serverSet';
export {
  fillInputs,
  findPlainSecrets,
  fingerprint,
  type InputDefinition,
  type Problem,
  parseInputs,
  parseServers,
  type ServerEntry,
  type VariableContext,
} from './settings';
export { argumentPairs } from './settings/argumentPairs';
export { splitCommandLine } from './settings/commandLine';
export {
  type ConfiguredServers,
  type ResolvedDefinitions,
  resolveDefinitions,
  type SourceProblems,
} from './settings/definitions';
export { didYouMean } from './settings/messages';
export { allSecretParts } from './settings/secretParts';
export { plainId } from './settings/serverIds';
export type { SubscriptionState, Subscriptions } from './subscriptions/subscriptions';
export type { Caller, TracedCall, TraceLimits, TraceLog, TraceRecord } from './trace/traceLog';
export { MAX_KEPT } from './trace/traceLog';
export { loginShellPath } from './transport/shellPath';
export { socketOf } from './transport/socketAddress';
export { outputProblem } from './validation/outputProblem';
export { schemaProblem } from './validation/validate';
export type { Latencies } from './vitals/latencies';
export { ProcessMeter, type ProcessUsage, processesOf } from './vitals/processUsage';
export { OTHER_TOOLS } from './vitals/vitals';
