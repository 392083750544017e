import vscode = require('vscode');

import { Emitter } from '../../base/events';
import type { LogEntry, LogPort, ServerDefinition, ServerId } from '../../host/definition';
import { AllLogs } from './allLogs';
import type { LogLine } from './core/recentLines';
import { ServerLog } from './serverLog';

/** How long a log may take to be drawn. */
const PATIENCE_MS = 5_000;

/** A log message of a server (spec: server/utilities/logging), without secrets. */
type ServerMessage = Pick<LogEntry, 'level' | 'logger' | 'data'> & { readonly server: ServerId };

/**
 * One log channel for each server, with log notifications, stderr, and what the host did with it; and one for all servers
 * together.
 */
export class ServerLogs implements LogPort, vscode.Disposable {
  readonly #logs = new Map<ServerId, ServerLog>();
  readonly #all = new AllLogs();
  /** Servers that were removed: what they say while ending does not reopen their channel. */
  readonly #removed = new Set<ServerId>();

  readonly #levelChanged = new Emitter<ServerId>();
  /** Fires when another level is wanted from a server. */
  readonly onDidChangeLevel = this.#levelChanged.event;

  readonly #logged = new Emitter<ServerMessage>();
  /** Fires with each log message that a server sends, whatever its channel shows. */
  readonly onDidLog = this.#logged.event;

  log(definition: ServerDefinition, entry: LogEntry): void {
    if (this.#removed.has(definition.id)) return;
    if (entry.source === 'server') this.#logged.fire({ server: definition.id, ...entry });
    const line = this.#log(definition).write(entry);
    if (line) this.#all.push(line);
  }

  level(definition: ServerDefinition): LogEntry['level'] | undefined {
    if (this.#removed.has(definition.id)) return undefined;
    const log = this.#log(definition);
    // Lines come with the definition that their session began with; this is the current one.
    log.definition = definition;
    return log.level;
  }

  show(definition: ServerDefinition): void {
    this.#log(definition).show();
  }

  /** Scrolls to the last place of a line in the log that is shown. */
  reveal(line: string): void {
    revealLine(line);
  }

  /** The last lines of a server's log, without secrets. */
  recent(id: ServerId): readonly LogLine[] {
    return this.#all.recent.filter(({ server }) => server === id);
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
    this.#logged.dispose();
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

/** Scrolls the shown log to the last place of a line, as soon as it is there. */
function revealLine(line: string): void {
  const wanted = line.trim();
  if (wanted === '') return;
  const look = () => {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (document.uri.scheme !== 'output') continue;
      const at = document.getText().lastIndexOf(wanted);
      if (at < 0) continue;
      const range = new vscode.Range(document.positionAt(at), document.positionAt(at + wanted.length));
      editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
      stop.dispose();
      return;
    }
  };
  const timer = setTimeout(() => stop.dispose(), PATIENCE_MS);
  const stop = vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(look),
    vscode.workspace.onDidChangeTextDocument(look),
    { dispose: () => clearTimeout(timer) },
  );
  look();
}
