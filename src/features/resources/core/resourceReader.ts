import { createHash } from 'node:crypto';
import type { Resource } from '@modelcontextprotocol/client';
import { attempt, HostError, INVALID_PARAMS, messageOf, RESOURCE_NOT_FOUND } from '../../../base/errors';
import { type Disposable, Emitter, until } from '../../../base/events';
import { type Phrase, type PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type ServerConnection, type ServerSet, untilSettled } from '../../../host';
import type { ServerId } from '../../../host/definition';
import { namesBefore } from './fileName';
import { addressKey as keyOf, type ResourceAddress } from './resourceAddress';
import { contentOf, isLarge, listedSize, type ResourceContent } from './resourceContent';
import { UriTemplate } from './uriTemplate';

/** By what an editor tells whether content has changed. */
interface ContentStat {
  /** The size of the shown content, in bytes. */
  readonly size: number;
  /** In milliseconds since 1970; of the first content that was read the date the server gives, if it does. */
  readonly mtime: number;
  /** It has several contents, by their names. */
  readonly parts?: ReadonlyMap<string, number>;
}

interface ContentVersion extends ContentStat {
  readonly digest: string;
}

/** How long settings may take to be read after activation. */
const SETTINGS_MS = 10_000;
/** A start is bounded by `startMs`, but waits for the end of an earlier process before that. */
const ENDING_MS = 5_000;
/** One gesture asks several times, for size and content, for the kind of editor: one answer serves it. */
const KEPT_MS = 5_000;

/** Reads resources: waits for their servers, shares what is being read, and notices when content has changed. */
export class ResourceReader implements Disposable {
  readonly #changed = new Emitter<ResourceAddress>();
  /** Content was read that differs from what was read before. */
  readonly onDidChangeContent = this.#changed.event;
  readonly #started = Date.now();
  readonly #subscription: Disposable;
  readonly #requests = new SharedRequests<ResourceContent>();
  readonly #kept = new Map<string, { content: ResourceContent; timer: NodeJS.Timeout }>();
  /** Addresses whose shown content may be outdated, including answers requested before the mark was set. */
  readonly #outdated = new Map<string, symbol>();
  readonly #failed = new Set<string>();
  readonly #versions = new Map<ServerId, Map<string, ContentVersion>>();
  /** Addresses that the person opened although they are large. */
  readonly #agreed = new Set<string>();

  /** @param isSettled whether settings have been read. */
  constructor(
    private readonly servers: ServerSet,
    private isSettled: boolean,
  ) {
    this.#subscription = servers.onDidChange(change => {
      if (change !== undefined) return;
      this.isSettled = true;
      for (const id of this.#versions.keys()) if (!servers.get(id)) this.#versions.delete(id);
    });
  }

  /**
   * Asks the server, or joins who is asking it; a request ends when all who wait for it have aborted. Rejects with a
   * `HostError` that names server, URI and remedy, or with the signal's reason.
   */
  async read(address: ResourceAddress, signal?: AbortSignal): Promise<ResourceContent> {
    const whole = await this.#requests.ask(keyOf(address), ownSignal => this.#readNow(address, ownSignal), signal);
    return partOf(whole, address);
  }

  /** The content read a moment ago, else as `read`. */
  async recent(address: ResourceAddress): Promise<ResourceContent> {
    const kept = this.#kept.get(keyOf(address))?.content;
    return kept ? partOf(kept, address) : this.read(address);
  }

  /** As `recent`, for an editor. Rejects for what has become large since it was opened: the editor would stop for it. */
  async forEditor(address: ResourceAddress): Promise<ResourceContent> {
    const content = await this.recent(address);
    if (!isLarge(content) || this.#agreed.has(keyOf(address))) return content;
    throw new HostError({
      code: 'PROTOCOL',
      server: this.servers.get(address.serverId)?.name ?? address.serverId,
      action: phrase('read {0}', visible(address.uri, 300)),
      reason: phrase('it is so large that the editor would stop for it'),
      remedy: phrase('Open it from its row, or save a copy.'),
    });
  }

  /** The person wants to see what is there, however large it is. */
  agree(address: ResourceAddress): void {
    this.#agreed.add(keyOf(address));
  }

  /**
   * Size and time. Does not read what was read before, nor what the server's list gives the size of, unless an editor
   * shows it in another form than it is sent in: the size must be that of what is read then. Rejects as `read`.
   */
  async stat(address: ResourceAddress): Promise<ContentStat> {
    if (!this.#outdated.has(keyOf(address))) {
      const known = statOf(this.#version(address), address) ?? this.#listedStat(address);
      if (known) return known;
    }
    const { shown } = await this.recent(address);
    return statOf(this.#version(address), address) ?? { size: shown.length, mtime: this.#started };
  }

  /** Has the next who wants to know ask the server. */
  outdate(address: ResourceAddress): void {
    const key = keyOf(address);
    this.#outdated.set(key, Symbol());
    this.#drop(key);
    this.#requests.leave(key);
  }

  /** Whether it was read, and nothing has happened since that may have changed it. */
  isKnown(address: ResourceAddress): boolean {
    return this.#version(address) !== undefined && !this.#outdated.has(keyOf(address));
  }

  hasFailed(address: ResourceAddress): boolean {
    return this.#failed.has(keyOf(address));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#requests.dispose();
    for (const key of this.#kept.keys()) this.#drop(key);
    this.#changed.dispose();
  }

  async #readNow(address: ResourceAddress, signal: AbortSignal): Promise<ResourceContent> {
    const { serverId, uri } = address;
    const action = phrase('read {0}', visible(uri, 300));
    const mark = this.#outdated.get(keyOf(address));
    try {
      const server = await this.#readyServer(serverId, action);
      const result = await this.servers.byHand(server).readResource(uri, signal);
      const content = usable(server.name, action, () => contentOf(result, uri, this.#listed(address)?.mimeType));
      if (this.#outdated.get(keyOf(address)) === mark) {
        if (!signal.aborted) this.#keep(address, content);
      } else if (!this.#version(address)) {
        // Asked for before something happened: good for who waits for it, and to be compared with what comes next.
        this.#remember(address, content);
      }
      return content;
    } catch (error) {
      this.#failed.add(keyOf(address));
      throw isNotFound(error) ? notFound(error, action, this.#whyMissing(address)) : error;
    }
  }

  #keep(address: ResourceAddress, content: ResourceContent): void {
    const key = keyOf(address);
    this.#drop(key);
    this.#outdated.delete(key);
    this.#failed.delete(key);
    const timer = setTimeout(() => this.#kept.delete(key), KEPT_MS);
    this.#kept.set(key, { content, timer });
    this.#remember(address, content);
  }

  #remember(address: ResourceAddress, content: ResourceContent): void {
    const before = this.#version(address);
    const digest = digestOf(content);
    if (before?.digest === digest) return;
    // Never the same time twice, for the editor reloads by time and size.
    const mtime = before ? Math.max(Date.now(), before.mtime + 1) : this.#firstTime(this.#listed(address));
    const versions = this.#versions.get(address.serverId) ?? new Map<string, ContentVersion>();
    this.#versions.set(address.serverId, versions.set(address.uri, versionOf(content, mtime, digest)));
    if (before) this.#changed.fire(address);
  }

  #drop(key: string): void {
    clearTimeout(this.#kept.get(key)?.timer);
    this.#kept.delete(key);
  }

  #listedStat(address: ResourceAddress): ContentStat | undefined {
    if (address.part !== undefined) return undefined;
    const listed = this.#listed(address);
    const size = listed && listedSize(listed);
    return size === undefined ? undefined : { size, mtime: this.#firstTime(listed) };
  }

  #listed({ serverId, uri }: ResourceAddress): Resource | undefined {
    return this.servers.get(serverId)?.catalog.resources.find(resource => resource.uri === uri);
  }

  /** What to do about an address that the server does not know: one in no list that begins as a template does was filled in. */
  #whyMissing(address: ResourceAddress): Phrase {
    const templates = this.servers.get(address.serverId)?.catalog.knownItems('resourceTemplates') ?? [];
    const begun = templates.filter(({ uriTemplate }) => address.uri.startsWith(uriTemplate.split('{', 1)[0]!));
    if (begun.length === 0 || this.#listed(address)) return MAY_BE_GONE;
    // Each template reads the whole address.
    const few = address.uri.length > MAX_EXPLAINED ? [] : begun.slice(0, MAX_TEMPLATES);
    const lacking = few.flatMap(({ uriTemplate }) =>
      attempt(() => new UriTemplate(uriTemplate).lacking(address.uri), []),
    );
    if (lacking.length === 0) return MAY_BE_MISTYPED;
    const names = visible([...new Set(lacking)].join(', '), 200);
    return phrase('Fill in {0}, too: servers made with the TypeScript SDK find only addresses with all values.', names);
  }

  #version({ serverId, uri }: ResourceAddress): ContentVersion | undefined {
    return this.#versions.get(serverId)?.get(uri);
  }

  #firstTime(listed: Resource | undefined): number {
    return Date.parse(listed?.annotations?.lastModified ?? '') || this.#started;
  }

  /**
   * Waits for a server: an editor that is restored with its window asks for its resource before any server is configured, let
   * alone ready. Rejects with a `HostError` that says what to do when it is not configured or could not be started.
   * @param action completes "could not …".
   */
  async #readyServer(id: ServerId, action: Phrase): Promise<ServerConnection> {
    await until(() => this.isSettled, [this.servers.onDidChange], { limitMs: SETTINGS_MS });
    const server = this.servers.get(id);
    if (!server) {
      throw new HostError({
        code: 'NOT_READY',
        server: id,
        action,
        reason: phrase('it is not configured'),
        remedy: phrase('Add it to "mcpHost.servers" in your settings.'),
      });
    }
    const startMs = server.definition.entry?.timeouts.startMs ?? 0;
    server.retry(action);
    await untilSettled(server, startMs + ENDING_MS, undefined);
    // What is not ready now says so itself when it is asked; only a failed start has a better reason to give.
    if (server.state.kind !== 'failed') return server;
    const { code, phrases } = server.state.error;
    const { reason, remedy } = phrases;
    throw new HostError({
      code,
      server: server.name,
      action,
      reason: phrase('it is not running: {0}', reason),
      remedy,
    });
  }
}

function digestOf({ shown, parts }: ResourceContent): string {
  const hash = createHash('sha256');
  for (const part of parts ?? [{ name: '', shown }])
    hash.update(`${part.name}\n${part.shown.length}\n`).update(part.shown);
  return hash.digest('base64');
}

function versionOf({ shown, parts }: ResourceContent, mtime: number, digest: string): ContentVersion {
  const sizes = parts && new Map(parts.map(part => [part.name, part.shown.length]));
  return { size: shown.length, mtime, digest, ...(sizes && { parts: sizes }) };
}

function statOf(version: ContentVersion | undefined, { part }: ResourceAddress): ContentStat | undefined {
  if (!version || part === undefined) return version;
  const size = namesBefore(part)
    .map(name => version.parts?.get(name))
    .find(known => known !== undefined);
  return size === undefined ? undefined : { size, mtime: version.mtime };
}

/** The resource as a whole, or the one of its contents that is asked for. */
function partOf(whole: ResourceContent, { serverId, uri, part }: ResourceAddress): ResourceContent {
  if (part === undefined) return whole;
  const found = namesBefore(part)
    .map(name => whole.parts?.find(one => one.name === name))
    .find(one => one !== undefined);
  if (found) return found;
  throw new HostError({
    code: 'PROTOCOL',
    server: serverId,
    action: phrase('read {0} of {1}', visible(part, 100), visible(uri, 300)),
    reason: phrase('its response has no such content'),
    remedy: MAY_BE_GONE,
    rpcError: { code: RESOURCE_NOT_FOUND, message: 'Resource not found' },
  });
}

/** A longer address, in characters, and more templates are not compared. */
const MAX_EXPLAINED = 2_000;
const MAX_TEMPLATES = 100;

const MAY_BE_GONE = phrase('It may no longer exist. Refresh the list of resources.');
const MAY_BE_MISTYPED = phrase('Check the values in its address: the list of resources does not have it.');

/** "Resource not found", up to 2025-11-25 and since (spec: server/resources#error-handling). */
export function isNotFound(error: unknown): error is HostError {
  const { rpcCode } = error as Partial<HostError>;
  return rpcCode === RESOURCE_NOT_FOUND || rpcCode === INVALID_PARAMS;
}

function notFound(error: HostError, action: Phrase, remedy: Phrase): HostError {
  const { code, server, phrases, rpcError, cause } = error;
  return new HostError({ code, server, action, reason: phrases.reason, remedy, rpcError, cause });
}

function usable<T>(server: string, action: Phrase, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    const reason = (error as Partial<PhraseError>).phrase ?? messageOf(error);
    const remedy = phrase('This is a bug in the server. Report it to its developers.');
    throw new HostError({ code: 'PROTOCOL', server, action, reason, remedy, cause: error });
  }
}

interface Request<T> {
  readonly answer: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/** One request for all who ask for the same at once. It is cancelled when all of them have left. */
class SharedRequests<T> implements Disposable {
  readonly #requests = new Map<string, Request<T>>();

  /** Sends, or waits with the others. Aborting `signal` rejects with its reason, whatever becomes of the request. */
  async ask(key: string, send: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const request = this.#requests.get(key) ?? this.#send(key, send);
    request.waiting++;
    if (!signal) return request.answer;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason as Error);
        if (--request.waiting > 0) return;
        // Who asks after this wants an answer, not the end of this one.
        this.#end(key, request);
        request.abort.abort();
      };
      signal.addEventListener('abort', leave, { once: true });
      void request.answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  /** Who asks from now on gets an answer of its own; those that wait get theirs. */
  leave(key: string): void {
    this.#requests.delete(key);
  }

  dispose(): void {
    for (const { abort } of this.#requests.values()) abort.abort();
    this.#requests.clear();
  }

  #send(key: string, send: (signal: AbortSignal) => Promise<T>): Request<T> {
    const abort = new AbortController();
    const request: Request<T> = { answer: send(abort.signal), abort, waiting: 0 };
    this.#requests.set(key, request);
    const end = () => this.#end(key, request);
    request.answer.then(end, end);
    return request;
  }

  #end(key: string, request: Request<T>): void {
    if (this.#requests.get(key) === request) this.#requests.delete(key);
  }
}
