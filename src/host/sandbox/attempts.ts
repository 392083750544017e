import { dirname, isAbsolute } from 'node:path';
import { Emitter } from '../../base/events';
import { RateAllowance } from '../../base/rateAllowance';

/** An attempt of a confined server that the sandbox blocked. */
export interface BlockedAttempt {
  /** The list of the entry that would allow it. */
  readonly kind: 'network' | 'read' | 'sockets' | 'write';
  /** Host, with its port unless that is a usual one; or absolute path. Empty: Unix sockets as such. */
  readonly what: string;
}

/** The most attempts kept, because a server may make thousands. */
const MAX_KEPT = 50;
const MAX_LINE = 2_000;
const MAX_ANSWER = 64 * 1024;
/** How many such lines are looked at, at once and in a second: each may take milliseconds, and questions to the file system. */
const LOOKS = 200;
const LOOKS_PER_SECOND = 10;
/** What one of the following patterns has in it. */
const MAY_REFUSE =
  /E(?:ROFS|NOENT|ACCES|PERM)|Errno|Read-only file|No such file|Permission denied|not found|Cannot find|can't open|not permitted/;
/** How Node, Python and shells say that a file can't be changed. */
const REFUSED_WRITES = [
  /EROFS[^'"]{0,100}['"]([^'"\\]+)/,
  /\[Errno 30\][^'"]{0,60}['"]([^'"\\]+)/,
  /(?:^|[\s'"‘])(\/[^:'"’]+)['"’]?: Read-only file system/,
];
/** How they report that a file does not exist or may not be read. */
const REFUSED_READS = [
  /(?:ENOENT|EACCES)[^'"]{0,100}['"]([^'"\\]+)/,
  /\[Errno (?:2|13)\][^'"]{0,60}['"]([^'"\\]+)/,
  /(?:^|[\s'"‘])(\/[^:'"’]+)['"’]?: (?:No such file or directory|Permission denied|not found)/,
  /Cannot find (?:module|package) ['"]([^'"\\]+)/,
  /can't open file ['"]([^'"\\]+)/,
];
/** How they report either on macOS. */
const REFUSED = [
  /EPERM[^'"]{0,100}['"]([^'"\\]+)/,
  /\[Errno 1\][^'"]{0,60}['"]([^'"\\]+)/,
  /(?:^|[\s'"‘])(\/[^:'"’]+)['"’]?: Operation not permitted/,
];
/** How programs say that they may not open Unix sockets. */
const REFUSED_SOCKETS = /\bsocket\(\) failed: Operation not permitted|listen EPERM: operation not permitted \//;
/** Operations that create files. In a hidden folder Node reports only that something does not exist. */
const MAKES = /\b(mkdir|mkdtemp|rename|copyfile|symlink|link|unlink|rmdir)\b/;
/** Matches the message of a failed call or request. */
const FAILURE = /"isError":\s*true|"error":\s*\{/;

/**
 * What a confined server has reached, and what its sandbox has blocked, since the start. Hosts are known from the proxy. File
 * access is known only from the server's own errors and stderr: a guess, which must not allow anything automatically.
 */
export class SandboxAttempts {
  readonly #changed = new Emitter<BlockedAttempt>();
  /** Fires when something new was blocked. */
  readonly onDidBlock = this.#changed.event;
  readonly #outdated = new Emitter<void>();
  /** Fires, now and then, while something that must not change is unprotected: only the next start protects it. */
  readonly onDidOutdate = this.#outdated.event;
  readonly #blocked = new Map<string, BlockedAttempt>();
  readonly #looks = new RateAllowance(LOOKS, LOOKS_PER_SECOND);
  /** How often each host was connected to. */
  readonly hosts: ReadonlyMap<string, number> = new Map();
  /** What appeared in folders that it may change. */
  readonly appeared = new AppearedPlaces();
  /** Whether the sandbox hides an existing file. Set when its policy is known. */
  hides: (path: string) => boolean = () => false;
  /** The folder that a program needs with a file: that of its package. Set when its policy is known. */
  folderAround: (path: string) => string = path => path;
  /** Whether it may change a path, whether or not it exists. */
  canChange: (path: string) => boolean = () => true;

  /** @param isWatched whether hosts that are not allowed can be reached as well. They are recorded as blocked. */
  constructor(readonly isWatched = false) {}

  get blocked(): readonly BlockedAttempt[] {
    return [...this.#blocked.values()];
  }

  outdated(): void {
    this.#outdated.fire();
  }

  noteHost(host: string, port: number, isAllowed: boolean): void {
    const what = hostText(host, port);
    if (!isAllowed) this.#block({ kind: 'network', what });
    else if (this.hosts.has(what) || this.hosts.size < MAX_KEPT)
      (this.hosts as Map<string, number>).set(what, (this.hosts.get(what) ?? 0) + 1);
  }

  /** Takes a line of its stderr. */
  said(line: string): void {
    if (line.length > MAX_LINE || !MAY_REFUSE.test(line) || !this.#looks.use(performance.now())) return;
    const written = pathIn(line, REFUSED_WRITES);
    const refused = pathIn(line, REFUSED);
    const missed = refused ?? pathIn(line, REFUSED_READS);
    if (REFUSED_SOCKETS.test(line)) this.#block({ kind: 'sockets', what: '' });
    else if (written) this.#block({ kind: 'write', what: written });
    else if (missed) this.#missed(line, missed, refused);
  }

  #missed(line: string, missed: string, refused: string | undefined): void {
    const isHidden = this.hides(missed);
    if (MAKES.test(line) || (refused && !isHidden)) {
      if (!this.canChange(missed)) this.#block({ kind: 'write', what: missed });
    } else if (isHidden) this.#block({ kind: 'read', what: missed });
    // In an existing hidden folder nothing can be read, so the program tried to create it.
    else if (this.hides(dirname(missed)) && !this.canChange(missed)) this.#block({ kind: 'write', what: missed });
  }

  /** Takes a chunk of its stdout. Only failures within one chunk are examined. */
  answered(chunk: Buffer): void {
    if (chunk.length > MAX_ANSWER) return;
    for (const message of chunk.toString().split('\n')) {
      if (FAILURE.test(message)) for (const line of message.split('\\n')) this.said(line);
    }
  }

  #block(attempt: BlockedAttempt): void {
    const key = `${attempt.kind} ${attempt.what}`;
    if (this.#blocked.has(key) || this.#blocked.size >= MAX_KEPT) return;
    this.#blocked.set(key, attempt);
    this.#changed.fire(attempt);
  }
}

/** A host as policies name it: with its port unless that is a usual one. */
export function hostText(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === 443 || port === 80 ? name : `${name}:${port}`;
}

/** The first absolute path that one of these patterns captures. */
function pathIn(line: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const [, path = ''] = pattern.exec(line) ?? [];
    if (isAbsolute(path)) return path;
  }
  return undefined;
}

/** Something that other programs obey, which appeared where a confined program may write, and was moved away. */
export interface AppearedPlace {
  readonly id: string;
  /** Where it appeared. */
  readonly path: string;
  /** Puts it back, where it may stay. @throws PhraseError if something else is there by now, Node's error if its folder is gone */
  keep(): void;
  /** Removes it for good. @throws Node's error if that fails */
  remove(): void;
}

/** What appeared where a server may write, until the person has decided on it. */
class AppearedPlaces {
  readonly #changed = new Emitter<void>();
  /** Fires when something appeared or was decided on. */
  readonly onDidChange = this.#changed.event;
  readonly #places = new Map<string, AppearedPlace>();

  get all(): readonly AppearedPlace[] {
    return [...this.#places.values()];
  }

  add(places: readonly AppearedPlace[]): void {
    for (const place of places) this.#places.set(place.id, place);
    if (places.length > 0) this.#changed.fire();
  }

  /** The person has decided on one. */
  delete(id: string): void {
    if (this.#places.delete(id)) this.#changed.fire();
  }
}
