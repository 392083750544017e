/**
 * A double of MCP Host for unit tests of extensions that use its API: everything in memory, without an editor. Servers have the
 * state, tools and answers that a test gives them; nobody is asked, and nothing is started.
 */
import type { CancellationToken, Disposable, Event } from 'vscode';
import type {
  McpHostApi,
  McpHostError,
  McpHostErrorCode,
  McpHostExports,
  McpLogLine,
  McpPrompt,
  McpPromptResult,
  McpRegistration,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
  McpServer,
  McpServerControl,
  McpServerError,
  McpServerState,
  McpTool,
  McpToolResult,
  McpTraceMessage,
  RequestOptions,
} from './index';

type Arguments = Readonly<Record<string, unknown>>;
type Answer<T> = T | Promise<T>;

export interface FakeTool extends Partial<McpTool> {
  readonly name: string;
  /** The result, or its text. Default: the arguments as JSON. What it throws is passed on. */
  readonly call?: (args: Arguments) => Answer<McpToolResult | string>;
  /** The person denies each call: it fails with `REFUSED`. */
  readonly isDenied?: boolean;
}

export interface FakePrompt extends McpPrompt {
  /** Default: the name of the prompt. */
  readonly get?: (args: Readonly<Record<string, string>>) => Answer<McpPromptResult | string>;
}

export interface FakeResource extends Partial<McpResource> {
  readonly uri: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

/** A server as a test describes it. */
export interface FakeServer {
  readonly name: string;
  /** Default: the name. */
  readonly id?: string;
  /** Default: `ready`. */
  readonly state?: McpServerState;
  readonly error?: McpServerError;
  readonly tools?: readonly FakeTool[];
  readonly prompts?: readonly FakePrompt[];
  readonly resources?: readonly FakeResource[];
  readonly resourceTemplates?: readonly McpResourceTemplate[];
  /** Suggestions for arguments, by the name of the argument. */
  readonly completions?: Readonly<Record<string, readonly string[]>>;
  readonly logs?: readonly McpLogLine[];
  readonly trace?: readonly McpTraceMessage[];
}

export interface FakeHostOptions {
  readonly servers?: readonly FakeServer[];
  /** With what `getApi` rejects, as when the person denies it. Default: they allow it. */
  readonly refuses?: McpHostErrorCode;
  /** The id of the extension that is tested. Default: `publisher.extension`. */
  readonly extension?: string;
  /** What becomes of a server that the extension adds. Default: it is ready, and offers nothing. */
  readonly start?: (name: string, definition: object) => Omit<FakeServer, 'name' | 'id'>;
}

/** A call that the extension has made. */
export interface FakeCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Arguments;
}

/** The fields of an entry of `mcpHost.servers`, made by `npm run generate`: others are refused. */
export const DEFINITION_FIELDS: readonly string[] = [
  'type',
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'url',
  'sandbox',
  'dev',
  'enabled',
  'start',
  'timeouts',
  'logLevel',
  'protocol',
  'roots',
  'headers',
  'headersHelper',
  'oauth',
  'disabled',
];

/** What the double throws and rejects with. */
export class FakeMcpHostError extends Error implements McpHostError {
  override readonly name = 'McpHostError';

  constructor(
    readonly code: McpHostErrorCode,
    message: string = code,
  ) {
    super(message);
  }
}

class Listeners<T> {
  readonly #all = new Set<(value: T) => unknown>();

  readonly event: Event<T> = (listener, thisArgs, disposables) => {
    const bound = (value: T) => listener.call(thisArgs, value);
    this.#all.add(bound);
    const handle = { dispose: () => void this.#all.delete(bound) };
    disposables?.push(handle);
    return handle;
  };

  fire(value: T): void {
    for (const listener of [...this.#all]) listener(value);
  }
}

/**
 * A host without an editor. `exports` is what an extension gets from `vscode.extensions.getExtension('mcp-host.mcp-host')`; all
 * else is for the test.
 */
export class FakeMcpHost {
  /** Calls of tools, oldest first. */
  readonly calls: FakeCall[] = [];
  readonly #options: FakeHostOptions;
  readonly #servers = new Map<string, { fake: FakeServer; handle: McpServer }>();
  readonly #serversChanged = new Listeners<void>();
  readonly #serverChanged = new Listeners<{ server: McpServer; what: 'state' | 'catalog' }>();
  readonly #updated = new Listeners<{ id: string; uri: string }>();
  readonly #revoked = new Listeners<void>();
  #isRevoked = false;
  readonly api: McpHostApi;
  readonly exports: McpHostExports;

  constructor(options: FakeHostOptions = {}) {
    this.#options = options;
    const all = () => {
      this.#assertAllowed();
      return [...this.#servers.values()].map(({ handle }) => handle);
    };
    this.api = {
      get servers() {
        return all();
      },
      onDidChangeServers: this.#serversChanged.event,
      onDidChangeServer: this.#serverChanged.event,
      onDidRevoke: this.#revoked.event,
      registerServerDefinitions: definitions => this.#register(definitions),
    };
    this.exports = {
      getApi: async version => {
        if (version !== 1) throw new FakeMcpHostError('UNSUPPORTED_VERSION');
        if (options.refuses) throw new FakeMcpHostError(options.refuses);
        this.#isRevoked = false;
        return this.api;
      },
    };
    for (const server of options.servers ?? []) this.#put(server, false);
  }

  /** Adds a server, or replaces the one of its id. */
  set(server: FakeServer): void {
    const isNew = !this.#servers.has(idOf(server));
    this.#put(server, false);
    if (isNew) this.#serversChanged.fire();
    else this.#changed(idOf(server), 'catalog');
  }

  remove(id: string): void {
    if (this.#servers.delete(id)) this.#serversChanged.fire();
  }

  setState(id: string, state: McpServerState, error?: McpServerError): void {
    const entry = this.#servers.get(id);
    if (!entry) throw new Error(`The double has no server "${id}".`);
    const { error: _, ...fake } = entry.fake;
    entry.fake = { ...fake, state, ...(error && { error }) };
    this.#changed(id, 'state');
  }

  /** Tells those who follow the resource that it has changed. */
  update(id: string, uri: string): void {
    this.#updated.fire({ id, uri });
  }

  /** The person takes the use of the servers back. */
  revoke(): void {
    this.#isRevoked = true;
    this.#revoked.fire();
  }

  #assertAllowed(): void {
    if (this.#isRevoked) throw new FakeMcpHostError('REVOKED');
  }

  #changed(id: string, what: 'state' | 'catalog'): void {
    const server = this.#servers.get(id)?.handle;
    if (server) this.#serverChanged.fire({ server, what });
  }

  #register(definitions: Readonly<Record<string, object>>): McpRegistration {
    this.#assertAllowed();
    const unknown = Object.entries(definitions).flatMap(([name, entry]) =>
      Object.keys(entry)
        .filter(field => !DEFINITION_FIELDS.includes(field))
        .map(field => `server "${name}" has the unknown field "${field}"`),
    );
    if (unknown.length > 0) throw new FakeMcpHostError('INVALID', unknown.join('; '));
    const { extension = 'publisher.extension', start = () => ({}) } = this.#options;
    const ids = Object.entries(definitions).map(([name, definition]) => {
      const fake = { ...start(name, definition), name, id: `${name}@${extension}` };
      this.#put(fake, true);
      return fake.id;
    });
    this.#serversChanged.fire();
    let disposed = () => {};
    const removed = new Promise<never>((_, reject) => {
      disposed = () => reject(new FakeMcpHostError('CANCELLED'));
    });
    removed.catch(() => {});
    const ready = Promise.race([Promise.all(ids.map(id => this.#untilReady(id))), removed]);
    ready.catch(() => {});
    const dispose = () => {
      disposed();
      for (const id of ids) this.#servers.delete(id);
      this.#serversChanged.fire();
    };
    return { ready, dispose };
  }

  #untilReady(id: string): Promise<McpServer> {
    return new Promise((resolve, reject) => {
      let listening: Disposable | undefined;
      const look = () => {
        const handle = this.#servers.get(id)?.handle;
        const state = this.#servers.get(id)?.fake.state ?? 'ready';
        if (!handle || state === 'failed' || state === 'stopped')
          reject(new FakeMcpHostError(handle && state === 'failed' ? 'FAILED' : 'NOT_READY', `"${id}" is ${state}.`));
        else if (state === 'ready') resolve(handle);
        else return;
        listening?.dispose();
      };
      listening = this.#serverChanged.event(look);
      look();
    });
  }

  #put(fake: FakeServer, isOwn: boolean): void {
    const id = idOf(fake);
    const known = this.#servers.get(id);
    if (known) known.fake = fake;
    else this.#servers.set(id, { fake, handle: this.#handle(id, fake.name, isOwn) });
  }

  #handle(id: string, name: string, isOwn: boolean): McpServer {
    const now = (): FakeServer => {
      this.#assertAllowed();
      const found = this.#servers.get(id)?.fake;
      if (!found) throw new FakeMcpHostError('NOT_FOUND', `MCP server "${id}" is gone.`);
      return found;
    };
    /** What a request can be made to: a server that is ready, or is used on demand. */
    const usable = (options?: RequestOptions): FakeServer => {
      const found = now();
      assertGoingOn(options?.token);
      const { state = 'ready' } = found;
      if (state !== 'ready') throw new FakeMcpHostError('NOT_READY', `MCP server "${id}" is ${state}.`);
      return found;
    };
    const callTool: McpServer['callTool'] = async (wanted, args = {}, options) => {
      const tool = usable(options).tools?.find(one => one.name === wanted);
      if (!tool) throw new FakeMcpHostError('NOT_FOUND', `MCP server "${id}" has no tool ${wanted}.`);
      if (tool.isDenied) throw new FakeMcpHostError('REFUSED', `The user denies ${wanted}.`);
      const copy = structuredClone(args);
      this.calls.push({ server: id, tool: wanted, args: copy });
      const result = await (tool.call ?? JSON.stringify)(copy);
      usable(options);
      return typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result;
    };
    return {
      id,
      name,
      get state() {
        return now().state ?? 'ready';
      },
      get error() {
        return now().error;
      },
      control: isOwn ? this.#control(id, now) : undefined,
      listTools: async options =>
        (usable(options).tools ?? []).map(({ call: _call, isDenied: _denied, ...tool }) => ({
          inputSchema: { type: 'object' },
          ...tool,
        })),
      listPrompts: async options => (usable(options).prompts ?? []).map(({ get: _, ...prompt }) => prompt),
      listResources: async options =>
        (usable(options).resources ?? []).map(({ text: _text, blob: _blob, ...one }) => ({ name: one.uri, ...one })),
      listResourceTemplates: async options => [...(usable(options).resourceTemplates ?? [])],
      callTool,
      openApp: callTool,
      readResource: async (uri, options) => ({ contents: [contentsOf(usable(options), uri)] }),
      getPrompt: async (wanted, args = {}, options) => {
        const prompt = usable(options).prompts?.find(one => one.name === wanted);
        if (!prompt) throw new FakeMcpHostError('NOT_FOUND', `MCP server "${id}" has no prompt ${wanted}.`);
        const made = await (prompt.get ?? (() => wanted))(args);
        if (typeof made !== 'string') return made;
        return { messages: [{ role: 'user', content: { type: 'text', text: made } }] };
      },
      complete: async ({ argument }, options) => ({
        values: (usable(options).completions?.[argument.name] ?? []).filter(one => one.startsWith(argument.value)),
      }),
      subscribe: (uri, listener) => {
        now();
        return this.#updated.event(changed => {
          if (changed.id === id && changed.uri === uri && !this.#isRevoked) listener(uri);
        });
      },
      openResource: async uri => void contentsOf(usable(), uri),
    };
  }

  #control(id: string, now: () => FakeServer): McpServerControl {
    const start = async (options?: RequestOptions) => {
      now();
      assertGoingOn(options?.token);
      this.setState(id, 'ready');
    };
    return {
      start,
      restart: start,
      stop: async () => {
        now();
        this.setState(id, 'stopped');
      },
      logs: () => now().logs ?? [],
      trace: (after = 0) => (now().trace ?? []).filter(({ seq }) => seq > after),
    };
  }
}

const idOf = ({ id, name }: FakeServer) => id ?? name;

function assertGoingOn(token: CancellationToken | undefined): void {
  if (token?.isCancellationRequested) throw new FakeMcpHostError('CANCELLED');
}

function contentsOf({ name, resources }: FakeServer, uri: string): McpResourceContents {
  const found = resources?.find(one => one.uri === uri);
  if (!found) throw new FakeMcpHostError('PROTOCOL', `MCP server "${name}" has no resource ${uri}.`);
  const { mimeType, text, blob } = found;
  return {
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(blob !== undefined ? { blob } : { text: text ?? '' }),
  };
}
