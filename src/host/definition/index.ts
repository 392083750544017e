/** The definition of a server from settings, and the ports that a host needs: `ports.ts`. */

export type { DefinitionSource, ServerDefinition, ServerId } from './definition';
export {
  type Admission,
  type AdmittedLaunch,
  type DebuggedLaunch,
  type LaunchCheck,
  type LaunchChecks,
  LaunchGate,
  type LaunchPurpose,
  NO_CHECK,
  type RefusedLaunch,
} from './launchGate';
export { settlePaths } from './launchPlace';
export type {
  AuthorizationRequest,
  AuthPort,
  ElicitationPort,
  HostPorts,
  LogEntry,
  LogPort,
  MemoryPort,
  NetworkLimits,
  ProgramPorts,
  Redirect,
  RedirectOptions,
  RootsPort,
  SamplingPort,
  SandboxPort,
} from './ports';
export type { RequestWatch, WatchedSession, WatchSession } from './requestWatch';
export { plainId } from './serverIds';
export { isTestId, testId } from './testIds';
