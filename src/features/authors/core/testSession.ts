import { pathToFileURL } from 'node:url';
import type { CallToolResult, LoggingLevel, ProtocolEra, Root, Tool } from '@modelcontextprotocol/client';
import { type Disposable, Emitter, until } from '../../../base/events';
import { isObject, parsedJson } from '../../../base/json';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { whenAborted } from '../../../base/queue';
import {
  type AllowedRequests,
  McpHost,
  type OpenRequests,
  type ServerConnection,
  type ServerState,
} from '../../../host';
import { CATALOG_KINDS } from '../../../host/catalog';
import type {
  ElicitationPort,
  LaunchCheck,
  ProgramPorts,
  SamplingPort,
  ServerDefinition,
} from '../../../host/definition';
import type { Requests, ToolCalls } from '../../trust/core';
import { fitsRequest } from './checkResult';
import type { TestAnswers } from './testSchema';

const MAX_LOGS = 20_000;
const TRACE = { messages: 50_000, size: 64 * 1024 * 1024 };
/** A server that ends by itself stays ended: that it did is a result. */
const NO_RESTART = { minMs: 1, maxMs: 1, failures: 0, withinMs: 1 };
/** The host of one server, which is started by hand. */
export const TEST_OPTIONS = {
  purpose: 'test',
  restart: NO_RESTART,
  start: () => 'never',
  limits: () => ({ pingIntervalMs: 0 }),
} satisfies ConstructorParameters<typeof McpHost>[2];
export const TEST_CLIENT = { name: 'mcptest', title: 'MCP Host tests', version: '1' };
/** The error code for the server when the person refuses (spec: client/sampling#error-handling). */
const REFUSED = -1;

/** A line that the server logged or wrote to stderr. */
interface SeenLog {
  readonly level: LoggingLevel;
  readonly text: string;
}

/** Something that the server asked the client. */
interface AskedRequest {
  readonly what: 'sampling' | 'elicitation';
  readonly params: unknown;
  /** Whether the file has an answer to it. */
  readonly isAnswered: boolean;
}

export interface TestSessionOptions {
  readonly definition: ServerDefinition;
  readonly answers: TestAnswers;
  /** Paths of folders that the server may see. */
  readonly roots: readonly string[];
  readonly ports: Omit<ProgramPorts, 'roots'>;
  readonly guard: TestGuard;
  /** The era to begin with. Default: it is negotiated. */
  readonly era: ProtocolEra | undefined;
}

export interface TestDebugger extends LaunchCheck {
  /**
   * Starts a server under a debugger. Resolves when that is over.
   *
   * @param name of the test. @param onAttached called when the debugger is attached. @returns why it could not be debugged.
   */
  debug(server: ServerConnection, name: string, onAttached: () => void): Promise<Phrase | undefined>;
}

/** One server for one test, in a host of its own, answered from the file. `dispose` leaves nothing behind. */
export class TestSession {
  readonly logs: SeenLog[] = [];
  readonly asked: AskedRequest[] = [];
  readonly #seen = new Emitter<void>();
  /** A message, a log line or a request came. */
  readonly onDidSee = this.#seen.event;
  readonly #host: McpHost;
  readonly #trace: Disposable;
  readonly #subscriptions: Disposable[] = [];
  #notDebugged: Phrase | undefined;
  #debugged: Promise<void> | undefined;
  readonly server: ServerConnection;

  readonly #doors: TestDoors;

  constructor({ definition, answers, roots, ports, guard, era }: TestSessionOptions) {
    const rootList: Root[] = roots.map(path => ({ uri: pathToFileURL(path).href }));
    this.#host = new McpHost(
      TEST_CLIENT,
      {
        ...ports,
        log: {
          log: (_server, { source, level, data }) => {
            if (source === 'lifecycle' || this.logs.length === MAX_LOGS) return;
            this.logs.push({ level, text: typeof data === 'string' ? data : JSON.stringify(data) });
            this.#seen.fire();
          },
          level: () => 'debug',
        },
        roots: { list: () => rootList, onDidChange: () => ({ dispose: () => {} }) },
        // Every test begins as if the server had never run before, or had been found to be of this era.
        memory: { read: async () => era && { era, at: Date.now() }, write: async () => {} },
        ...(answers.sampling?.length && { sampling: this.#sampling(answers.sampling) }),
        ...(answers.elicitation?.length && { elicitation: this.#elicitation(answers.elicitation) }),
      },
      { ...TEST_OPTIONS, trace: () => TRACE },
    );
    this.#doors = guard.doors(this.#host.requests);
    this.#trace = this.#host.trace.onDidChange(() => this.#seen.fire());
    this.#host.reconcile([definition]);
    this.server = this.#host.get(definition.id)!;
  }

  /** Why it could not be debugged, if it should have been. */
  get notDebugged(): Phrase | undefined {
    return this.#notDebugged;
  }

  /**
   * Starts the server. Resolves with its state when its lists are loaded, or when it could not start.
   *
   * @param testDebugger starts it, if it is to be debugged. @param name of the test.
   */
  async start(signal: AbortSignal, testDebugger?: Pick<TestDebugger, 'debug'>, name = ''): Promise<ServerState> {
    if (testDebugger) {
      const attached = Promise.withResolvers<void>();
      const over = testDebugger
        .debug(this.server, name, attached.resolve)
        .then(problem => {
          this.#notDebugged = problem;
        })
        .finally(attached.resolve);
      this.#debugged = Promise.race([over, whenAborted(signal)]);
      await Promise.race([attached.promise, whenAborted(signal)]);
      if (this.#notDebugged) return this.server.state;
    } else void this.server.start(phrase('a test begins'));
    await this.until(() => this.server.state.kind !== 'starting', signal, this.server.onDidChangeState);
    if (this.server.state.kind === 'ready') {
      const lists = CATALOG_KINDS.map(kind => this.server.catalog.loaded(kind));
      await Promise.race([Promise.all(lists), whenAborted(signal)]);
    }
    return this.server.state;
  }

  /** Calls a tool of the server, if that may be. Rejects with `DeniedCall` or `HostError`. */
  call(tool: Tool, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    return this.#doors.call(this.server, tool, args, signal);
  }

  /** Those that are no calls. */
  get requests(): ReturnType<TestDoors['requests']> {
    return this.#doors.requests(this.server);
  }

  /** Notifications that came after the message with this number, oldest first. */
  notifications(after: number): { method: string; params: unknown }[] {
    return this.#host.trace.records(after).flatMap(({ direction, text }) => {
      if (direction === 'sent') return [];
      const message = parsedJson(text);
      return isObject(message) && typeof message.method === 'string' && !('id' in message)
        ? [{ method: message.method, params: message.params }]
        : [];
    });
  }

  get lastMessage(): number {
    return this.#host.trace.records().at(-1)?.seq ?? 0;
  }

  /** Follows a resource until the test ends, if that may be. Resolves when the server announces its changes, or does not. */
  async subscribe(uri: string, signal: AbortSignal): Promise<string> {
    const { subscriptions } = this.server;
    const subscription = this.requests.subscribe(uri);
    this.#subscriptions.push(subscription);
    await subscription.allowed;
    await this.until(() => subscriptions.state(uri) !== 'pending', signal, subscriptions.onDidChangeState);
    return subscriptions.state(uri) ?? 'failed';
  }

  /** Resolves when the condition holds, which is looked at after each event, or when `signal` is aborted. */
  until(
    condition: () => boolean,
    signal: AbortSignal,
    event: (listener: () => void) => Disposable = this.onDidSee,
  ): Promise<void> {
    return until(condition, [event], { signal });
  }

  /** Resolves when its process is gone, and no debugger is there for it. */
  async dispose(): Promise<void> {
    this.#trace.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    await this.#host.dispose();
    await this.#debugged;
    this.#seen.dispose();
  }

  #note<T extends { when?: unknown }>(
    what: AskedRequest['what'],
    params: unknown,
    answers: readonly T[],
  ): T | undefined {
    const answer = answers.find(({ when }) => when === undefined || fitsRequest(params, when));
    this.asked.push({ what, params, isAnswered: answer !== undefined });
    this.#seen.fire();
    return answer;
  }

  #sampling(answers: NonNullable<TestAnswers['sampling']>): SamplingPort {
    return {
      capability: () => ({}),
      createMessage: async (_server, params) => {
        const answer = this.#note('sampling', params, answers);
        if (!answer || answer.refuse) throw Object.assign(new Error('The test refuses'), { code: REFUSED });
        if (answer.result) return answer.result as Awaited<ReturnType<SamplingPort['createMessage']>>;
        const text = answer.text ?? '';
        return { model: 'mcptest', role: 'assistant', content: { type: 'text', text }, stopReason: 'endTurn' };
      },
    };
  }

  #elicitation(answers: NonNullable<TestAnswers['elicitation']>): ElicitationPort {
    return {
      capability: () => ({ form: {}, url: {} }),
      elicit: async (_server, params) => {
        const answer = this.#note('elicitation', params, answers);
        if (!answer) return { action: 'cancel' };
        const { action = 'accept', content } = answer;
        return { action, ...(action === 'accept' && content && { content }) };
      },
      visit: async (_server, urls) => {
        const found = urls.map(url => this.#note('elicitation', url, answers));
        return found.every(answer => answer && (answer.action ?? 'accept') === 'accept');
      },
      completed: () => {},
    };
  }
}

type Arguments = Readonly<Record<string, unknown>>;

/** The ways by which the steps of a test reach its server. */
interface TestDoors {
  /** Rejects with `DeniedCall` when the call may not be made. */
  call(server: ServerConnection, tool: Tool, args: Arguments, signal: AbortSignal): Promise<CallToolResult>;
  /** Those reject with a `HostError` `DENIED` or `CHANGED` when they may not be made. */
  readonly requests: (
    server: ServerConnection,
  ) => Pick<AllowedRequests, 'readResource' | 'getPrompt' | 'complete' | 'subscribe'>;
}

/** What stands between tests and their servers. */
export interface TestGuard {
  /** @param open `McpHost.requests` of the host that a test has for its server. */
  doors(open: OpenRequests): TestDoors;
  /** Why a server may not be told of this folder. Undefined: it may be. */
  rootProblem(path: string): Phrase | undefined;
}

/** A call that something denied. It is no answer of the server: no expectation of a test fits it. */
export class DeniedCall extends PhraseError {}

/**
 * The policy of a window for the tests of one file, as for all other callers but without questions: the person has decided before the
 * run whether it may use the server. Denials and blocked changes hold, and each request is in the audit log.
 *
 * @param path of the file, for the audit log.
 */
export function guarded(
  { calls, requests }: { readonly calls: Pick<ToolCalls, 'over'>; readonly requests: Pick<Requests, 'over'> },
  path: string,
  rootProblem: TestGuard['rootProblem'],
): TestGuard {
  const client = { id: path, name: path };
  return {
    doors: open => {
      const guardedCalls = calls.over(open);
      return {
        requests: requests.over(open).as({ origin: 'test', client }),
        call: async (server, tool, args, signal) => {
          const approved = await guardedCalls.approveTest({ server, tool, args: { ...args }, client });
          if (!approved.approved) throw new DeniedCall(approved.message);
          return (await approved.run({ signal })).result;
        },
      };
    },
    rootProblem,
  };
}

/**
 * Denies, limits and records nothing. For `mcptest.js`, which runs without a window, where approvals, denials, pins and the audit
 * log are kept. As with any test runner, whoever runs it decides what runs: a test file can start any program anyway.
 */
export const UNGUARDED: TestGuard = {
  doors: open => ({
    call: (server, tool, args, signal) => open(server).callTool(tool, { ...args }, { signal }),
    requests: server => {
      const raw = open(server);
      return {
        readResource: (uri, signal) => raw.readResource(uri, signal),
        getPrompt: (name, args, signal) => raw.getPrompt(name, args, signal),
        complete: (params, signal) => raw.complete(params, signal),
        subscribe: uri => {
          const subscription = raw.subscribe(uri);
          return { allowed: Promise.resolve(), dispose: () => subscription.dispose() };
        },
      };
    },
  }),
  rootProblem: () => undefined,
};

interface Limit {
  /** By the clock, in milliseconds. */
  readonly at: number;
  readonly reached: AbortController;
  timer?: NodeJS.Timeout;
}

/** The time of tests, in milliseconds. It stands still while a debugger has paused the program. */
export class TestClock {
  readonly #limits = new Set<Limit>();
  /** For how long it stood still, and since when it does. */
  #stoodMs = 0;
  #stillSince: number | undefined;

  now(): number {
    return (this.#stillSince ?? performance.now()) - this.#stoodMs;
  }

  stand(isStill: boolean): void {
    if (isStill === (this.#stillSince !== undefined)) return;
    if (isStill) {
      this.#stillSince = performance.now();
      for (const { timer } of this.#limits) clearTimeout(timer);
    } else {
      this.#stoodMs += performance.now() - this.#stillSince!;
      this.#stillSince = undefined;
      for (const limit of this.#limits) this.#watch(limit);
    }
  }

  /** A signal that is aborted after so many milliseconds of this clock, unless its end comes first. */
  limit(ms: number): { readonly signal: AbortSignal; end(): void } {
    const limit: Limit = { at: this.now() + ms, reached: new AbortController() };
    this.#limits.add(limit);
    if (this.#stillSince === undefined) this.#watch(limit);
    const end = () => {
      clearTimeout(limit.timer);
      this.#limits.delete(limit);
    };
    return { signal: limit.reached.signal, end };
  }

  #watch(limit: Limit): void {
    limit.timer = setTimeout(() => limit.reached.abort(), limit.at - this.now());
  }
}
