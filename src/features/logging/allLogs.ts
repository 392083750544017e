import type * as vscode from 'vscode';
import { t, window } from '../../editor/window';
import { type LogLine, RecentLines } from './core/recentLines';

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
export class AllLogs implements vscode.Disposable {
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
