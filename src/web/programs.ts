// In place of: oldNode, features/authors/testFiles, features/agents/agents, features/agents/sharing,
//   features/nativeChat/nativeChat, features/telemetry/telemetry, features/trust/core/syslog, features/chat/scripts,
//   features/codeMode/core/isolate, features/supply/core/installScripts, features/supply/core/packageReference,
//   features/supply/localPackages, host/launch/environment, host/launch/installedProgram, host/launch/processUsage,
//   host/launch/runChain, host/connection/knownCauses,
//   host/connection/explainProgram, host/transport/stdioTransport, host/sandbox/launcher, host/sandbox/runProgram,
//   features/sandbox/changeSandbox, features/sandbox/confinedServers, features/trust/sandboxText,
//   features/health/confinedText, host/auth/headersHelper, host/connection/launchable, host/sandbox/index, doors/authors,
//   features/clients/index, features/setup/desktop, features/bundles/core/bundleFolders,
//   base/freePort, host/connection/servedProgram

import type { McpHostExports } from '../../docs/api';
import { phrase } from '../base/phrase';
import { t } from '../editor/window';
import { ApiError } from '../features/clients/apiError';
import type { ScriptEnd } from '../features/codeMode/core/scriptMessages';
import * as anywhere from '../host/connection/launchable';
import type { ServerDefinition } from '../host/definition/definition';
import type * as sandbox from '../host/sandbox';
import { programIn, type ServerEntry } from '../host/settings';

/*
 * Web windows run no programs: there is nothing to launch, to confine, to fetch, to test, to unpack or to explain, and no socket to
 * listen on, so that neither agents nor other extensions nor the editor's own client can use their servers.
 */

const nothing = (): undefined => undefined;
const nothingLater = async (): Promise<undefined> => undefined;
const no = (): boolean => false;
const none = (): never => {
  throw new Error('There are no programs in a web window.');
};

export const isNodeTooOld = no;
export const tellOldNode = nothing;

export const canTest: boolean = false;
export const whenTestsAreFound = () => ({ dispose: nothing });
export const whenQuestionsAreOpen = whenTestsAreFound;

export class Agents {
  close = nothingLater;
}

export class AgentSharing {
  apply = nothing;
  close = nothingLater;
  dispose = nothing;
}

export class NativeChat {
  async definitions(): Promise<[]> {
    return [];
  }

  close = nothingLater;
}

export class Telemetry {
  use = nothing;
  watch = nothing;
  close = nothingLater;
  dispose = nothing;
}

/** A browser has no log of a system, and reads no managed file that names it. */
export class Syslog {
  write(): Promise<never> {
    return Promise.reject(Object.assign(new Error('There is no system log here.'), { code: 'ENOENT' }));
  }

  dispose = nothing;
}

/** Models are not asked to write any. */
export class Scripts {
  async run(): Promise<{ readonly text: string; readonly failed: true }> {
    return { text: 'Scripts do not run in web windows.', failed: true };
  }
}

export const canRunScripts = false;

export function runScript(): Promise<ScriptEnd> {
  return Promise.resolve({ output: '', problem: { kind: 'crashed', message: 'Scripts do not run in web windows.' } });
}

export const unscripted = (_definition: object, entry: ServerEntry): { readonly entry: ServerEntry } => ({ entry });

export const packagesOf = (): readonly never[] => [];
export const floatingOf = packagesOf;
export const pinEntry = nothing;
export const runningPackage = nothingLater;
export const cachedPackage = nothingLater;
export const imageDigest = nothingLater;
export const registryVersion = nothingLater;
export const fetchedVersions = async (): Promise<Record<string, string>> => ({});

export const launchEnvironment = (): Record<string, string> => ({});
export const powerOf = nothing;
export const loginShellPath = nothingLater;
export const findProgram = nothing;

export const freePort = async (): Promise<number> => 0;
export const startServing = nothingLater;

export const programsOf = () => ({ programs: [] });
export const fetchedBy = nothing;
export const partOf = none;
export const packageRunner = nothing;
export const isPackageProgram = no;
export const runsPackage = no;
export const namesInstaller = no;
export const fetchesAtStart = no;
export const installedPrograms = nothing;
export const scriptAt = nothing;
export const programProblems = packagesOf;

export class ProcessMeter {
  look = nothingLater;
}

export async function processesOf(): Promise<never[]> {
  return [];
}

export const tellingLine = nothing;
export const knownCause = nothing;
export const explainLaunch = none;
export const explainBridge = nothing;
export const explainForeign = nothing;
export const foreignProgram = nothing;
export const explainMissing = nothing;
export const hiddenFile = nothing;
export const explainConfined = <E>(explanation: E): E => explanation;

/** Nothing gets that far (`obstacleOf`). */
export class StdioTransport {
  async start(): Promise<never> {
    return none();
  }
}

/** No entry gets that far that has one (`launchable`). */
export class HeadersHelper {
  ready = none;
  close = none;
  fetch = none;
  isOf = no;
}

export const launch = async (): Promise<never> => none();
export const runProgram = nothingLater;

export const changeSandbox = nothingLater;

export class ConfinedServers {
  readonly onDidChange = nothing;
  readonly revoke = nothing;
  readonly dispose = nothing;
}

export const watchFolder = nothing;
export const isConfinedUnasked = nothing;
export const ownSandbox = () => ({ setting: 'off' as const, isDemanded: () => false });
export const sandboxLines = nothing;
export const unableText = nothing;
export const confinementText = nothing;
export const confinementTables = (): [] => [];
export const sandboxFor: typeof sandbox.sandboxFor = none;
export const whyUnable: typeof sandbox.whyUnable = nothingLater;
export const confine: typeof sandbox.confine = none;

/** Said before a person is asked to allow one. */
export function launchable(definition: ServerDefinition): ReturnType<typeof anywhere.launchable> {
  const { entry } = definition;
  if (!entry || !programIn(entry)) return anywhere.launchable(definition);
  return {
    code: 'NO_PROGRAMS',
    reason:
      entry.type === 'stdio'
        ? phrase('web windows cannot run programs')
        : phrase('web windows cannot run programs, such as its "headersHelper"'),
    remedy: phrase(
      'Open this in a desktop window or a remote one (SSH, container, codespace or tunnel), or set "url" in its settings entry to a server that runs elsewhere.',
    ),
  };
}

export class DevServers {
  follow = nothing;
  news = nothing;
  notes = packagesOf;
  dispose = nothing;
}

/** Extension files have no paths there that would identify a caller. */
export class ExtensionApi implements McpHostExports {
  async getApi(): Promise<never> {
    throw new ApiError('UNKNOWN_CALLER', 'MCP Host has no API in web windows.');
  }

  dispose = nothing;
}

/** No client has been asked about. */
export const rememberedClients = () => ({ all: [], dispose: nothing });
export const clientAnswers = packagesOf;
export const clientOf = nothing;

export const RUNS_PROGRAMS = false;

/** What leads here is hidden. */
export class BundleSetup {
  choose = nothingLater;
  save = nothingLater;
  tidy = nothingLater;
  remove = nothingLater;
  takenBack = nothingLater;
}

/** Other hosts keep their servers in files of a machine. */
export const places = (): never => {
  throw new Error(t('Web windows cannot read the files of other hosts. Import servers in a desktop window.'));
};
export const importHosts = packagesOf;
export const findServers = nothingLater;
export const newServer = nothingLater;
export const shareServers = nothingLater;

export const BUNDLES = '';
export const bundleOf = nothing;
