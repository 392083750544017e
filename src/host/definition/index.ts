/** The definition of a server from settings, and the ports that a host needs: `ports.ts`. */

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
