/** The public interface for programs and processes: command lines, reviews of a launch, process groups. */

export { findProgram, loginShellPath, powerOf, type VariablePower } from './environment';
export {
  fetchesAtStart,
  isPackageProgram,
  namesInstaller,
  packageRunner,
  runsPackage,
  scriptAt,
} from './installedProgram';
export {
  type Ecosystem,
  ecosystemOf,
  isContainerEngine,
  isShell,
  knownProgram,
  languageOf,
  type PackageRunner,
  programName,
  publicRegistries,
  SHELLS,
} from './knownPrograms';
export { isClearText, launchFingerprint } from './launchFingerprint';
export {
  commandLine,
  debuggerText,
  type LaunchField,
  launchFields,
  MASK,
  quoted,
  REMOVED,
  shownAddress,
  valueText,
} from './launchReview';
export { ProcessMeter, type ProcessUsage, processesOf } from './processUsage';
export {
  type CannotBeTold,
  fetchedBy,
  partOf,
  programsOf,
  type RunChain,
  type RunProgram,
  type RunWord,
  type WordPlace,
} from './runChain';
export { partInWorkspace } from './untrusted';
