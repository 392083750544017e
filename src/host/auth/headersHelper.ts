import { canonicalJson } from '../../base/fingerprint';
import { isObject, parsedJson } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { orAborted } from '../../base/queue';
import { isRandom } from '../../base/secretWords';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import { commandLine } from '../launch/launchReview';
import { runProgram } from '../sandbox/runProgram';
import { secretsOfHeaders } from '../secrets/entrySecrets';
import type { GuardedPorts } from '../secrets/redactor';
import { programIn, type RemoteEntry } from '../settings';
import { describeKind } from '../settings/fieldProblems';
import { HEADER_NAME, HEADER_VALUE } from '../settings/schema';
import { forgetsSession } from '../transport/postAnswer';
import { TransportFault } from '../transport/transportFault';

/** How long the program may take, in milliseconds: less than requests, which wait for it. */
const LIMIT_MS = 20_000;
const MAX_BYTES = 64 * 1024;
const MAX_HEADERS = 50;
/** The most runs for refused headers in a time, in milliseconds: a server refuses headers as often as it likes. */
const MAX_AGAIN = 10;
const AGAIN_MS = 10 * 60_000;
/** Lines of stderr that are logged of one run. */
const MAX_LINES = 200;
const MAX_LINE = 2_000;

const TRY_IT = phrase(
  'Run it in a terminal, where it may ask you to sign in: it has to print a JSON object such as {0}. Then start the server again.',
  '{ "Authorization": "Bearer …" }',
);

type PrintedHeaders = Readonly<Record<string, string>>;
type Send = (url: URL, init: RequestInit) => Promise<Response>;

/** The ways to send a request. */
export interface Senders {
  readonly plain: Send;
  /** With the token of a sign-in, for headers without `Authorization`. Undefined: there is none. */
  readonly signedIn: Send | undefined;
}

/** What gives requests to a server their credentials. */
export interface RemoteAccess {
  /** `fetch` with the token of a sign-in. */
  readonly authorize: Send | undefined;
  readonly helper: HeadersHelper | undefined;
}

/**
 * Gets the headers of requests to one server from its `headersHelper`, a program that prints them as Claude Code has it. One run
 * serves all requests until the server refuses its headers (HTTP 401): then it is run once more, and the request is sent once
 * more. The program passes the launch gate before each run; what it prints is known to the redactor before anything else.
 */
export class HeadersHelper {
  #headers: PrintedHeaders | undefined;
  #running: Promise<PrintedHeaders> | undefined;
  /** When it was run again because headers were refused. */
  #again: number[] = [];
  /** Ends the program that is running. */
  #abort = new AbortController();
  /** The server, as if the program were one. */
  readonly #definition: ServerDefinition;

  /** @param entry with variables and inputs filled in. */
  constructor(
    private readonly server: ServerDefinition,
    private readonly entry: RemoteEntry,
    private readonly ports: GuardedPorts,
  ) {
    const { inputs: _, ...definition } = server;
    const program = programIn(entry)!;
    const told = { CLAUDE_CODE_MCP_SERVER_NAME: server.name, CLAUDE_CODE_MCP_SERVER_URL: entry.url };
    const reviewed = server.reviewed && programIn(server.reviewed);
    this.#definition = { ...definition, entry: { ...program, env: { ...told, ...program.env } }, reviewed };
  }

  /** Whether this is the helper of such a server, so that what it has printed still counts. */
  isOf(server: ServerDefinition, entry: RemoteEntry): boolean {
    const of = (one: ServerDefinition, { url, headersHelper }: RemoteEntry) =>
      canonicalJson([one.fingerprint, url, headersHelper]);
    return of(server, entry) === of(this.server, this.entry);
  }

  /** Resolves when there are headers. Rejects with a `TransportFault`. */
  async ready(): Promise<void> {
    await this.#current();
  }

  /** Ends the program, if it runs. What it has printed stays. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#running?.catch(() => {});
  }

  /** Sends a request to the server's own origin. Rejects with a `TransportFault` if there are no headers that it accepts. */
  async fetch(url: URL, init: RequestInit, senders: Senders): Promise<Response> {
    // Ending a session runs nothing, because the caller does not wait for it.
    if (init.method === 'DELETE') return this.#send(url, init, this.#headers ?? {}, senders);
    const signal = init.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    const headers = await orAborted(this.#current(), signal);
    const response = await this.#send(url, init, headers, senders);
    if (!(await isRefused(response, init))) return response;
    // Another request may have had it run again meanwhile.
    if (this.#headers === headers && this.#mayRunAgain()) this.#headers = undefined;
    const again =
      this.#headers === headers
        ? response
        : await this.#send(url, init, await orAborted(this.#current(), signal), senders);
    if (again === response || (await isRefused(again, init)))
      throw new TransportFault(
        'UNAUTHORIZED',
        phrase('it does not accept the headers that its "headersHelper", {0}, has just printed (HTTP 401)', this.#line),
        TRY_IT,
      );
    return again;
  }

  #mayRunAgain(): boolean {
    const now = performance.now();
    this.#again = this.#again.filter(at => now - at < AGAIN_MS);
    if (this.#again.length >= MAX_AGAIN) return false;
    this.#again.push(now);
    return true;
  }

  /** Headers of the entry give way to those of the same name, those of the transport do not. */
  #send(url: URL, init: RequestInit, printed: PrintedHeaders, { plain, signedIn }: Senders): Promise<Response> {
    const headers = new Headers(init.headers);
    const configured = new Headers(this.entry.headers);
    const names = new Headers(printed);
    for (const [name, value] of names)
      if (!headers.has(name) || headers.get(name) === configured.get(name)) headers.set(name, value);
    const send = names.has('authorization') ? plain : (signedIn ?? plain);
    return send(url, { ...init, headers });
  }

  /** One run for all that wait for it. */
  async #current(): Promise<PrintedHeaders> {
    if (this.#headers) return this.#headers;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<PrintedHeaders> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const { launch, redactor } = this.ports;
    const { id } = this.server;
    const admitted = await launch.admit(this.#definition, 'headers');
    if ('needs' in admitted) {
      const code = admitted.needs === 'permission' ? 'NOT_ALLOWED' : 'NEEDS_TRUST';
      throw new TransportFault(code, asPhrase(admitted.reason), asPhrase(admitted.remedy));
    }
    this.#log('lifecycle', 'its "headersHelper" is run');
    const printed: string[] = [];
    const errors: string[] = [];
    let remedy = TRY_IT;
    const reason = await runProgram({
      ports: this.ports,
      admitted,
      signal,
      timeoutMs: Math.min(LIMIT_MS, this.entry.timeouts.startMs * LIMIT_SHARE),
      maxBytes: MAX_BYTES,
      onLine: (line, from) => {
        if (from === 'stdout') return void printed.push(line);
        errors.push(line.slice(0, MAX_LINE));
        if (errors.length > MAX_LINES) errors.shift();
      },
      onRemedy: known => {
        remedy = asPhrase(known);
      },
    });
    const text = printed.join('\n');
    const read = readHeaders(text);
    if ('headers' in read) redactor.learnRenewed(id, secretsOfHeaders(read.headers));
    // It may have printed to stderr what it does, with tokens; or these alone to stdout.
    redactor.learnTokens(id, [...errors, 'fault' in read ? text : ''].join(' ').split(/[^\w.~+/-]+/));
    for (const line of errors) this.#log('stderr', line);
    if (signal.aborted) throw new TransportFault('CLOSED', phrase('the connection was closed'), TRY_IT);
    if (reason !== undefined || 'fault' in read) {
      const why = reason ?? ('fault' in read ? read.fault : '');
      const last = reason === undefined ? undefined : errors.at(-1);
      throw this.#failed(last ? phrase('{0}; its last output was: {1}', why, visible(last, 300)) : why, remedy);
    }
    this.#log('lifecycle', `its "headersHelper" printed ${Object.keys(read.headers).length} headers`);
    this.#headers = read.headers;
    return read.headers;
  }

  #failed(why: Phrase | string, remedy: Phrase): TransportFault {
    return new TransportFault('UNAUTHORIZED', phrase('its "headersHelper", {0}, failed: {1}', this.#line, why), remedy);
  }

  get #line(): string {
    const { command, args } = programIn(this.entry)!;
    return visible(commandLine(command, args), 120);
  }

  #log(source: 'lifecycle' | 'stderr', data: string): void {
    this.ports.log.log(this.server, { source, level: 'info', data });
  }
}

/** Of the time for a start, so that a late program is named as the reason. */
const LIMIT_SHARE = 0.75;

const asPhrase = (text: Phrase | string): Phrase => (typeof text === 'string' ? { text: '{0}', values: [text] } : text);

/** Whether the credentials of a request are refused; its answer is dropped then. */
async function isRefused(response: Response, init: RequestInit): Promise<boolean> {
  if (response.status !== 401 || (await forgetsSession(response, init))) return false;
  void response.body?.cancel().catch(() => {});
  return true;
}

/** Reads what a helper has printed. A fault names no values: they are secrets. */
export function readHeaders(text: string): { readonly headers: PrintedHeaders } | { readonly fault: Phrase } {
  if (text.trim() === '') return { fault: phrase('it printed nothing') };
  const value = parsedJson(text.replace(/^\ufeff/, ''));
  if (value === undefined) return { fault: phrase('it printed no JSON') };
  if (!isObject(value)) return { fault: phrase('it printed {0}, not an object of headers', describeKind(value)) };
  const members = Object.entries(value);
  if (members.length > MAX_HEADERS) return { fault: phrase('it printed more than {0} headers', MAX_HEADERS) };
  const headers: [string, string][] = [];
  for (const [index, [name, content]] of members.entries()) {
    // What is no name may be a value in the wrong place.
    const isName = HEADER_NAME.test(name);
    const shown = !isName || name.length > 60 || isRandom(name) ? String(index + 1) : `"${name}"`;
    if (typeof content !== 'string')
      return { fault: phrase('the value of its header {0} is {1}, not a string', shown, describeKind(content)) };
    if (!isName) return { fault: phrase('the name of its header {0} cannot be sent', shown) };
    if (!HEADER_VALUE.test(content.trim()))
      return { fault: phrase('its header {0} has a character that cannot be sent', shown) };
    headers.push([name, content.trim()]);
  }
  return { headers: Object.fromEntries(headers) };
}
