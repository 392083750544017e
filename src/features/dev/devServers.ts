import { stat } from 'node:fs/promises';
import { type Disposable, DisposableMap, Owner } from '../../base/events';
import { numberText } from '../../base/numberText';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import type { ServerNotices } from '../../editor/serverNotices';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { LaunchCheck, LogPort, ProgramPorts, ServerDefinition } from '../../host/definition';
import type { Problem } from '../../host/settings';
import { changeText, type TestDebugger } from '../authors';
import { attach } from './attachDebugger';
import type { BuildProblem } from './core/buildProblems';
import { type DebugWay, debugWay } from './core/debugLaunch';
import { type DevState, Reloader } from './core/reloader';
import { type DebugEvents, ServerDebugger } from './core/serverDebugger';
import { FileChanges, isLeftOut, watchedPlace } from './core/watchedFiles';

import vscode = require('vscode');

interface DevOptions {
  readonly servers: ServerSet;
  readonly ports: ProgramPorts;
  readonly logs: Pick<LogPort, 'log'> & { show(definition: ServerDefinition): void };
  readonly notices: ServerNotices;
  /** See `ServerDebugger`. */
  readonly debugpyFolder: string;
  changed(server: ServerConnection): void;
  problemsChanged(): void;
}

interface DevServer extends Disposable {
  /** Its files changed while it was debugged. */
  missed?: boolean;
  /** The part of the entry that it was made for. */
  readonly key: string;
  readonly reloader: Reloader;
}

const MAX_CHANGES_SHOWN = 12;

/** Restarts servers with `dev.watch` when their files change, and debugs servers (`doors/authors.ts` loads it). */
export class DevServers extends Owner {
  readonly #followed = this.own(new DisposableMap<ServerConnection, DevServer>());
  /** Those that are not followed before the workspace is trusted. */
  readonly #unwatched = new WeakSet<ServerConnection>();

  readonly #debugger: ServerDebugger;
  /** Why the last build failed, until one succeeds. */
  readonly #failedBuilds = new WeakMap<ServerConnection, Phrase | string>();
  readonly #diagnostics = this.own(new BuildDiagnostics());

  constructor(private readonly options: DevOptions) {
    super();
    this.own(vscode.workspace.onDidGrantWorkspaceTrust(() => this.follow()));
    this.#debugger = new ServerDebugger({
      attach,
      changed: server => options.changed(server),
      log: (server, text) => this.#log(server, 'info', text),
      debugpyFolder: options.debugpyFolder,
      startsAgain: true,
    });
  }

  /** Puts a launch under a debugger that a person wants it to be under. */
  get check(): LaunchCheck {
    return this.#debugger;
  }

  /** *Debug Server*. Resolves when that is over. */
  async debug(server: ServerConnection): Promise<void> {
    const way = wayOf(server);
    if (!vscode.workspace.isTrusted) return tellOfTrust(server);
    const problem = (way && missingDebugger(way)) ?? (await this.#debugger.debug(server, way));
    const followed = this.#followed.get(server);
    if (followed?.missed) {
      followed.missed = false;
      followed.reloader.fileChanged();
    }
    if (!problem) return;
    const open = t('Show Log');
    const reason = visible(server.redact(localized(problem)), 500);
    const message = t('"{0}" could not be debugged: {1}', server.name, reason);
    if ((await window.showErrorMessage(message, open)) === open) this.options.logs.show(server.definition);
  }

  /** Debugs the servers of tests: each once, when it is started for its test. */
  forTests(events: DebugEvents & { log(text: string): void }): TestDebugger {
    const tested = new ServerDebugger({
      attach: (configuration, { paused }) =>
        attach(configuration, {
          left: () => events.left(),
          paused: isPaused => {
            paused(isPaused);
            events.paused(isPaused);
          },
        }),
      log: (_server, text) => events.log(text),
      debugpyFolder: this.options.debugpyFolder,
      startsAgain: false,
    });
    return {
      admit: (definition, entry, purpose) => tested.admit(definition, entry, purpose),
      debug: async (server, name, onAttached) => {
        const way = wayOf(server);
        if (!vscode.workspace.isTrusted) return phrase('this workspace is not trusted.');
        return (
          (way && missingDebugger(way)) ??
          tested.debug(server, way, `${server.name}: ${visible(name, 100)}`, onAttached)
        );
      },
    };
  }

  follow(): void {
    const { servers } = this.options;
    for (const [server, followed] of this.#followed) {
      if (servers.get(server.id) === server && keyOf(server) === followed.key) continue;
      this.#followed.delete(server);
      this.#ended(server, undefined);
    }
    for (const server of servers.all) {
      const key = keyOf(server);
      if (key === undefined || this.#followed.has(server)) continue;
      if (vscode.workspace.isTrusted) this.#followed.set(server, this.#watch(server, key));
      else this.#leaveUnwatched(server);
    }
  }

  /** The news about the last change for its row, if any. */
  news(server: ServerConnection): string | undefined {
    if (this.#debugger.isDebugged(server)) return t('debugging');
    const state = this.#followed.get(server)?.reloader.state;
    if (state?.kind === 'building') return t('building…');
    if (state?.kind === 'buildFailed') return t('build failed');
    return state?.kind === 'reloaded' ? changesText(state) : undefined;
  }

  /** The failure of its last build, at its entry. */
  problems(server: ServerConnection): readonly Problem[] {
    const reason = this.#failedBuilds.get(server);
    if (reason === undefined) return [];
    const message = phrase('The build failed: {0}. The server keeps running unchanged.', reason);
    return [{ severity: 'error', path: [server.name], onKey: true, message }];
  }

  /** Lines on it for its tooltip. */
  notes(server: ServerConnection): readonly string[] {
    if (this.#unwatched.has(server) && !vscode.workspace.isTrusted)
      return [t('Its files are not watched, because this workspace is not trusted.')];
    const state = this.#followed.get(server)?.reloader.state;
    if (state?.kind === 'buildFailed') {
      const failed = t('The build failed: {0}. The server keeps running unchanged.', localized(state.reason));
      return [[failed, ...state.tail.map(line => visible(line, 200))].join('\n')];
    }
    if (state?.kind !== 'reloaded') return [];
    const time = new Date(state.at).toLocaleTimeString(vscode.env.language);
    const reloaded = t('Reloaded at {0}, in {1} s', time, numberText(state.ms / 1_000, 1));
    const shown = state.changes
      .slice(0, MAX_CHANGES_SHOWN)
      .map(change => `${SIGNS[change.verdict]} ${localized(changeText(change))}`);
    return [[reloaded, ...shown, ...(state.changes.length > shown.length ? ['…'] : [])].join('\n')];
  }

  #log({ definition }: ServerConnection, level: 'info' | 'error', data: string): void {
    this.options.logs.log(definition, { source: 'lifecycle', level, data });
  }

  #leaveUnwatched(server: ServerConnection): void {
    if (this.#unwatched.has(server)) return;
    this.#unwatched.add(server);
    this.#log(server, 'info', 'its files are not watched: this workspace is not trusted');
    this.options.changed(server);
  }

  #watch(server: ServerConnection, key: string): DevServer {
    const { ports, changed } = this.options;
    const log = (level: 'info' | 'error', text: string) => this.#log(server, level, server.redact(text));
    let told: DevState['kind'] | undefined;
    const reloader = new Reloader(server, {
      ...ports,
      log,
      changed: () => {
        const { state } = reloader;
        // Once, until a build has succeeded again: while somebody types, it may fail with each save.
        if (state?.kind === 'buildFailed' && told !== 'buildFailed') void this.#tellOfFailure(server);
        if (state?.kind === 'buildFailed' || state?.kind === 'restarting') told = state.kind;
        if (state?.kind !== 'building') this.#ended(server, state?.kind === 'buildFailed' ? state : undefined);
        changed(server);
      },
    });
    const files = new FileChanges();
    const since = Date.now();
    const { definition } = server;
    const entry = definition.entry?.type === 'stdio' ? definition.entry : undefined;
    const subscriptions: vscode.Disposable[] = [];
    for (const glob of entry?.dev?.watch ?? []) {
      const place = watchedPlace(glob, entry?.cwd ?? definition.place.base);
      if (!place) {
        log('error', `${visible(glob, 200)} is not watched: it stands for the whole disk, or has too many wildcards`);
        continue;
      }
      const pattern = new vscode.RelativePattern(vscode.Uri.file(place.base), place.pattern);
      const onFile = async ({ fsPath, scheme }: vscode.Uri) => {
        if (scheme !== 'file' || isLeftOut(place.base, fsPath)) return;
        const found = await stat(fsPath).catch(() => undefined);
        // A watcher may still tell of what happened just before it was there.
        if (found?.isDirectory() || (found && Math.max(found.mtimeMs, found.ctimeMs) < since)) return;
        const state = found && `${found.mtimeMs} ${found.size}`;
        const inBuild = found !== undefined && reloader.builtAt(found.mtimeMs);
        if (!files.isChange(fsPath, state, inBuild)) return;
        // What a debugger has stopped is left to the person.
        if (this.#debugger.isDebugged(server)) followed.missed = true;
        else reloader.fileChanged();
      };
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      subscriptions.push(
        watcher,
        watcher.onDidChange(onFile),
        watcher.onDidCreate(onFile),
        watcher.onDidDelete(onFile),
        // Sooner than the watcher, which waits for more changes.
        vscode.workspace.onDidSaveTextDocument(document => {
          if (vscode.languages.match({ pattern }, document) > 0) void onFile(document.uri);
        }),
      );
    }
    const followed: DevServer = {
      key,
      reloader,
      dispose: () => {
        reloader.dispose();
        for (const subscription of subscriptions) subscription.dispose();
      },
    };
    return followed;
  }

  /** @param failed how its build failed; undefined: it did not. */
  #ended(server: ServerConnection, failed: Extract<DevState, { kind: 'buildFailed' }> | undefined): void {
    const reason = failed?.reason;
    this.#diagnostics.set(server, failed?.problems ?? []);
    const before = this.#failedBuilds.get(server);
    if (reason === undefined) this.#failedBuilds.delete(server);
    else this.#failedBuilds.set(server, reason);
    if (before !== reason) this.options.problemsChanged();
  }

  async #tellOfFailure(server: ServerConnection): Promise<void> {
    const open = t('Show Log');
    const message = t('The build of "{0}" failed. The server keeps running unchanged.', server.name);
    if ((await this.options.notices.show('Error', server, message, open)) === open)
      this.options.logs.show(server.definition);
  }
}

const wayOf = ({ definition: { entry } }: ServerConnection) => (entry?.type === 'stdio' ? debugWay(entry) : undefined);

async function tellOfTrust({ name }: ServerConnection): Promise<void> {
  const manage = t('Manage Workspace Trust');
  const message = t('"{0}" can\'t be debugged, because this workspace is not trusted.', name);
  if ((await window.showInformationMessage(message, manage)) === manage)
    await vscode.commands.executeCommand('workbench.trust.manage');
}

function missingDebugger({ type }: DebugWay): Phrase | undefined {
  const isInstalled = vscode.extensions.all.some(({ packageJSON }) =>
    [packageJSON.contributes?.debuggers ?? []].flat().some(one => one?.type === type),
  );
  const named = visible(type, 100);
  return isInstalled
    ? undefined
    : phrase('no debugger of the type "{0}" is installed. Install an extension that has it.', named);
}

const SIGNS = { breaking: '−', added: '+', wording: '~' } as const;

/** The part of an entry that decides what is watched; undefined when nothing is. */
function keyOf({ definition: { entry, place } }: ServerConnection): string | undefined {
  if (entry?.type !== 'stdio' || !entry.dev?.watch || !entry.enabled) return undefined;
  return JSON.stringify([entry.dev.watch, entry.cwd ?? place.base]);
}

function changesText({ changes }: Extract<DevState, { kind: 'reloaded' }>): string | undefined {
  const items = new Set(changes.map(({ where }) => where.split('/', 2).join('/')));
  if (items.size === 0) return undefined;
  if (![...items].every(item => item.startsWith('tools/')))
    return items.size === 1 ? t('1 change') : t('{0} changes', items.size);
  return items.size === 1 ? t('1 tool changed') : t('{0} tools changed', items.size);
}

/** Shows the errors of failed builds at their lines, until the next build of the same server. */
class BuildDiagnostics extends Owner {
  readonly #collection = this.own(vscode.languages.createDiagnosticCollection('mcpHost.build'));
  readonly #byServer = new Map<ServerConnection, readonly BuildProblem[]>();

  /** @param problems none: its last build has succeeded, or there is none any more. */
  set(server: ServerConnection, problems: readonly BuildProblem[]): void {
    const before = this.#byServer.get(server);
    if (before === problems || (!before && problems.length === 0)) return;
    if (problems.length > 0) this.#byServer.set(server, problems);
    else this.#byServer.delete(server);
    const byFile = Map.groupBy([...this.#byServer.values()].flat(), ({ file }) => file);
    this.#collection.clear();
    for (const [file, all] of byFile) this.#collection.set(vscode.Uri.file(file), all.map(diagnosticOf));
  }
}

function diagnosticOf({ line, column, isError, message, source }: BuildProblem): vscode.Diagnostic {
  const at = new vscode.Position(line - 1, column - 1);
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  const diagnostic = new vscode.Diagnostic(new vscode.Range(at, at), message, isError ? error : warning);
  diagnostic.source = source;
  return diagnostic;
}
