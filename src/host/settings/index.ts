/** The settings of MCP servers: reading, checking, resolving and finding them. Free of the editor. */

export { hasPort, isLocalAddress, parseEnvFile, socketOf, splitCommandLine, withPort } from './entryTexts';
export { didYouMean } from './fieldProblems';
export { type FieldReport, fieldOf, SHARED_FIELDS } from './fields';
export { type InputDefinition, parseInputs } from './inputs';
export { type ParsedServer, PERMISSIONS, type Problem, parseServers, WRAPPERS } from './parseServers';
export { allSecretParts, argumentPairs, findPlainSecrets, plainSecretHints } from './plainSecrets';
export {
  allowsHost,
  isHost,
  SANDBOX_SETTINGS,
  type SandboxGrant,
  type SandboxRules,
  type SandboxSetting,
} from './sandboxRules';
export {
  identityProvider,
  LOG_LEVELS,
  type OAuthSettings,
  type ProgramEntry,
  programIn,
  type RemoteEntry,
  reachedAs,
  type ServerEntry,
  START_POLICIES,
  withProgram,
} from './schema';
export { SETTINGS_LIMITS, SettingsBudget } from './settingsBudget';
export { exceptionsIn, givenUpBy, type SignInException } from './signInExceptions';
export {
  type EnvValue,
  fillInputs,
  folderPaths,
  type Placeholder,
  resolveVariables,
  type UsedInputs,
  type VariableContext,
} from './variables';
