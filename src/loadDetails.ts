import * as vscode from 'vscode';
import type { CommandHandlers } from './editor/commands';
import type { Details } from './editor/servers/details';
import type { DetailNode } from './editor/servers/nodes';
import type { ServerDetails } from './editor/servers/serverDetails';
import type { ServerSet } from './editor/servers/serverSet';
import type { RootsPort, ServerConnection, ServerDefinition } from './host';
import { type Disposable, DisposableStore, Emitter } from './host/events';
import type { WatchCall } from './host/runningCalls';

/** Where tasks are kept in the state of the workspace. */
export const TASKS_KEY = 'tasks';

/**
 * Roots and running calls, a bundle of its own (esbuild.js): loaded when a server first asks for its roots, a tool is first
 * called, the row of a server that is ready is opened, or a task of an earlier window is to be followed.
 */
export class DetailsLoader implements RootsPort, ServerDetails, Disposable {
  readonly #rootsChanged = new Emitter<void>();
  readonly onDidChange = this.#rootsChanged.event;
  readonly #rowsChanged = new Emitter<DetailNode | ServerConnection | undefined>();
  readonly onDidChangeRows = this.#rowsChanged.event;
  readonly commands: Pick<CommandHandlers, 'cancelCall'> = {
    cancelCall: argument => (argument as DetailNode | undefined)?.call?.cancel(),
  };
  readonly #disposables = new DisposableStore();
  #loaded: Details | undefined;

  constructor(
    private readonly servers: () => ServerSet,
    private readonly state: vscode.Memento,
  ) {
    const onRoots = () => {
      this.#rootsChanged.fire();
      this.#rowsChanged.fire(undefined);
    };
    this.#disposables.add(this.#rootsChanged);
    this.#disposables.add(this.#rowsChanged);
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(onRoots));
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(onRoots));
  }

  list(server: ServerDefinition): ReturnType<RootsPort['list']> {
    return this.#load().roots.list(server);
  }

  rows(server: ServerConnection): ReturnType<ServerDetails['rows']> {
    return server.info ? this.#load().rows(server) : { running: [], roots: [] };
  }

  readonly watchCall: WatchCall = (...call) => this.#load().calls.watch(...call);

  /** A server has changed: an earlier window may have left tasks of it. */
  onServer(server: ServerConnection | undefined): void {
    if (server?.info && this.state.get<unknown[]>(TASKS_KEY, []).length > 0) this.#load().restore(server);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #load(): Details {
    if (!this.#loaded) {
      const { Details } = require('./editor/servers/details') as typeof import('./editor/servers/details');
      this.#loaded = this.#disposables.add(new Details(this.servers(), this.state));
      this.#disposables.add(this.#loaded.onDidChangeRows(row => this.#rowsChanged.fire(row)));
      this.#disposables.add(
        this.#loaded.roots.onDidChange(() => {
          this.#rootsChanged.fire();
          this.#rowsChanged.fire(undefined);
        }),
      );
    }
    return this.#loaded;
  }
}
