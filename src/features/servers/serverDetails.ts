import type * as vscode from 'vscode';
import { DisposableStore, Emitter } from '../../base/events';
import { type Lazy, lazy } from '../../base/lazy';
import type { DetailNode } from '../../editor/servers/serverNodes';
import type { RunningCalls, ServerConnection, ServerDefinition, ServerSet } from '../../host';
import { rootsNode, WorkspaceRoots } from '../roots';
import { RunningRows, tellOfTask } from '../running';
import type { ConfinedServers } from '../sandbox';
import { type Skills, servesSkills } from '../skills';

interface DetailMakers {
  /** Whether the person has agreed to one of the roots that a server's entry wants. */
  readonly allowsRoot: (server: ServerDefinition, root: string) => boolean;
  readonly skills: () => Skills;
  readonly confined: () => ConfinedServers;
}

/** What a server is told about (roots), what it is doing (running calls), and its skills. */
export class ServerDetails implements vscode.Disposable {
  readonly roots: WorkspaceRoots;
  /** What a row says first, if its author is working on the server. */
  news: (server: ServerConnection) => string | undefined = () => undefined;
  /** Loaded with the first server that serves skills. */
  readonly skills: Lazy<Skills>;
  /** Loaded with the first server that is confined. */
  readonly confined: Lazy<ConfinedServers>;
  readonly #running: RunningRows;
  readonly #changed = new Emitter<DetailNode | ServerConnection | undefined>();
  /** Fires with what has changed: one row, all rows of a server, or any. */
  readonly onDidChangeRows = this.#changed.event;
  readonly #disposables = new DisposableStore();

  constructor(
    servers: ServerSet,
    /** Those that run; they are made elsewhere. */
    readonly calls: Omit<RunningCalls, 'make'>,
    make: DetailMakers,
  ) {
    this.roots = this.#disposables.add(new WorkspaceRoots(make.allowsRoot));
    this.skills = lazy(() => {
      const skills = this.#disposables.add(make.skills());
      this.#disposables.add(skills.onDidChange(server => this.#changed.fire(server)));
      return skills;
    });
    this.confined = lazy(() => {
      const confined = this.#disposables.add(make.confined());
      this.#disposables.add(confined.onDidChange(server => this.#changed.fire(server)));
      return confined;
    });
    this.#running = this.#disposables.add(new RunningRows(servers, this.calls));
    this.#disposables.add(this.#changed);
    this.#disposables.add(this.#running.onDidChange(row => this.#changed.fire(row)));
    this.#disposables.add(this.roots.onDidChange(() => this.#changed.fire(undefined)));
    this.#disposables.add(servers.onDidChange(change => change && this.#restore(change.server)));
  }

  /** What the Servers view shows below a server in addition to its lists. */
  rows(server: ServerConnection): { readonly running: readonly DetailNode[]; readonly more: readonly DetailNode[] } {
    if (!server.info) return { running: [], more: [] };
    const skills = servesSkills(server) ? [this.skills().row(server)] : [];
    const sandbox = server.attempts ? [this.confined().row(server, server.attempts)] : [];
    return { running: this.#running.rows(server), more: [...skills, rootsNode(server, this.roots), ...sandbox] };
  }

  /** Something that its row says is another. */
  changed(server: ServerConnection): void {
    this.#changed.fire(server);
  }

  /** Cancels the call of a row. */
  cancel(row: unknown): void {
    (row as DetailNode | undefined)?.call?.cancel();
  }

  /** Resumes tasks that an earlier window has left on a ready server, as soon as its tools are known. */
  #restore(server: ServerConnection): void {
    if (server.attempts) this.confined().follow(server);
    if (server.info && this.calls.hasKept && server.catalog.list('tools').status !== 'loading') {
      this.calls.restore(server, (tool, ended) => tellOfTask(server, tool, ended));
    }
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
