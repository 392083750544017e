import * as vscode from 'vscode';
import type { LogEntry, LogPort, ServerDefinition, ServerId } from '../../host';
import { visibleLines } from '../../host/text';

const MAX_LINE = 20_000;

/** One log channel for each server, with all it says: log notifications, stderr, and what the host did with it. */
export class ServerLogs implements LogPort, vscode.Disposable {
  readonly #channels = new Map<ServerId, vscode.LogOutputChannel>();

  log(definition: ServerDefinition, entry: LogEntry): void {
    this.#channel(definition)[levels[entry.level]](format(entry));
  }

  show(definition: ServerDefinition): void {
    this.#channel(definition).show(true);
  }

  /** Closes the channels of servers that are no longer configured. */
  keep(ids: ReadonlySet<ServerId>): void {
    for (const [id, channel] of this.#channels) {
      if (ids.has(id)) continue;
      channel.dispose();
      this.#channels.delete(id);
    }
  }

  dispose(): void {
    this.keep(new Set());
  }

  #channel({ id }: ServerDefinition): vscode.LogOutputChannel {
    let channel = this.#channels.get(id);
    if (!channel) {
      channel = vscode.window.createOutputChannel(`MCP: ${id}`, { log: true });
      this.#channels.set(id, channel);
    }
    return channel;
  }
}

/** The eight levels of the specification (server/utilities/logging) on the channel's five. */
const levels = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
} as const satisfies Record<LogEntry['level'], string>;

function format({ source, level, logger, data }: LogEntry): string {
  const text = visibleLines(
    typeof data === 'string' ? data : (JSON.stringify(data, null, 2) ?? String(data)),
    MAX_LINE,
  );
  if (source !== 'server') return source === 'lifecycle' ? text : `[${source}] ${text}`;
  // What the channel's own level does not tell apart is said in words.
  const exact = level in { notice: 1, critical: 1, alert: 1, emergency: 1 } ? `${level}: ` : '';
  return `[server${logger ? ` ${visibleLines(logger, 100)}` : ''}] ${exact}${text}`;
}
