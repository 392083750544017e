import type { CommandHandlers } from './editor/commands';
import type { ServerLogs } from './editor/logging/serverLogs';
import type { LogEntry, LogPort, ServerDefinition, ServerId } from './host';
import { type Disposable, Emitter } from './host/events';

/** The logs of servers, a bundle of its own (esbuild.js): loaded with the first line. */
export class LogsLoader implements LogPort, Disposable {
  readonly commands: Pick<CommandHandlers, 'showAllLogs'> = { showAllLogs: () => this.#load().showAll() };
  readonly #levelChanged = new Emitter<ServerId>();
  readonly onDidChangeLevel = this.#levelChanged.event;
  #loaded: ServerLogs | undefined;

  log(definition: ServerDefinition, entry: LogEntry): void {
    this.#load().log(definition, entry);
  }

  level(definition: ServerDefinition): LogEntry['level'] | undefined {
    return this.#load().level(definition);
  }

  show(definition: ServerDefinition): void {
    this.#load().show(definition);
  }

  /** Closes the logs of servers that are no longer configured. */
  keep(ids: ReadonlySet<ServerId>): void {
    this.#loaded?.keep(ids);
  }

  dispose(): void {
    this.#loaded?.dispose();
  }

  #load(): ServerLogs {
    if (!this.#loaded) {
      const { ServerLogs } = require('./editor/logging/serverLogs') as typeof import('./editor/logging/serverLogs');
      this.#loaded = new ServerLogs(id => this.#levelChanged.fire(id));
    }
    return this.#loaded;
  }
}
