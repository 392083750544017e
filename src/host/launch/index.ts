/** The public interface for programs and processes: command lines, reviews of a launch, process groups. */

export { findProgram } from './findProgram';
export { scriptAt } from './installedProgram';
export {
  type Ecosystem,
  ecosystemOf,
  isContainerEngine,
  isShell,
  knownProgram,
  languageOf,
  type PackageRunner,
  programName,
  type Runtime,
  SHELLS,
} from './knownPrograms';
export {
  commandLine,
  isClearText,
  type LaunchField,
  launchFields,
  launchFingerprint,
  quoted,
  REMOVED,
} from './launchReview';
export { fetchesAtStart, isPackageProgram, namesInstaller, packageRunner, runsPackage } from './packageRunner';
export { powerOf, type VariablePower } from './powerfulVariables';
export { ProcessMeter, type ProcessUsage, processesOf } from './processUsage';
export { fetchedBy, partOf, programsOf, type RunWord, type WordPlace } from './runChain';
export { loginShellPath } from './shellPath';
export { MASK, shown, shownAddress } from './shownValues';
export { partInWorkspace } from './untrusted';
