import vscode = require('vscode');

import { say, window } from '../../editor/window';
import type { LogEntry, ServerDefinition } from '../../host/definition';
import { formatEntry } from './core/logFormat';
import type { LogLine } from './core/recentLines';

type Level = LogEntry['level'];

const { LogLevel } = vscode;

/** Maps the eight levels of the specification (server/utilities/logging), least severe first, to the channel's. */
const LEVELS = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  notice: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  critical: LogLevel.Error,
  alert: LogLevel.Error,
  emergency: LogLevel.Error,
} as const satisfies Record<Level, vscode.LogLevel>;
const SEVERITY = Object.keys(LEVELS);

/** The level that a server is asked for when its channel has this level. */
const ASKED: Record<vscode.LogLevel, Level> = {
  [LogLevel.Off]: 'emergency',
  [LogLevel.Trace]: 'debug',
  [LogLevel.Debug]: 'debug',
  [LogLevel.Info]: 'info',
  [LogLevel.Warning]: 'warning',
  [LogLevel.Error]: 'error',
};

const WRITE = {
  [LogLevel.Trace]: 'trace',
  [LogLevel.Debug]: 'debug',
  [LogLevel.Info]: 'info',
  [LogLevel.Warning]: 'warn',
  [LogLevel.Error]: 'error',
} as const;

/**
 * The log channel of one server, and the level that the server is asked for: what the person chose as the channel's level;
 * until then its setting `logLevel`; without one, as much as the channel shows. A changed setting counts from then on.
 *
 * What the setting asks for is shown even if the channel, which then has the editor's default level, would leave it out.
 */
export class ServerLog implements vscode.Disposable {
  readonly #channel: vscode.LogOutputChannel;
  readonly #listener: vscode.Disposable;
  #chosen: { level: Level; setting: Level | undefined } | undefined;

  constructor(
    public definition: ServerDefinition,
    onDidChangeLevel: () => void,
  ) {
    this.#channel = window.createOutputChannel(say`MCP: ${definition.id}`, { log: true });
    // Chosen before the extension host restarted, or set as the default for its logs.
    if (this.#channel.logLevel !== vscode.env.logLevel) this.#choose();
    this.#listener = this.#channel.onDidChangeLogLevel(() => {
      this.#choose();
      onDidChangeLevel();
    });
  }

  /** The least severe level wanted from the server now. */
  get level(): Level {
    return this.#choice ?? this.#setting ?? ASKED[this.#channel.logLevel];
  }

  /** Writes an entry and returns what was written; undefined if the channel's level excludes it. */
  write(entry: LogEntry): LogLine | undefined {
    const { logLevel } = this.#channel;
    const level = LEVELS[entry.level];
    const isBelow = level < logLevel;
    if (logLevel === LogLevel.Off || (isBelow && !this.#isAskedBySetting(entry))) return undefined;
    const written = isBelow ? logLevel : level;
    const method = WRITE[written];
    const text = formatEntry(entry, isBelow);
    this.#channel[method](text);
    return { at: Date.now(), server: this.definition.id, level: method === 'warn' ? 'warning' : method, text };
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#channel.dispose();
  }

  get #setting(): Level | undefined {
    return this.definition.entry?.logLevel;
  }

  get #choice(): Level | undefined {
    return this.#chosen?.setting === this.#setting ? this.#chosen?.level : undefined;
  }

  #choose(): void {
    this.#chosen = { level: ASKED[this.#channel.logLevel], setting: this.#setting };
  }

  #isAskedBySetting({ source, level }: LogEntry): boolean {
    const setting = this.#setting;
    return (
      source === 'server' &&
      setting !== undefined &&
      this.#choice === undefined &&
      SEVERITY.indexOf(level) >= SEVERITY.indexOf(setting)
    );
  }
}
