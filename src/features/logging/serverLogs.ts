import { Emitter, Owner } from '../../base/events';
import { say, t, window } from '../../editor/window';
import type { LogEntry, LogPort, ServerDefinition, ServerId } from '../../host/definition';
import { formatEntry } from './core/logFormat';
import { type LogLine, RecentLines } from './core/recentLines';

import vscode = require('vscode');

/** How long a log may take to be drawn. */
const PATIENCE_MS = 5_000;

/** A log message of a server (spec: server/utilities/logging), without secrets. */
type ServerMessage = Pick<LogEntry, 'level' | 'logger' | 'data'> & { readonly server: ServerId };

/** A log channel for each server: notifications, stderr, the host's lines. The editor's compound logs combine them. */
export class ServerLogs extends Owner implements LogPort {
  readonly #logs = new Map<ServerId, ServerLog>();
  readonly #recent = new RecentLines();
  /** Servers that were removed: what they say while ending does not reopen their channel. */
  readonly #removed = new Set<ServerId>();
  /** Logs of removed servers: the editor opens its panel when the channel goes that was shown last, so they go while that is open. */
  readonly #leaving = new Map<ServerId, ServerLog>();

  readonly #levelChanged = this.own(new Emitter<ServerId>());
  /** Fires when another level is wanted from a server. */
  readonly onDidChangeLevel = this.#levelChanged.event;

  readonly #logged = this.own(new Emitter<ServerMessage>());
  /** Fires with each log message that a server sends, whatever its channel shows. */
  readonly onDidLog = this.#logged.event;

  constructor() {
    super();
    this.own(vscode.window.onDidChangeVisibleTextEditors(() => this.#closeLeaving()));
  }

  log(definition: ServerDefinition, entry: LogEntry): void {
    if (this.#removed.has(definition.id)) return;
    if (entry.source === 'server') this.#logged.fire({ server: definition.id, ...entry });
    const line = this.#log(definition).write(entry);
    if (line) this.#recent.push(line);
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
    return this.#recent.all.filter(({ server }) => server === id);
  }

  /** Closes the channels of servers that are no longer configured. */
  keep(ids: ReadonlySet<ServerId>): void {
    for (const id of ids) this.#removed.delete(id);
    for (const [id, log] of this.#logs) {
      if (ids.has(id)) continue;
      this.#leaving.set(id, log);
      this.#logs.delete(id);
      this.#removed.add(id);
    }
    this.#closeLeaving();
  }

  override dispose(): void {
    for (const log of [...this.#logs.values(), ...this.#leaving.values()]) log.dispose();
    this.#logs.clear();
    this.#leaving.clear();
    super.dispose();
  }

  #closeLeaving(): void {
    if (!vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === 'output')) return;
    for (const log of this.#leaving.values()) log.dispose();
    this.#leaving.clear();
  }

  #log(definition: ServerDefinition): ServerLog {
    const { id } = definition;
    let log = this.#logs.get(id);
    if (!log) {
      log = this.#leaving.get(id) ?? new ServerLog(definition, () => this.#levelChanged.fire(id));
      this.#leaving.delete(id);
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
class ServerLog extends Owner {
  readonly #channel: vscode.LogOutputChannel;
  #chosen: { level: Level; setting: Level | undefined } | undefined;

  constructor(
    public definition: ServerDefinition,
    onDidChangeLevel: () => void,
  ) {
    super();
    this.#channel = this.own(window.createOutputChannel(say`MCP: ${definition.id}`, { log: true }));
    this.#channel.info(
      t(
        'What this server logs, and what MCP Host does with it. See also "Show Protocol Trace" and "Show Server Health".',
      ),
    );
    // Chosen before the extension host restarted, or set as the default for its logs.
    if (this.#channel.logLevel !== vscode.env.logLevel) this.#choose();
    this.own(
      this.#channel.onDidChangeLogLevel(() => {
        this.#choose();
        onDidChangeLevel();
      }),
    );
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
