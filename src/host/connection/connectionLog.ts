import type { CallToolResult, LoggingLevel } from '@modelcontextprotocol/client';
import { HostError, type HostErrorOptions, METHOD_NOT_FOUND, messageOf } from '../../base/errors';
import { english, type Phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { CatalogList, ExcludedItem } from '../catalog/catalogPages';
import type { ServerDefinition } from '../definition/definition';
import type { RefusedLaunch } from '../definition/launchGate';
import { stackIn } from '../reading/answers';
import type { CatalogKind } from '../reading/lists';
import type { BlockedAttempt } from '../sandbox/attempts';
import type { ServerInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import { DEFAULT_LOG_LEVEL } from './connectionOptions';

/** The error of a launch that the gate refused, by what it needs. */
const CODES = { needsTrust: 'NEEDS_TRUST', needsInput: 'NEEDS_INPUT', permission: 'NOT_ALLOWED' } as const;

const ITEM_WORDS: Record<CatalogKind, string> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

/** Warnings have words of the server in them: no more are remembered and logged. */
const MAX_WARNINGS = 200;
const MAX_STACK = 4_000;

/** Writes log lines and makes errors in the name of one server. Secrets are redacted in both. */
export class ConnectionLog {
  /** Items already reported: a list is reported again whenever more of it is loaded. */
  readonly #told = new WeakSet<ExcludedItem | HostError>();
  readonly #warned = new Set<string>();

  constructor(
    private readonly ports: Pick<GuardedPorts, 'log' | 'redactor'>,
    private readonly definition: () => ServerDefinition,
  ) {}

  /** The least severe log message that the server is asked for: what the person chose, else what settings say. */
  get level(): LoggingLevel {
    const definition = this.definition();
    return this.ports.log.level?.(definition) ?? definition.entry?.logLevel ?? DEFAULT_LOG_LEVEL;
  }

  write(level: LoggingLevel, data: string): void {
    this.ports.log.log(this.definition(), { source: 'lifecycle', level, data });
  }

  blocked({ kind, what }: BlockedAttempt): void {
    this.write(
      'warning',
      `it is confined, and was refused ${visible(what || kind)}; "${kind}" of "sandbox" in its entry allows it`,
    );
  }

  ready({ implementation, protocolVersion, transport }: ServerInfo): void {
    const names = [implementation?.name, implementation?.version].filter(Boolean);
    const who = names.length > 0 ? names.join(' ') : 'an unnamed server';
    this.write('info', `ready: ${who}, MCP ${protocolVersion} over ${transport}`);
  }

  /** Logs why a list failed, each item that was left out of one, and each that has a mistake, once. */
  listed(kind: CatalogKind, { status, excluded = [], mistakes = [], error }: CatalogList<unknown>): void {
    if (status === 'failed' && error && !this.#told.has(error)) {
      this.#told.add(error);
      // A server that does not know a list has none.
      this.write(error.rpcCode === METHOD_NOT_FOUND ? 'info' : 'warning', error.message);
    }
    if (status !== 'ready') return;
    for (const { name, reason } of mistakes)
      this.#warn(`the ${ITEM_WORDS[kind]} ${visible(name)} has a mistake: ${english(reason)}`);
    for (const item of excluded) {
      if (this.#told.has(item)) continue;
      this.#told.add(item);
      const what = item.name ? `the ${ITEM_WORDS[kind]} ${visible(item.name)}` : `part of the ${ITEM_WORDS[kind]} list`;
      this.write('warning', `${what} was skipped: ${english(item.reason)}`);
    }
  }

  /** Logs, once, what is not as the specification says in what the server sends: see `Note`. */
  leftOut(method: string, place: string, how?: string): void {
    const part = `"${visible(place, 200)}" of ${method}`;
    if (how === undefined) this.#warn(`left out ${part}, which is not as the specification says`);
    else this.#warn(`${part} is not as the specification says: ${visible(how, 300)}`);
  }

  /** Logs the stack that a server sent with an error: people are told the reason alone. */
  stackOf({ rpcError }: HostError): void {
    const stack = stackIn(rpcError?.data);
    if (stack !== undefined) this.write('info', `the stack of its error: ${visible(stack, MAX_STACK)}`);
  }

  /** The result of a tool that failed for a reason that a restart mends says so, for the person and the model. */
  withRemedy(result: CallToolResult, remedy: Phrase): CallToolResult {
    const text = english(remedy);
    this.#warn(text);
    return { ...result, content: [...result.content, { type: 'text', text }] };
  }

  refused({ needs, reason, remedy }: RefusedLaunch, action: Phrase): HostError {
    return this.error({ code: CODES[needs], action, reason, remedy });
  }

  /** What has no explanation is a fault of this machine, such as no file descriptors left, even for this program's own files. */
  explained(error: unknown, action: Phrase): HostError {
    if (error instanceof HostError) return error;
    return this.error({ code: 'SPAWN_FAILED', action, reason: messageOf(error), cause: error });
  }

  #warn(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= MAX_WARNINGS) return;
    this.#warned.add(text);
    this.write('warning', text);
  }

  error(problem: Omit<HostErrorOptions, 'server'>): HostError {
    return this.ports.redactor.error(new HostError({ ...problem, server: this.definition().name }));
  }
}
