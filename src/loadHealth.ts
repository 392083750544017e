import type * as vscode from 'vscode';
import type { CommandHandlers } from './editor/commands';
import type { Health } from './editor/health/health';
import type { ServerSet } from './editor/servers/serverSet';

/** The health of servers, a bundle of its own (esbuild.js): loaded with the first of its commands. */
export class HealthLoader implements vscode.Disposable {
  readonly commands: Pick<CommandHandlers, 'copyDiagnostics' | 'showHealth'> = {
    copyDiagnostics: argument => this.#load().copyDiagnostics(argument),
    showHealth: argument => this.#load().show(argument),
  };
  #loaded: Health | undefined;

  constructor(
    private readonly servers: ServerSet,
    private readonly context: vscode.ExtensionContext,
  ) {}

  dispose(): void {
    this.#loaded?.dispose();
  }

  #load(): Health {
    if (!this.#loaded) {
      const { Health } = require('./editor/health/health') as typeof import('./editor/health/health');
      this.#loaded = new Health(this.servers, this.context);
    }
    return this.#loaded;
  }
}
