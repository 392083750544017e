import type { McpHostExports } from '../docs/api';

import vscode = require('vscode');

import { loadExtras } from './doors';
import type { LazyTree } from './editor/lazyTree';
import type { ServerNode } from './editor/serverRows';
import { registerEntryPoints } from './entryPoints';
import type { Auth } from './features/auth/auth';
import type { TestExplorer } from './features/authors/testExplorer';
import { whenQuestionsAreOpen, whenTestsAreFound } from './features/authors/testFiles';
import type { Clients } from './features/clients';
import { managedPlaces, mayBeThere } from './features/organization/core/managedPlaces';
import type { OfferedTools, Profiles } from './features/profiles';
import type { resourceUri } from './features/resources';
import type { Servers } from './features/servers/servers';
import type { SettingsFiles } from './features/settings';
import type { Trust } from './features/trust/trust';
import type { OpenRequests, RunningCalls } from './host';
import { McpWindow } from './mcpWindow';
import { isNodeTooOld, tellOldNode } from './oldNode';

let window: McpWindow | undefined;

/** State that tests in the extension host inspect. */
export interface TestApi extends McpHostExports {
  readonly servers: Servers;
  readonly tree: LazyTree<ServerNode>;
  /** Where the extension writes: tests look there for what must not be written. */
  readonly context: vscode.ExtensionContext;
  /** `McpHost.requests`: tests look at what is below the policy. */
  readonly requests: OpenRequests;
  trust(): Trust;
  auth(): Auth;
  calls(): Omit<RunningCalls, 'make'>;
  profiles(): Profiles;
  offered(): OfferedTools;
  files(): SettingsFiles;
  clients(): Clients;
  tests(): TestExplorer;
  /** An address that the window has given. */
  readonly resourceUri: typeof resourceUri;
}

/** Opens the window's `McpWindow`, and registers how it is reached. */
export function activate(context: vscode.ExtensionContext): TestApi | McpHostExports | undefined {
  if (isNodeTooOld()) {
    tellOldNode(context);
    return undefined;
  }
  const opened = new McpWindow(context);
  window = opened;
  const { servers, tree, tests, started, features } = opened;
  context.subscriptions.push(whenTestsAreFound(tests), whenQuestionsAreOpen(opened.questionFiles));
  registerEntryPoints(opened);
  // Not during activation: reading settings may start servers.
  setImmediate(() => {
    servers.load();
    // The organization's servers may be the only ones.
    void mayBeThere(managedPlaces().files.own).then(isThere => isThere && started());
  });
  // Without `await` before: who calls is read from the stack.
  const exported: McpHostExports = { getApi: (...given) => features().extensionApi.getApi(...given) };
  if (context.extensionMode !== vscode.ExtensionMode.Test) return exported;
  return {
    ...exported,
    servers,
    tree,
    context,
    requests: server => started().host.requests(server),
    trust: () => started().trust,
    auth: () => started().auth,
    calls: () => started().calls,
    profiles: () => started().profiles(),
    offered: () => started().offered,
    files: () => started().files,
    clients: () => features().clients,
    tests,
    resourceUri: (...resource) => loadExtras().resourceUri(...resource),
  };
}

/** The editor waits a few seconds for this: no server outlives its window. */
export const deactivate = (): Promise<unknown> | undefined => window?.close();
