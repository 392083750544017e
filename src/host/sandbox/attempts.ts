import { isAbsolute } from 'node:path';
import { Emitter } from '../../base/events';

/** Something that a confined server wanted and did not get. */
export interface BlockedAttempt {
  readonly kind: 'network' | 'write';
  /** Host, with its port unless that is a usual one; or absolute path. */
  readonly what: string;
}

/** A server may try ten thousand things. */
const MAX_KEPT = 50;
const MAX_LINE = 2_000;
/** How Node, Python and shells say that a file can't be changed. */
const REFUSED_WRITES = [
  /EROFS[^'"]{0,100}['"]([^'"]+)['"]/,
  /\[Errno 30\][^'"]{0,60}['"]([^'"]+)['"]/,
  /(?:^|[\s'"‘])(\/[^:'"’]+)['"’]?: Read-only file system/,
];

/**
 * What a confined server reached, and what it wanted and did not get, since it was started. Hosts are known from the proxy.
 * Of files only that is known which the server itself says on stderr: a guess, and no reason to allow anything by itself.
 */
export class SandboxAttempts {
  readonly #changed = new Emitter<BlockedAttempt>();
  /** Something was blocked that was not before. */
  readonly onDidBlock = this.#changed.event;
  readonly #blocked = new Map<string, BlockedAttempt>();
  readonly #hosts = new Map<string, number>();
  get blocked(): readonly BlockedAttempt[] {
    return [...this.#blocked.values()];
  }

  /** How often each host was connected to. */
  get hosts(): ReadonlyMap<string, number> {
    return this.#hosts;
  }

  asked(host: string, port: number, isAllowed: boolean): void {
    const name = host.includes(':') ? `[${host}]` : host;
    const what = port === 443 || port === 80 ? name : `${name}:${port}`;
    if (!isAllowed) this.#block({ kind: 'network', what });
    else if (this.#hosts.has(what) || this.#hosts.size < MAX_KEPT)
      this.#hosts.set(what, (this.#hosts.get(what) ?? 0) + 1);
  }

  /** A line of its stderr. */
  said(line: string): void {
    if (line.length > MAX_LINE) return;
    for (const pattern of REFUSED_WRITES) {
      const [, path = ''] = pattern.exec(line) ?? [];
      if (!isAbsolute(path)) continue;
      this.#block({ kind: 'write', what: path });
      return;
    }
  }

  #block(attempt: BlockedAttempt): void {
    const key = `${attempt.kind} ${attempt.what}`;
    if (this.#blocked.has(key) || this.#blocked.size >= MAX_KEPT) return;
    this.#blocked.set(key, attempt);
    this.#changed.fire(attempt);
  }
}
