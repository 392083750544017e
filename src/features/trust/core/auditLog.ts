import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { appendLines } from '../../../base/files';
import { Queue } from '../../../base/queue';
import { withoutKnownTokens } from '../../../base/secretWords';
import { visible } from '../../../base/text';
import { REDACTED } from '../../../host';
import type { ServerId } from '../../../host/definition';

const KEPT_MS = 30 * 24 * 3_600_000;
const MAX_TOTAL_BYTES = 10 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;
const PRIVATE = 0o600;
/** Lines that are kept for a disk that is full, the newest. */
const MAX_UNWRITTEN = 1_000;
/** Length of a text in the log, in characters, and of a list. */
const MAX_TEXT = 1_000;
const MAX_LIST = 100;
/** How much of a text is searched for secrets: hidden characters get longer when made visible. */
const MAX_SEARCHED = 4 * MAX_TEXT;
/** A day's first file has no number: `audit-2026-01-31.jsonl`, `audit-2026-01-31-1.jsonl`, … */
const NAME = /^audit-(\d{4}-\d\d-\d\d)(?:-(\d+))?\.jsonl$/;

interface AuditLogOptions {
  /** For tests. Milliseconds since 1970. */
  now?: () => number;
  maxTotalBytes?: number;
  maxFileBytes?: number;
  /** Absolute path of another file that gets each line, too, or `syslog`. */
  copy?: () => string | undefined;
  /** Writes lines to the system's log. Rejects when the lines before could not be written. */
  syslog?: (lines: string) => Promise<void>;
}

/**
 * The audit log: append-only JSON Lines in files of our own folder. Entries older than 30 days, or beyond 10 MB in all, are
 * removed, oldest first. Several windows may write at the same time: each event is one write of one line.
 *
 * Servers, models and agents influence many of the texts. So the log redacts secrets, makes hidden characters visible and
 * truncates each text, for every caller.
 */
export class AuditLog implements AuditPort {
  #lines: string[] = [];
  /** What the disk has not taken: tried again with the next event. */
  readonly #unwritten: string[] = [];
  readonly #writes = new Queue();
  #prunedOn = '';
  /** Why lines are missing in the copy; the log says so once. */
  #copyFailed: string | undefined;

  constructor(
    readonly folder: string,
    /** Strikes out the secrets of the servers. */
    private readonly redact: (text: string) => string,
    private readonly options: AuditLogOptions = {},
  ) {}

  record(event: AuditEvent): void {
    const time = new Date(this.#now).toISOString();
    const members = Object.entries(event).map(([key, value]) => [key, this.#clean(value)]);
    this.#lines.push(`${JSON.stringify({ time, window: process.pid, ...Object.fromEntries(members) })}\n`);
    // One write for all events of this turn.
    if (this.#lines.length === 1) void this.#writes.run(() => this.#write());
  }

  /** Resolves when everything recorded so far is on disk. */
  async flush(): Promise<void> {
    await this.#writes.run(async () => {});
  }

  /** The whole log, oldest event first, with what is not on disk yet. */
  async read(): Promise<string> {
    await this.flush();
    const texts = await Promise.all((await this.#files()).map(file => readFile(file.path, 'utf8').catch(() => '')));
    return [...texts.map(text => text.replace(/[^\n]$/, '$&\n')), ...this.#unwritten].join('');
  }

  #clean(value: unknown): unknown {
    if (Array.isArray(value)) return value.slice(0, MAX_LIST).map(item => this.#clean(item));
    if (typeof value !== 'string') return value;
    // The mark tells the redactor that a secret may be cut off there.
    const searched = value.length > MAX_SEARCHED ? `${value.slice(0, MAX_SEARCHED)}…` : value;
    return visible(withoutKnownTokens(this.redact(searched), REDACTED), MAX_TEXT);
  }

  get #now(): number {
    return this.options.now?.() ?? Date.now();
  }

  async #write(): Promise<void> {
    const lines = this.#lines;
    this.#lines = [];
    this.#unwritten.push(...lines);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const day = new Date(this.#now).toISOString().slice(0, 10);
      if (this.#prunedOn !== day) await this.#prune();
      this.#prunedOn = day;
      await appendLines(await this.#fileOf(day), this.#unwritten, PRIVATE);
    } catch {
      // A full or read-only disk must not stop the work.
      this.#unwritten.splice(0, this.#unwritten.length - MAX_UNWRITTEN);
    }
    await this.#copy(lines);
  }

  /** The file need not be this user's: it may be a place that takes lines and shows none. */
  async #copy(lines: string[]): Promise<void> {
    const { copy, syslog } = this.options;
    const file = copy?.();
    if (!file) return;
    try {
      await (file === 'syslog' ? syslog?.(lines.join('')) : appendLines(file, lines, PRIVATE));
      this.#copyFailed = undefined;
    } catch (error) {
      const { code: problem = '' } = error as NodeJS.ErrnoException;
      if (this.#copyFailed !== problem) this.record({ type: 'copy', file, problem });
      this.#copyFailed = problem;
    }
  }

  /** The day's last file, or a new one when that is full. */
  async #fileOf(day: string): Promise<string> {
    const { maxFileBytes = MAX_FILE_BYTES } = this.options;
    const last = (await this.#files()).findLast(file => file.day === day);
    const found = last && (await stat(last.path).catch(() => undefined));
    if (last && (found?.size ?? 0) < maxFileBytes) return last.path;
    // A new file is the occasion to check the total size and age.
    if (last) await this.#prune();
    const part = last ? last.part + 1 : 0;
    return path.join(this.folder, `audit-${day}${part === 0 ? '' : `-${part}`}.jsonl`);
  }

  async #prune(): Promise<void> {
    const { maxTotalBytes = MAX_TOTAL_BYTES, maxFileBytes = MAX_FILE_BYTES } = this.options;
    let total = maxFileBytes;
    for (const file of (await this.#files()).reverse()) {
      const { size, mtimeMs } = await stat(file.path);
      total += size;
      if (total > maxTotalBytes || this.#now - mtimeMs > KEPT_MS) await rm(file.path, { force: true });
    }
  }

  /** Oldest first. */
  async #files(): Promise<LogFile[]> {
    const names = await readdir(this.folder).catch(() => []);
    const files = names.flatMap(name => {
      const [, day, part = '0'] = NAME.exec(name) ?? [];
      return day === undefined ? [] : [{ path: path.join(this.folder, name), day, part: Number(part) }];
    });
    return files.sort((a, b) => (a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1));
  }
}

interface LogFile {
  path: string;
  /** `2026-01-31`. */
  day: string;
  part: number;
}

/** An event of the audit log: arguments and results by hash and size, other texts raw; the log redacts them. */
export type AuditEvent =
  /** A server was started, came up, failed or ended. */
  | { type: 'launch'; server: ServerId; state: string; what: string; reason?: string }
  /** A person allowed a server to run, refused, or took it back; with `client`, a test file to use it. */
  | { type: 'consent'; server: ServerId; what: 'allowed' | 'denied' | 'revoked'; fingerprint?: string; client?: string }
  /** A person allowed a confined server more, kept something blocked, took it back, or removed what appeared. */
  | {
      type: 'sandbox';
      server: ServerId;
      what: 'allowed' | 'kept' | 'removed' | 'revoked';
      network?: readonly string[];
      /** Paths that it wanted to read or write, or that appeared. */
      files?: readonly string[];
      sockets?: boolean;
      /** Not confined at all. */
      isFree?: boolean;
    }
  /** The copy of the log that the organization wants can't be written. */
  | { type: 'copy'; file: string; problem: string }
  /** A server changed a description, or a person accepted the change. */
  | { type: 'pin'; server: ServerId; kind: string; name: string; what: 'changed' | 'accepted' }
  /** An approval rule was made or revoked. */
  | { type: 'approval'; server: ServerId; tool: string; answer: string; scope: string; rule?: string }
  /** A person approved a skill or revoked that; or a skill was read, refused, or differs from the approved one. */
  | {
      type: 'skill';
      server: ServerId;
      uri: string;
      what: 'approved' | 'revoked' | 'changed' | 'read' | 'refused';
      file?: string;
    }
  | {
      type: 'call';
      server: ServerId;
      tool: string;
      /** Who asked: `chat`, `palette`, … */
      origin: string;
      /** The id of the extension or the agent that asked, or the path of the test file. */
      client?: string;
      /** Who decided: a rule, or the person; and how. */
      decided: 'rule' | 'person';
      answer: 'allow' | 'edit' | 'deny' | 'blocked';
      /** The rule about arguments that allowed it: the one in the event `approval` that made it. */
      rule?: string;
      /** Set if the call was asked about because of what the model had read, regardless of rules. */
      flow?: true;
      /** SHA-256 of the canonical JSON of the arguments. */
      arguments: string;
      /** Of the result, in characters. */
      size?: number;
      ms?: number;
      outcome?: string;
    }
  /** A person allowed or refused an extension or agent, or revoked that; or it differs from the allowed one. */
  | {
      type: 'client';
      kind: 'extension' | 'agent';
      client: string;
      name: string;
      what: 'allowed' | 'denied' | 'revoked' | 'changed';
      fingerprint: string;
    }
  /** A request other than a tool call was made or refused: reading a resource, getting a prompt. */
  | {
      type: 'use';
      server: ServerId;
      /** Who requested it: see `call`. */
      origin: string;
      client?: string;
      method: string;
      /** The address, or the name. */
      what: string;
      /** `ok`, or the code of the error. */
      outcome: string;
    }
  /** A server asked the person (spec: client/elicitation). Records the fields, never the answers. */
  | {
      type: 'elicitation';
      server: ServerId;
      mode: 'form' | 'url';
      answer: 'accept' | 'decline' | 'cancel' | 'refused' | 'withdrawn';
      fields?: readonly string[];
      /** Of the page, in URL mode. */
      host?: string;
    }
  /** A model was called on behalf of a server (spec: client/sampling). */
  | { type: 'sampling'; server: ServerId; answer: string; model?: string; tokens?: number };

/** Where audit events go. Cheap, and never throws. */
export interface AuditPort {
  record(event: AuditEvent): void;
}
