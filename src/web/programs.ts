// In place of: oldNode, features/authors/testFiles, features/agents/agents, features/agents/sharing,
//   features/nativeChat/nativeChat, features/telemetry/telemetry, features/trust/core/syslog, features/chat/scripts,
//   features/codeMode/core/isolate, features/supply/core/installScripts, features/supply/core/packageReference,
//   features/supply/localPackages, host/launch/environment, host/launch/installedProgram, host/launch/processUsage,
//   host/connection/explainProgram, host/transport/stdioTransport, host/sandbox/launcher, host/sandbox/runProgram,
//   features/sandbox/changeSandbox, features/sandbox/confinedServers, features/trust/sandboxText,
//   features/health/confinedText, host/connection/launchable, host/sandbox/index, doors/authors,
//   features/clients/index, features/setup/desktop, features/bundles/core/bundleFolders

import type { McpHostExports } from '../../docs/api';
import { phrase } from '../base/phrase';
import { t } from '../editor/window';
import { ApiError } from '../features/clients/apiError';
import type { ScriptEnd } from '../features/codeMode/core/scriptMessages';
import * as anywhere from '../host/connection/launchable';
import type { ServerDefinition } from '../host/definition/definition';
import type * as sandbox from '../host/sandbox';
import type { ServerEntry } from '../host/settings';

/*
 * Web windows run no programs: there is nothing to launch, to confine, to fetch, to test or to explain, and no socket to listen on.
 */

/** Web windows have no Node, and need none. */
export const isNodeTooOld = (): boolean => false;
export function tellOldNode(): void {}

/** Tests start programs, which web windows cannot. */
export const canTest: boolean = false;
export const whenTestsAreFound = () => ({ dispose: () => {} });
export const whenQuestionsAreOpen = whenTestsAreFound;

/** Agents reach a window by a socket, and a browser listens on none. */
export class Agents {
  async close(): Promise<void> {}
}

/** Agents beside the editor can't reach a web window. */
export class AgentSharing {
  apply(): void {}

  async close(): Promise<void> {}

  dispose(): void {}
}

/** The editor's own MCP client is served over a socket, and a browser listens on none: chat has `@mcp` and the tools. */
export class NativeChat {
  async definitions(): Promise<[]> {
    return [];
  }

  async close(): Promise<void> {}
}

/** Reports are sent by a program, and web windows run none. */
export class Telemetry {
  use(): void {}
  watch(): undefined {}
  async close(): Promise<void> {}
  dispose(): void {}
}

/** A browser has no log of a system, and reads no managed file that names it. */
export class Syslog {
  write(): Promise<never> {
    return Promise.reject(Object.assign(new Error('There is no system log here.'), { code: 'ENOENT' }));
  }

  dispose(): void {}
}

/** Scripts run in processes, which web windows do not have, so models are not asked to write any. */
export class Scripts {
  async run(): Promise<{ readonly text: string; readonly failed: true }> {
    return { text: 'Scripts do not run in web windows.', failed: true };
  }
}

/** Scripts run in processes, which web windows do not have. */
export const canRunScripts = false;

export function runScript(): Promise<ScriptEnd> {
  return Promise.resolve({ output: '', problem: { kind: 'crashed', message: 'Scripts do not run in web windows.' } });
}

/** No program is run here, and so no script of a package. */
export const unscripted = (_definition: object, entry: ServerEntry): { readonly entry: ServerEntry } => ({ entry });

/** A web window runs no programs, so no packages are fetched. */
export const packagesOf = (): readonly never[] => [];
export const floatingOf = (): readonly never[] => [];
export const pinEntry = (): undefined => undefined;

/** Nothing is installed in a web window, which runs no programs. */
const notHere = async (): Promise<undefined> => undefined;

export const runningPackage = notHere;
export const cachedPackage = notHere;
export const imageDigest = notHere;
export const registryVersion = notHere;

export const fetchedVersions = async (): Promise<Record<string, string>> => ({});

// Web windows start no programs: nothing has an environment, and no variable an effect.

export const launchEnvironment = (): Record<string, string> => ({});
export const powerOf = (): undefined => undefined;
export const loginShellPath = (): Promise<undefined> => Promise.resolve(undefined);
export const findProgram = (): undefined => undefined;

// Web windows start no programs: no command line runs or fetches anything.

export const packageRunner = (): undefined => undefined;
export const isPackageProgram = (): boolean => false;
export const runsPackage = (): boolean => false;
export const namesInstaller = (): boolean => false;
export const fetchesAtStart = (): boolean => false;
export const installedPrograms = (): undefined => undefined;
export const scriptAt = (): undefined => undefined;
export const programProblems = (): readonly never[] => [];

/** A web window runs no processes. */
export class ProcessMeter {
  async look(): Promise<undefined> {
    return undefined;
  }
}

export async function processesOf(): Promise<never[]> {
  return [];
}

// Web windows run and confine no programs.
export const tellingLine = (): undefined => undefined;
export const explainMissing = (): undefined => undefined;
export const hiddenFile = (): undefined => undefined;
export const explainConfined = <E>(explanation: E): E => explanation;

/** Stands where the transport over pipes stands elsewhere: nothing gets that far (`obstacleOf`). */
export class StdioTransport {
  start(): Promise<never> {
    return Promise.reject(new Error('There are no programs in a web window.'));
  }
}

/** Web windows start no programs. */
export const launch = (): Promise<never> => Promise.reject(new Error('There are no programs in a web window.'));

/** Web windows run no programs. */
export async function runProgram(): Promise<undefined> {}

/** Nothing is started in a browser, so nothing is confined or refused. */
export const changeSandbox = async (): Promise<void> => {};

const nothingYet = () => {};

/** Nothing is started in a browser, so there is nothing to follow, and nothing to take back. */
export class ConfinedServers {
  readonly onDidChange = nothingYet;
  readonly revoke = nothingYet;
  readonly dispose = nothingYet;
}

export const watchFolder = nothingYet;

/** There are no programs in a web window, so nothing is ever confined, and nothing is to be said of it. */
const noText = (): undefined => undefined;

export { noText as isConfinedBySetting, noText as sandboxLines, noText as unableText };

/** Nothing is started in a browser. */
export const confinementText = (): undefined => undefined;
export const confinementTables = (): [] => [];

/** A browser starts no programs. Said before a person is asked to allow one. */
export function launchable(definition: ServerDefinition): ReturnType<typeof anywhere.launchable> {
  if (definition.entry?.type !== 'stdio') return anywhere.launchable(definition);
  return {
    code: 'NO_PROGRAMS',
    reason: phrase('web windows cannot run programs'),
    remedy: phrase(
      'Open this in a desktop window or a remote one (SSH, container, codespace or tunnel), or set "url" in its settings entry to a server that runs elsewhere.',
    ),
  };
}

/** There are no programs in a web window, so nothing is ever confined. */
const none = (): never => {
  throw new Error('There are no programs in a web window.');
};

export const sandboxFor: typeof sandbox.sandboxFor = none;
export const whyUnable: typeof sandbox.whyUnable = async () => undefined;
export const confine: typeof sandbox.confine = none;

/** Web windows run no programs: there is nothing to test, and there are no files of servers to follow. */
export class DevServers {
  follow(): void {}
  news(): undefined {}
  notes(): readonly string[] {
    return [];
  }
  dispose(): void {}
}

/*
 * Other extensions and programs cannot use the servers of a web window: extension files have no paths there that would identify a
 * caller, and no program can connect.
 */

export class ExtensionApi implements McpHostExports {
  async getApi(): Promise<never> {
    throw new ApiError('UNKNOWN_CALLER', 'MCP Host has no API in web windows.');
  }

  dispose(): void {
    // It has nothing.
  }
}

/** No client has been asked about. */
export const rememberedClients = () => ({ all: [], dispose: () => undefined });

export const clientAnswers = (): never[] => [];
export const clientOf = (): undefined => undefined;

export const RUNS_PROGRAMS = false;

/** Nothing is unpacked in a web window, and what leads here is hidden. */
export class BundleSetup {
  choose = nothing;
  save = nothing;
  tidy = nothing;
  remove = nothing;
}

/** Other hosts keep their servers in files of a machine. */
export const places = (): never => {
  throw new Error(t('Web windows cannot read the files of other hosts. Import servers in a desktop window.'));
};
export const importHosts = (): [] => [];
export const findServers = nothing;
export const newServer = nothing;
export const shareServers = nothing;

async function nothing(): Promise<undefined> {}

/** Web windows have no bundles. */
export const BUNDLES = '';
export const bundleOf = (): undefined => undefined;
