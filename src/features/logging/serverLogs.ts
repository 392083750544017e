import { Emitter } from '../../base/events';
import { say, t, window } from '../../editor/window';
import type { LogEntry, LogPort, ServerDefinition, ServerId } from '../../host/definition';
import { formatEntry, type LogLine, RecentLines } from './core/logFormat';

import vscode = require('vscode');

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
class ServerLog implements vscode.Disposable {
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

/** Lines are written together: each write is a message to the window. */
const WRITE_MS = 100;
const LINES_PER_WRITE = 500;
/** When the view has grown by this many characters, it starts again with the recent lines. */
const MAX_CHARACTERS = 8_000_000;

/**
 * The logs of all servers, merged by time. Recent lines are kept from the start; all others only once a person has opened
 * it.
 *
 * It is a plain channel with our own timestamps: a log channel would stamp the recent lines with the time at which they are
 * copied into it.
 */
class AllLogs implements vscode.Disposable {
  readonly #recent = new RecentLines();
  #channel: vscode.OutputChannel | undefined;
  #waiting: LogLine[] = [];
  #timer: NodeJS.Timeout | undefined;
  #characters = 0;

  push(line: LogLine): void {
    this.#recent.push(line);
    if (!this.#channel) return;
    this.#waiting.push(line);
    if (this.#waiting.length >= LINES_PER_WRITE) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), WRITE_MS);
  }

  get recent(): readonly LogLine[] {
    return this.#recent.all;
  }

  show(): void {
    if (!this.#channel) {
      this.#channel = window.createOutputChannel(t('MCP: all servers'), 'log');
      const lines = this.#recent.all;
      this.#channel.append(lines.length > 0 ? textOf(lines) : `${t('No MCP server has logged anything yet.')}\n`);
    }
    this.#channel.show(true);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#channel?.dispose();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = textOf(this.#waiting);
    this.#waiting = [];
    this.#characters += text.length;
    if (this.#characters < MAX_CHARACTERS) {
      this.#channel?.append(text);
    } else {
      this.#characters = 0;
      this.#channel?.replace(textOf(this.#recent.all));
    }
  }
}

function textOf(lines: readonly LogLine[]): string {
  return lines
    .map(({ at, server, level, text }) => `${timeOf(new Date(at))} [${level}] [${server}] ${text}\n`)
    .join('');
}

/** A local timestamp, as in the editor's own logs. */
function timeOf(date: Date): string {
  const padded = (value: number, length = 2) => String(value).padStart(length, '0');
  const day = [date.getFullYear(), padded(date.getMonth() + 1), padded(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(value => padded(value)).join(':');
  return `${day} ${time}.${padded(date.getMilliseconds(), 3)}`;
}
