/** What a server is, as settings define it, and what a host needs for it: `ports.ts`. */

export type { DefinitionSource, ServerDefinition, ServerId } from './definition';
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
export { plainId } from './serverIds';
