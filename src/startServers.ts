import vscode = require('vscode');

import { Emitter, type Lazy, lazy } from './base/events';
import { phrase } from './base/phrase';
import { loadAuthors, loadExtras } from './doors';
import { OpenQuestions } from './editor/openQuestions';
import { ServerNotices } from './editor/serverNotices';
import { type PlainState, ServerMemory } from './editor/storage';
import { Auth } from './features/auth/auth';
import { elicitationPort } from './features/elicitation/elicitationPort';
import { ServerLogs } from './features/logging/serverLogs';
import type { Organization } from './features/organization/core/organization';
import { hasProfiles } from './features/profiles/configuredProfiles';
import { OfferedTools } from './features/profiles/offeredTools';
import { followsResources } from './features/resources/openResources';
import { readStamp } from './features/resources/ownAddresses';
import { keptTasks } from './features/running/keptTasks';
import { KnownModels, samplingPort } from './features/sampling/samplingPort';
import type { ConfinedServers } from './features/sandbox/confinedServers';
import { ServerStatusBar } from './features/servers/statusBar';
import { SettingsDiagnostics } from './features/settings/settingsDiagnostics';
import { SettingsFiles } from './features/settings/settingsFiles';
import {
  McpHost,
  RequestDoors,
  type RequestsOf,
  RunningCalls,
  resolveDefinitions,
  type ServerConnection,
  servesEvents,
  servesSkills,
} from './host';
import type { HostPorts, ProgramPorts, ServerDefinition } from './host/definition';
import { loginShellPath, runsPackage } from './host/launch';
import type { ServersWindow } from './serversWindow';
import { startRows } from './startRows';
import { startTrust } from './startTrust';

export type StartedServers = Lazy<ReturnType<typeof startServers>>;

/** Builds, in order, everything that servers need, and the host that runs them. Loaded through `doors/index.ts`. */
export function startServers(window: ServersWindow) {
  const { context, own, configuration, servers, resources, features } = window;
  readStamp(context.workspaceState);
  const storage = (...path: string[]) => vscode.Uri.joinPath(context.globalStorageUri, ...path).fsPath;
  const sandboxes = storage('sandboxes');
  const logs = own(new ServerLogs());
  const notices = new ServerNotices(logs);
  // Only the policy gets what opens them, and what follows calls that the policy has let through.
  const requests = new RequestDoors();
  const calls = own(new RunningCalls(keptTasks(context.workspaceState), requests.open));
  const { organization, trust, telemetry } = startTrust(window, { notices, calls, open: requests.open, sandboxes });
  const byHand: RequestsOf = server => trust.requests.as({ origin: 'palette' })(server);
  const { rowsChanged, roots, running, skills, events, confined } = startRows(window, {
    notices,
    calls,
    trust,
    byHand,
  });
  const auth = new Auth(context, () => features().questions.signIn, loadExtras, configuration);
  const state: PlainState = context.globalState;
  const models = own(new KnownModels(state));
  const shellPath = shellPathFrom(state);
  const programPorts: ProgramPorts = {
    launch: trust.gate.with({
      last: {
        admit: async (definition, entry, purpose, isWhole) => {
          // Neither waits for the other where both are asked for the first time.
          await Promise.all([models.ready(), isProgram(definition) && shellPath()]);
          return dev.loaded?.check.admit(definition, entry, purpose, isWhole) ?? { entry };
        },
      },
    }),
    roots,
    sandbox: sandboxPort(window, { organization, confined, sandboxes }),
    shellPath,
  };
  /** Loaded with the first server under development. */
  const dev = lazy(() =>
    own(
      new (loadAuthors().DevServers)({
        servers,
        ports: programPorts,
        logs,
        notices,
        debugpyFolder: vscode.Uri.joinPath(context.extensionUri, 'media', 'debugpy').fsPath,
        changed: server => rowsChanged.fire(server),
        problemsChanged: () => void diagnostics.refresh(),
      }),
    ),
  );
  const ports: HostPorts = {
    ...programPorts,
    log: logs,
    sampling: samplingPort(context, models, trust, () => features().questions.sampling),
    elicitation: elicitationPort(() => features().questions.elicitation),
    memory: new ServerMemory(storage('memory')),
    auth,
    drawsApps: true,
    watch: session => telemetry.loaded?.watch(session),
  };
  const profileChanged = own(new Emitter<void>());
  /** Loaded with the first profile in settings. */
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
        changed: () => profileChanged.fire(),
      }),
    ),
  );
  const offered = new OfferedTools(() => profiles.loaded, profileChanged.event, logs, rowsChanged);
  const host = new McpHost(
    { name: 'mcp-host', title: 'MCP Host', version: context.extension.packageJSON.version },
    ports,
    {
      start: () => configuration.start,
      startInstead: definition => profiles.loaded?.startOf(definition),
      limits: () => configuration.limits,
      replaySafeCalls: () => configuration.replaySafeCalls,
      events: () => configuration.events,
      trace: () => configuration.trace,
    },
    requests,
  );
  servers.follow(host);

  const files = new SettingsFiles(context.globalStorageUri);
  const findingsOf = (server: ServerConnection) => [
    ...(features.loaded?.findings(server) ?? []),
    ...(dev.loaded?.problems(server) ?? []),
  ];
  const hints = (server: ServerConnection) => (runsPackage(server.definition) ? loadExtras().hintsOf(server) : []);
  const docs = (heading: string) =>
    vscode.Uri.parse(
      context.extension.packageJSON.repository.url.replace(/\.git$/, `/blob/HEAD/docs/checks.md#${heading}`),
    );
  const diagnostics = own(new SettingsDiagnostics(files, servers, trust.marks, { findingsOf, hints, docs }));
  const openQuestions = own(new OpenQuestions());
  own(new ServerStatusBar(servers, openQuestions, calls));
  const givenUp = lazy(() => new (loadExtras().GiveUpNotice)(notices));
  own(servers.onDidChange(change => change && isIll(change.server) && void givenUp().see(change.server)));
  own(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      // The person, their machine or their network may have been away.
      if (focused) for (const server of servers.all) server.retry(phrase('the window has the focus again'));
    }),
  );
  /** Loaded with the first resource that is open or watched. */
  const live = lazy(() =>
    own(new (loadExtras().LiveResources)({ servers, resources, notices, state: context.workspaceState })),
  );
  const follow = () => {
    if (!live.loaded && followsResources(context.workspaceState)) live();
  };
  follow();
  own(vscode.window.tabGroups.onDidChangeTabs(follow));
  /** Loaded when the view is first seen. */
  const tree = lazy(() =>
    own(
      new (loadExtras().ServersTree)({
        servers,
        marks: trust.marks,
        offered,
        details: server => [
          ...(servesSkills(server) ? [skills().row(server)] : []),
          ...(configuration.events && servesEvents(server) ? [events().row(server)] : []),
          loadExtras().rootsNode(server, roots),
          ...(server.attempts ? [confined().row(server, server.attempts)] : []),
          // Calls come and go: they stand last, so that no other row moves under the pointer.
          ...(running.loaded?.rows(server) ?? []),
        ],
        onDidChangeRows: rowsChanged.event,
        news: server => running.loaded?.news(server) ?? dev.loaded?.news(server),
        toolTokens: server => features().toolTokens(server),
        notes: server => [...features().notes(server), ...(dev.loaded?.notes(server) ?? [])],
      }),
    ),
  );
  const resolved = servers.onDidResolve(({ definitions, problems }) => {
    logs.keep(new Set(definitions.map(({ id }) => id)));
    const others = (profiles.loaded ?? hasProfiles(context.workspaceState)) ? profiles().read(definitions) : [];
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
    byHand,
    ports,
    trust,
    organization,
    telemetry,
    logs,
    /** Running calls; `trust.calls` creates them. */
    calls: calls as Omit<RunningCalls, 'make'>,
    skills,
    events,
    confined,
    auth,
    live,
    files,
    diagnostics,
    tree,
    profiles,
    offered,
    openQuestions,
    dev,
  };
}

/** The one of the last window is used at once, and renewed for the next. Only the very first window waits for the shell. */
function shellPathFrom(state: PlainState): ProgramPorts['shellPath'] {
  const freshPath = lazy(async () => {
    const path = await loginShellPath();
    if (path !== undefined) await state.update('shellPath', path);
    return path;
  });
  return async () => {
    const fresh = freshPath();
    return state.get<string>('shellPath') ?? fresh;
  };
}

interface SandboxParts {
  readonly organization: Organization;
  readonly confined: Lazy<ConfinedServers>;
  readonly sandboxes: string;
}

function sandboxPort(
  { context, configuration }: ServersWindow,
  { organization, confined, sandboxes }: SandboxParts,
): ProgramPorts['sandbox'] {
  return {
    setting: () => organization.sandboxOf(configuration.sandbox),
    isDemanded: server => organization.confines(server),
    inheritsAll: () => configuration.sandboxInheritsAll,
    isWatched: server => confined.loaded?.isWatched(server) === true,
    // Nobody can exempt a server that the organization wants confined.
    runsFreeOnce: server => !organization.confines(server) && confined.loaded?.runsFreeOnce(server) === true,
    granted: server => {
      const grant = confined().granted(server);
      return organization.confines(server) ? { ...grant, isFree: false } : grant;
    },
    askHost: (server, host) => confined().askHost(server, host),
    limits: () => organization.limits,
    watch: (folder, changed) => loadExtras().watchFolder(folder, changed),
    storage: sandboxes,
    bridge: vscode.Uri.joinPath(context.extensionUri, 'dist', 'sandbox-bridge.js').fsPath,
  };
}

const isProgram = ({ entry }: ServerDefinition) => entry?.type === 'stdio';
const isIll = ({ state: { kind } }: ServerConnection) => kind === 'failed' || kind === 'reconnecting';
const isWorkedOn = ({ definition: { entry } }: ServerConnection) => entry?.type === 'stdio' && entry.dev !== undefined;
