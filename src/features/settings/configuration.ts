import { homedir } from 'node:os';
import { Owner } from '../../base/events';

import vscode = require('vscode');

import { withDrive } from '../../base/filePlace';
import { isObject } from '../../base/json';
import { machineValue, ownValue, settingValue } from '../../editor/settingValues';
import type { ConfiguredServers, ReplayedCalls, SetLimits, StartPolicy, TraceLimits } from '../../host';
import type { DefinitionSource } from '../../host/definition';
import type { SandboxSetting } from '../../host/settings';
import { documentAddress } from './core/documentAddress';

const SECTION = 'mcpHost';
const MEGABYTE = 1024 * 1024;
const EDITORS_PROVIDER = 'mcp.enterpriseManagedAuth.idp';

type AddingExtension = Pick<vscode.Extension<unknown>, 'id' | 'extensionPath'>;

/** The servers of a `.mcp.json` at the top of a workspace folder, in the form of our settings. */
export interface ProjectFile {
  readonly folder: vscode.WorkspaceFolder;
  readonly uri: vscode.Uri;
  readonly servers: { readonly value: Readonly<Record<string, unknown>>; readonly inputs: readonly object[] };
}

/** What a managed file says about servers. */
interface ManagedSettings {
  /** In the form of `mcpHost.servers`. */
  readonly managedServers?: object | undefined;
  readonly identityProvider?: object | undefined;
  readonly clientMetadataUrl?: string | undefined;
}

/** Reads `mcpHost.servers`, inputs and the settings of connections. Entries are unchecked: the host does that. */
export class Configuration extends Owner {
  readonly #changed = this.own(new vscode.EventEmitter<void>());
  /** Fires when one of our settings changed, one that `watch` names, or the folders that settings come from. */
  readonly onDidChange = this.#changed.event;
  #watched: ReadonlySet<string> = new Set();
  readonly #added = new Set<{ readonly extension: AddingExtension; readonly value: object }>();
  #managed: ManagedSettings & { readonly file: string } = { file: '' };
  #projects: readonly ProjectFile[] = [];

  /** @param ownFolders path of a folder that belongs to the extension: see `ConfiguredServers`. */
  constructor(private readonly ownFolders: string) {
    super();
    this.own(
      vscode.workspace.onDidChangeConfiguration(event => {
        if ([SECTION, EDITORS_PROVIDER, ...this.#watched].some(key => event.affectsConfiguration(key)))
          this.#changed.fire();
      }),
    );
    this.own(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire()));
    this.own(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire()));
    this.own(vscode.extensions.onDidChange(() => this.#changed.fire()));
  }

  /** Other settings whose changes count, because `${config:…}` names them. */
  watch(keys: ReadonlySet<string>): void {
    this.#watched = keys;
  }

  /** Adds servers of another extension, in the form of `mcpHost.servers`, until the handle is disposed. */
  add(extension: AddingExtension, value: object): vscode.Disposable {
    const added = { extension, value };
    this.#added.add(added);
    this.#changed.fire();
    return new vscode.Disposable(() => {
      if (this.#added.delete(added)) this.#changed.fire();
    });
  }

  /** What the person's organization says about servers. @param file the path of the file that says it. */
  manage(file: string, { managedServers, identityProvider, clientMetadataUrl }: ManagedSettings): void {
    const managed = { managedServers, identityProvider, clientMetadataUrl };
    if (JSON.stringify(this.#managed) === JSON.stringify({ file, ...managed })) return;
    this.#managed = { file, ...managed };
    this.#changed.fire();
  }

  /** The `.mcp.json` of workspace folders. */
  useProjects(files: readonly ProjectFile[]): void {
    this.#projects = files;
    this.#changed.fire();
  }

  /**
   * `mcpHost.servers`, and its `mcpHost.inputs`, of every file that has servers: user settings, those of a remote machine, the
   * `.mcp.json` of each folder, workspace settings, then those of each folder of a multi-root workspace; then those of other extensions; last those of the
   * organization, which take the place of others.
   */
  get servers(): ConfiguredServers[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const settings = vscode.workspace.getConfiguration(SECTION);
    const [servers, inputs] = [settings.inspect('servers'), settings.inspect('inputs')];
    const projects = this.#readsProjects ? this.#projects : [];
    const names = new Set(projects.flatMap(({ servers }) => Object.keys(servers.value)));
    const onMachine = machineValue(servers);
    // The editor merges an entry with one of the same name.
    const isOnMachine = (name: string) => isObject(onMachine) && Object.hasOwn(onMachine, name);
    const ofMachine = withoutAdditions(isObject(onMachine) ? servers?.globalValue : onMachine, names, isOnMachine);
    const ofUser = withoutAdditions(ownValue(servers), names, name => !isOnMachine(name));
    const ofWorkspace = withoutAdditions(servers?.workspaceValue, names);
    const added = { ...ofUser.additions, ...ofMachine.additions, ...ofWorkspace.additions };
    const configured = [
      this.#in({ scope: 'user' }, ofUser.value, ownValue(inputs), folders[0]),
      this.#in({ scope: 'machine' }, ofMachine.value, inputs?.globalValue, folders[0]),
      ...projects.map(({ servers: { value, inputs }, ...file }) => this.asProject(file, addedTo(value, added), inputs)),
      ...(vscode.workspace.isTrusted ? [this.as('workspace', ofWorkspace.value, inputs?.workspaceValue)] : []),
    ];
    // With a single folder, its settings are those of the workspace. Untrusted ones are not even looked at.
    if (vscode.workspace.isTrusted && vscode.workspace.workspaceFile) {
      for (const folder of folders) {
        const of = vscode.workspace.getConfiguration(SECTION, folder.uri);
        const value = of.inspect('servers')?.workspaceFolderValue;
        const source = { scope: 'workspaceFolder', folder: { name: folder.name, path: folder.uri.fsPath } } as const;
        configured.push(this.#in(source, value, of.inspect('inputs')?.workspaceFolderValue, folder));
      }
    }
    for (const [{ id, extensionPath }, value] of vscode.workspace.isTrusted ? this.#ofExtensions : []) {
      const source = { scope: 'extension', folder: { name: id, path: extensionPath } } as const;
      configured.push(this.#in(source, value, undefined, folders[0]));
    }
    const { file, managedServers } = this.#managed;
    if (managedServers)
      configured.push(this.#in({ scope: 'user', managed: file }, managedServers, undefined, undefined));
    return configured.filter(({ value }) => value !== undefined && !isEmptyObject(value));
  }

  get #readsProjects(): boolean {
    const { isTrusted } = vscode.workspace;
    return isTrusted && settingValue('projectFile') !== 'off';
  }

  /** The `.mcp.json` of the first folder, whether or not it is there. Undefined: such files are not read here. */
  get project(): ProjectFile | undefined {
    const folder = this.#readsProjects ? vscode.workspace.workspaceFolders?.[0] : undefined;
    if (!folder) return undefined;
    const uri = vscode.Uri.joinPath(folder.uri, '.mcp.json');
    const read = this.#projects.find(file => file.uri.toString() === uri.toString());
    return read ?? { folder, uri, servers: { value: {}, inputs: [] } };
  }

  /** A value as if it were what a `.mcp.json` has. */
  asProject({ folder, uri }: Omit<ProjectFile, 'servers'>, value: unknown, inputs: unknown): ConfiguredServers {
    const projectFile = uri.toString();
    const source: DefinitionSource = vscode.workspace.workspaceFile
      ? { scope: 'workspaceFolder', folder: { name: folder.name, path: folder.uri.fsPath }, projectFile }
      : { scope: 'workspace', projectFile };
    return this.#in(source, value, inputs, folder);
  }

  /** Servers that extensions declare as `contributes.mcpHostServers` or add later; of one name, the last. */
  get #ofExtensions(): Map<AddingExtension, object> {
    const found = new Map<string, [AddingExtension, object]>();
    const declared = vscode.extensions.all.flatMap(extension => {
      const value: unknown = extension.packageJSON.contributes?.mcpHostServers;
      return isObject(value) ? [{ extension, value: withPath(value, extension) }] : [];
    });
    for (const { extension, value } of [...declared, ...this.#added])
      found.set(extension.id, [extension, { ...found.get(extension.id)?.[1], ...value }]);
    return new Map(found.values());
  }

  /** A value as if it were `mcpHost.servers` in the settings of the workspace or the user. */
  as(scope: 'user' | 'workspace', value: unknown, inputs?: unknown): ConfiguredServers {
    return this.#in({ scope }, value, inputs, vscode.workspace.workspaceFolders?.[0]);
  }

  #in(
    source: DefinitionSource,
    value: unknown,
    inputs: unknown,
    folder: vscode.WorkspaceFolder | undefined,
  ): ConfiguredServers {
    const { isTrusted, workspaceFolders: folders = [] } = vscode.workspace;
    const settings = () => vscode.workspace.getConfiguration(undefined, folder?.uri);
    return {
      source,
      value,
      inputs,
      variables: {
        ...(folder && { workspaceFolder: withDrive(folder.uri.fsPath) }),
        workspaceFolders: folders.map(({ name, uri }) => [name, withDrive(uri.fsPath)] as const),
        userHome: homedir(),
        execPath: process.execPath,
        extensionFolder: id => vscode.extensions.getExtension(id)?.extensionPath,
        env: name => process.env[name],
        config: key => {
          if (isTrusted) return settings().get(key);
          // Ignores what an untrusted workspace says.
          const { globalValue, defaultValue } = settings().inspect(key) ?? {};
          return globalValue ?? defaultValue;
        },
        isWorkspaceConfig: key => {
          const found = settings().inspect(key);
          if (machineValue(found) !== undefined) return true;
          return isTrusted && (found?.workspaceFolderValue ?? found?.workspaceValue) !== undefined;
        },
      },
      isTrusted,
      ownFolders: this.ownFolders,
      identityProvider: this.#identityProvider,
    };
  }

  /**
   * That of the organization, `mcpHost.signIn.identityProvider`, or the editor's own for servers of organizations. No workspace can set
   * them, nor can a remote machine: their scope is `application`.
   */
  get #identityProvider(): unknown {
    const own = settingValue('signIn.identityProvider');
    // A policy is the default. Editors that do not know the setting would let a workspace write it.
    const found = vscode.workspace.getConfiguration().inspect(EDITORS_PROVIDER);
    const editors = isEmptyObject(found?.defaultValue) ? ownValue(found) : (found?.defaultValue ?? ownValue(found));
    const all = [this.#managed.identityProvider, own, editors];
    return all.find(value => value !== undefined && value !== null && !isEmptyObject(value));
  }

  /** The organization's `clientMetadataUrl`, or `mcpHost.signIn.clientMetadataUrl`; undefined for none that can be used. */
  get clientMetadataUrl(): string | undefined {
    const own = settingValue('signIn.clientMetadataUrl');
    return this.#managed.clientMetadataUrl ?? documentAddress(own);
  }

  /** `mcpHost.start`, unchecked. */
  get start(): StartPolicy {
    return (settingValue('start') as StartPolicy | undefined) ?? 'onStartup';
  }

  /** `mcpHost.limits`, and its former names: a member `requestsInFlight`, and `mcpHost.ping.intervalMs`. */
  get limits(): SetLimits {
    const megabytes = this.#number('limits.messageMegabytes', 1, 512);
    return {
      messageBytes: megabytes && megabytes * MEGABYTE,
      requestsInFlight: this.#number('limits.requestsInFlight', 1, 10_000),
      pingIntervalMs: this.#number('limits.pingIntervalMs', 0) ?? this.#number('ping.intervalMs', 0),
    };
  }

  /** `mcpHost.replaySafeCalls`. Anything else than a known value repeats none. */
  get replaySafeCalls(): ReplayedCalls {
    const value = settingValue('replaySafeCalls');
    return value === 'readOnlyAndIdempotent' || value === 'readOnlyOrIdempotent' ? value : 'never';
  }

  /** Whether events of servers are shown: unless a setting that is gone, from when they were a draft, says no. */
  get events(): boolean {
    return settingValue('experimental.events') !== false;
  }

  /** `mcpHost.sandbox`. Anything else than a known value confines nothing that doesn't ask for it. */
  get sandbox(): SandboxSetting {
    const value = settingValue('sandbox');
    return value === 'all' || value === 'workspaceServers' ? value : 'off';
  }

  /** `mcpHost.sandboxEnvironment`. */
  get sandboxInheritsAll(): boolean {
    return settingValue('sandboxEnvironment') === 'whole';
  }

  /** `mcpHost.openTelemetry`, unchecked; undefined if it is empty. */
  get openTelemetry(): unknown {
    const value = settingValue('openTelemetry');
    return isEmptyObject(value) ? undefined : (value ?? undefined);
  }

  /** `mcpHost.trace.messages` and `mcpHost.trace.megabytes`. */
  get trace(): TraceLimits {
    return {
      messages: this.#number('trace.messages', 0, 100_000) ?? 10_000,
      size: (this.#number('trace.megabytes', 1, 512) ?? 32) * MEGABYTE,
    };
  }

  /** A number within its bounds; undefined for anything else that the settings file contains. */
  #number(key: string, min: number, max = Number.POSITIVE_INFINITY): number | undefined {
    const value = settingValue(key);
    return typeof value === 'number' && value >= min && value <= max ? value : undefined;
  }
}

/** A manifest cannot know where its extension will be installed. */
function withPath(value: object, { extensionPath }: AddingExtension): object {
  const written = JSON.stringify(extensionPath).slice(1, -1);
  return JSON.parse(JSON.stringify(value).replaceAll('${extensionPath}', () => written)) as object;
}

/** Entries with what others of their names add. */
function addedTo(value: Readonly<Record<string, unknown>>, added: Readonly<Record<string, object>>) {
  const entries = Object.entries(value).map(([name, entry]) => [
    name,
    isObject(entry) ? { ...entry, ...added[name] } : entry,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Entries of settings for servers of a `.mcp.json` that neither start nor reach anything: they add to what that file says, such as
 * `sandbox`, which other hosts do not know.
 * @param counts leaves out entries that are of another source.
 */
function withoutAdditions(
  value: unknown,
  names: ReadonlySet<string>,
  counts = (_name: string) => true,
): { value: unknown; additions: Readonly<Record<string, object>> } {
  if (!isObject(value)) return { value, additions: {} };
  const isAddition = ([name, entry]: [string, unknown]): boolean =>
    names.has(name) && isObject(entry) && !['command', 'url', 'args', 'type'].some(key => Object.hasOwn(entry, key));
  const [additions, others] = [[], []] as [[string, unknown][], [string, unknown][]];
  for (const one of Object.entries(value)) if (counts(one[0])) (isAddition(one) ? additions : others).push(one);
  return { value: Object.fromEntries(others), additions: Object.fromEntries(additions) as Record<string, object> };
}
