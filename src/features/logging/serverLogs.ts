import type * as vscode from 'vscode';
import { Emitter } from '../../base/events';
import type { LogEntry, LogPort, ServerDefinition, ServerId } from '../../host';
import { AllLogs } from './allLogs';
import { ServerLog } from './serverLog';

/**
 * One log channel for each server, with all it says: log notifications, stderr, and what the host did with it; and all of
 * them together.
 */
export class ServerLogs implements LogPort, vscode.Disposable {
  readonly #logs = new Map<ServerId, ServerLog>();
  readonly #all = new AllLogs();
  /** Servers that were removed: what they say at their end opens no channel again. */
  readonly #removed = new Set<ServerId>();

  readonly #levelChanged = new Emitter<ServerId>();
  /** Another level is wanted of a server. */
  readonly onDidChangeLevel = this.#levelChanged.event;

  log(definition: ServerDefinition, entry: LogEntry): void {
    if (this.#removed.has(definition.id)) return;
    const line = this.#log(definition).write(entry);
    if (line) this.#all.push(line);
  }

  level(definition: ServerDefinition): LogEntry['level'] | undefined {
    if (this.#removed.has(definition.id)) return undefined;
    const log = this.#log(definition);
    // Lines come with the definition that their session began with, this is the one of now.
    log.definition = definition;
    return log.level;
  }

  show(definition: ServerDefinition): void {
    this.#log(definition).show();
  }

  showAll(): void {
    this.#all.show();
  }

  /** Closes the channels of servers that are no longer configured. */
  keep(ids: ReadonlySet<ServerId>): void {
    for (const id of ids) this.#removed.delete(id);
    for (const [id, log] of this.#logs) {
      if (ids.has(id)) continue;
      log.dispose();
      this.#logs.delete(id);
      this.#removed.add(id);
    }
  }

  dispose(): void {
    this.keep(new Set());
    this.#all.dispose();
    this.#levelChanged.dispose();
  }

  #log(definition: ServerDefinition): ServerLog {
    const { id } = definition;
    let log = this.#logs.get(id);
    if (!log) {
      log = new ServerLog(definition, () => this.#levelChanged.fire(id));
      this.#logs.set(id, log);
    }
    return log;
  }
}
