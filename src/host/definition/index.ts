/** The definition of a server from settings, and the ports that a host needs: `ports.ts`. */

export type { DefinitionSource, KeptScope, ServerDefinition, ServerId } from './definition';
export { isTestId, KEPT_SCOPES, keptScope, plainId, settlePaths, testId } from './definition';
export {
  KeptFor,
  KeptRecords,
  noteProgram,
  type ProgramRecords,
  type ProgramStore,
  programRecords,
} from './keptRecords';
export {
  type Admission,
  type AdmittedLaunch,
  type DebuggedLaunch,
  type LaunchCheck,
  type LaunchChecks,
  LaunchGate,
  type LaunchPurpose,
  NO_CHECK,
} from './launchGate';
export type * from './ports';
