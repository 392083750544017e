import vscode = require('vscode');

import { type Lazy, lazy } from './base/lazy';
import { loadAuthors, loadExtras, loadSkills } from './doors';
import { ServerMemory } from './editor/serverMemory';
import { ServerNotices } from './editor/servers/serverNotices';
import { Auth } from './features/auth/auth';
import type { SignInDialogs } from './features/auth/signInDialogs';
import type { DevServers } from './features/dev/devServers';
import type { Elicitation } from './features/elicitation/elicitation';
import { elicitationPort } from './features/elicitation/elicitationPort';
import { ServerLogs } from './features/logging/serverLogs';
import type { Profiles } from './features/profiles';
import { hasProfiles } from './features/profiles/configuredProfiles';
import { OfferedTools } from './features/profiles/offeredTools';
import { LiveResources } from './features/resources/liveResources';
import type { Resources } from './features/resources/resources';
import { KnownModels } from './features/sampling/knownModels';
import type { Sampling } from './features/sampling/sampling';
import { samplingPort } from './features/sampling/samplingPort';
import { GiveUpNotice } from './features/servers/giveUpNotice';
import { RememberedShellPath } from './features/servers/rememberedShellPath';
import { ServerDetails } from './features/servers/serverDetails';
import type { Servers } from './features/servers/servers';
import type { ServersTree } from './features/servers/serversTree';
import { ServerStatusBar } from './features/servers/statusBar';
import type { Configuration } from './features/settings/configuration';
import { SettingsDiagnostics } from './features/settings/diagnostics';
import { SettingsFiles } from './features/settings/settingsFiles';
import type { AskPerson, Consents } from './features/trust';
import { Trust } from './features/trust/trust';
import {
  fetchesAtStart,
  type HostPorts,
  type KeptTask,
  loginShellPath,
  McpHost,
  type Problem,
  RunningCalls,
  readBounded,
  resolveDefinitions,
  type ServerConnection,
} from './host';

const MAX_ENV_FILE_BYTES = 1024 * 1024;

/** What lives as long as the window, whether it has servers or not. */
export interface ServersWindow {
  readonly context: vscode.ExtensionContext;
  readonly configuration: Configuration;
  readonly servers: Servers;
  readonly resources: Resources;
  /** What asks the person questions on behalf of servers; loaded with the first question. */
  readonly questions: () => Questions;
  /** What the definitions of a server's tools take of a model's window. */
  readonly toolTokens: (server: ServerConnection) => number;
  /** Lines on a server for its tooltip. */
  readonly notes: (server: ServerConnection) => readonly string[];
  /** What the last check of a server has found. */
  readonly findings: (server: ServerConnection) => readonly Problem[];
}

export interface Questions {
  readonly elicitation: Elicitation;
  readonly sampling: Sampling;
  readonly signIn: SignInDialogs;
  /** For calls that come from outside our own chat. */
  readonly askForCall: AskPerson;
}

/** Everything that the window's servers need. */
export interface StartedServers {
  readonly resolve: typeof resolveDefinitions;
  readonly host: McpHost;
  /** What the host needs from the editor. */
  readonly ports: HostPorts;
  readonly trust: Trust;
  readonly logs: ServerLogs;
  readonly details: ServerDetails;
  readonly auth: Auth;
  readonly live: LiveResources;
  readonly files: SettingsFiles;
  readonly diagnostics: SettingsDiagnostics;
  /** Loaded when the view is first seen. */
  readonly tree: Lazy<ServersTree>;
  /** Loaded with the first profile in settings. */
  readonly profiles: Lazy<Profiles>;
  readonly offered: OfferedTools;
  /** Loaded with the first server that somebody works on. */
  readonly dev: Lazy<DevServers>;
}

export type Started = Lazy<StartedServers>;

/** The key in the workspace state under which tasks are kept. */
const TASKS_KEY = 'tasks';

/**
 * Builds, in order, everything that servers need, and the host that runs them. The entry point of its own bundle
 * (`doors.ts`).
 */
export function startServers(window: ServersWindow): StartedServers {
  const { context, configuration, servers, resources, questions, toolTokens, notes, findings } = window;
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const logs = own(new ServerLogs());
  const notices = new ServerNotices(logs);
  const allowsRoot: Consents['allowsRoot'] = (...root) => trust.consents.allowsRoot(...root);
  const skills = () => new (loadSkills().Skills)(servers, context, notices, () => trust);
  const calls = own(
    new RunningCalls({
      get: () => context.workspaceState.get<KeptTask[]>(TASKS_KEY, []),
      set: tasks => void context.workspaceState.update(TASKS_KEY, tasks),
    }),
  );
  const details = own(
    new ServerDetails(servers, calls, {
      allowsRoot,
      skills,
      confined: () => new (loadExtras().ConfinedServers)(context.workspaceState, () => trust.audit),
    }),
  );
  const dev = lazy(() =>
    own(
      new (loadAuthors().DevServers)({
        servers,
        admit: definition => trust.admit(definition),
        ports,
        logs,
        notices,
        changed: server => details.changed(server),
      }),
    ),
  );
  details.news = server => dev.loaded?.news(server);
  const trust: Trust = own(
    new Trust(servers, context, notices, {
      askForCall: (...call) => questions().askForCall(...call),
      flow: () => loadExtras().dataFlow(context, servers),
      calls: ({ policy, pins, audit, flow }) =>
        new (loadExtras().ToolCalls)({ policy, pins, audit, make: calls.make, flow, trace: () => servers.trace }),
      requests: ({ policy, pins, audit, flow }) => new (loadExtras().Requests)(policy, pins, audit, flow),
      unscripted: (definition, entry) =>
        fetchesAtStart({ entry }) ? loadExtras().unscripted(definition, entry) : { entry },
      fetchedVersions: definition => loadExtras().fetchedVersions(definition, ports.sandbox.storage),
    }),
  );
  own(
    trust.consents.onDidDecide(({ server, what }) => {
      details.roots.agreed();
      if (what === 'revoked') void details.confined().revoke(server);
    }),
  );
  const profiles = lazy(() =>
    own(
      new (loadExtras().Profiles)({
        servers,
        state: context.workspaceState,
        mayStart: definition => {
          const review = trust.consents.review(definition);
          return !review || review.answer === 'allowed';
        },
        reload: () => servers.load(),
        changed: () => offered.changed(),
      }),
    ),
  );
  const offered = new OfferedTools(() => profiles.loaded);
  const models = own(new KnownModels(context.globalState));
  const auth = new Auth(context, () => questions().signIn);
  const shellPath = new RememberedShellPath(context.globalState, () => loginShellPath);
  const ports: HostPorts = {
    log: logs,
    roots: details.roots,
    sampling: samplingPort(context, models, () => questions().sampling),
    elicitation: elicitationPort(() => questions().elicitation),
    memory: new ServerMemory(vscode.Uri.joinPath(context.globalStorageUri, 'memory').fsPath),
    auth,
    drawsApps: true,
    launch: {
      admit: async definition => {
        const admission = await trust.admit(definition);
        if ('entry' in admission) await models.ready();
        return dev.loaded?.admitted(definition, admission) ?? admission;
      },
    },
    sandbox: {
      setting: () => configuration.sandbox,
      inheritsAll: () => configuration.sandboxInheritsAll,
      isWatched: server => details.confined.loaded?.isWatched(server) === true,
      granted: server => details.confined().granted(server),
      askHost: (server, host) => details.confined().askHost(server, host),
      storage: vscode.Uri.joinPath(context.globalStorageUri, 'sandboxes').fsPath,
      bridge: vscode.Uri.joinPath(context.extensionUri, 'dist', 'sandbox-bridge.js').fsPath,
    },
    shellPath: () => shellPath.get(),
    readFile: path => readBounded(path, MAX_ENV_FILE_BYTES),
  };
  const host = new McpHost(
    { name: 'mcp-host', title: 'MCP Host', version: context.extension.packageJSON.version },
    ports,
    {
      pingIntervalMs: () => configuration.pingIntervalMs,
      start: () => configuration.start,
      startInstead: definition => profiles.loaded?.startOf(definition),
      maxMessageBytes: () => configuration.maxMessageBytes,
      requestsInFlight: () => configuration.requestsInFlight,
      replaySafeCalls: () => configuration.replaySafeCalls,
      trace: () => configuration.trace,
    },
  );
  servers.adopt(host, server => trust.requests.as({ origin: 'palette' })(server));

  const files = new SettingsFiles();
  const hints = (server: ServerConnection) => [
    ...(fetchesAtStart(server.definition) ? loadExtras().hintsOf(server) : []),
    ...findings(server),
  ];
  const docs = (heading: string) =>
    vscode.Uri.parse(
      context.extension.packageJSON.repository.url.replace(/\.git$/, `/blob/HEAD/docs/authors.md#${heading}`),
    );
  const diagnostics = own(new SettingsDiagnostics(files, servers, hints, docs));
  own(new ServerStatusBar(servers));
  own(new GiveUpNotice(servers, notices));
  const live = own(new LiveResources({ servers, resources, notices, state: context.workspaceState }));
  const allNotes: typeof notes = server => [...notes(server), ...(dev.loaded?.notes(server) ?? [])];
  const tree = lazy(() =>
    own(new (loadExtras().ServersTree)(servers, details, trust.marks, { toolTokens, notes: allNotes })),
  );
  const resolved = servers.onDidResolve(({ definitions, problems }) => {
    logs.keep(new Set(definitions.map(({ id }) => id)));
    const mayHaveProfiles = profiles.loaded ?? hasProfiles(context.workspaceState);
    const others = mayHaveProfiles ? profiles().read(definitions) : [];
    void diagnostics.update([...problems, ...others]);
    void models.resolve();
    trust.consentNotice.look();
  });
  own(resolved);
  own(
    servers.onDidChange(change => {
      if (!change && (dev.loaded || servers.all.some(isWorkedOn))) dev().follow();
    }),
  );
  return {
    resolve: resolveDefinitions,
    host,
    ports,
    trust,
    logs,
    details,
    auth,
    live,
    files,
    diagnostics,
    tree,
    profiles,
    offered,
    dev,
  };
}

const isWorkedOn = ({ definition: { entry } }: ServerConnection) => entry?.type === 'stdio' && entry.dev !== undefined;
