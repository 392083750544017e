import type {
  CallToolResult,
  ContentBlock,
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  JSONRPCMessage,
  LoggingLevel,
  ReadResourceResult,
  Resource,
  Tool,
  Transport,
} from '@modelcontextprotocol/client';
import {
  AppBridge,
  type McpUiDownloadFileRequest,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiUpdateModelContextRequest,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { messageOf } from '../../../base/errors';
import { isObject } from '../../../base/json';
import { RateAllowance } from '../../../base/rateAllowance';
import { shallowJson } from '../../../base/shallowJson';
import type { AppSurroundings } from './appMessages';
import { type AppDeclaration, grantedOf } from './appPage';

/** How long an app may take to put itself in order before it is closed. */
const TEARDOWN_MS = 1_000;
/** The largest answer that an app is given, in characters. */
const MAX_ANSWER = 32 * 1024 * 1024;
/** The characters that an app is given at once, and in a second from then on: it asks for megabytes in a few words. */
const ANSWERS = 2 * MAX_ANSWER;
const ANSWERS_PER_SECOND = 4 * 1024 * 1024;

/** Requests that an app can make. Each may reject; the app gets the message. */
export interface AppRequests {
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  listResources(): readonly Resource[];
  /** False: the person did not want it, or it cannot be done. */
  openLink(url: string): Promise<boolean>;
  message(content: readonly ContentBlock[]): Promise<boolean>;
  updateContext(context: McpUiUpdateModelContextRequest['params']): void;
  download(contents: McpUiDownloadFileRequest['params']['contents']): Promise<boolean>;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
  size(width: number | undefined, height: number | undefined): void;
  close(): void;
  /** Absent: apps of this server can't ask for it. */
  createMessage?(
    params: CreateMessageRequest['params'],
    signal: AbortSignal,
  ): Promise<CreateMessageResult | CreateMessageResultWithTools>;
}

export interface AppSessionOptions {
  readonly version: string;
  readonly declaration: AppDeclaration;
  readonly tool: Tool;
  readonly requests: AppRequests;
  readonly place: AppPlace;
  /** The mode that it asked for in another place, if that is why it is here. */
  readonly wanted?: DisplayMode | undefined;
  /** Told how it is shown as soon as the app has said which modes it has, and when that changes in the same place. */
  readonly onMode: (mode: DisplayMode) => void;
  /** Shows it where it has another mode, once its request has been answered. False: it stays. */
  readonly move: (mode: DisplayMode) => boolean;
  readonly surroundings: AppSurroundings;
  readonly locale: string;
  readonly platform: 'web' | 'desktop';
  /** Sends one JSON-RPC message to the app. */
  readonly post: (text: string) => void;
  /** Told of every message, in both directions. */
  readonly trace: (direction: 'sent' | 'received', text: string) => void;
}

/**
 * The host's side of the conversation with one app (spec: ext-apps 2026-01-26, "Communication Protocol"): from its first
 * message to its end. Nothing is sent before the app has said that it is ready.
 */
export class AppSession {
  readonly #bridge: AppBridge;
  readonly #transport: AppTransport;
  readonly #answers = new RateAllowance(ANSWERS, ANSWERS_PER_SECOND);
  readonly #ready: Promise<void>;
  /** The answer to the app's first request. */
  readonly #greeting: McpUiHostContext;
  #surroundings: AppSurroundings;
  #declared: readonly DisplayMode[] = [];
  #mode: DisplayMode;
  #isGreeted = false;
  #isReady = false;
  #isClosed = false;

  constructor(private readonly options: AppSessionOptions) {
    const { version, declaration, requests } = options;
    this.#surroundings = options.surroundings;
    this.#mode = modeIn(options.place, []);
    this.#greeting = this.#contextOf();
    const capabilities = capabilitiesOf(declaration, requests.createMessage !== undefined);
    this.#bridge = new AppBridge(null, { name: 'mcp-host', title: 'MCP Host', version }, capabilities, {
      hostContext: this.#greeting,
    });
    this.#transport = new AppTransport(options.post, options.trace, message => this.#onMessage(message));
    this.#ready = new Promise(resolve => {
      this.#bridge.addEventListener('initialized', () => {
        this.#isReady = true;
        this.#tellContext();
        resolve();
      });
    });
    this.#serve();
  }

  /** Whether the app has said that it is ready. */
  get isReady(): boolean {
    return this.#isReady;
  }

  whenReady(): Promise<void> {
    return this.#ready;
  }

  connect(): Promise<void> {
    return this.#bridge.connect(this.#transport);
  }

  /** Takes in a message of the app: any text. */
  receive(text: string): void {
    this.#transport.receive(text);
  }

  /** Tells the app what the tool was called with, and how that ended. */
  async show(args: Record<string, unknown>, outcome: Promise<CallToolResult>): Promise<void> {
    const end = outcome.then(
      result => () => this.#bridge.sendToolResult(result),
      (error: unknown) => () => this.#bridge.sendToolCancelled({ reason: messageOf(error, 500) }),
    );
    await this.#ready;
    await this.#tell(() => this.#bridge.sendToolInput({ arguments: args }));
    await this.#tell(await end);
  }

  get mode(): DisplayMode {
    return this.#mode;
  }

  /** The window looks otherwise now. */
  update(surroundings: AppSurroundings): void {
    this.#surroundings = surroundings;
    this.#tellContext();
  }

  /** The bridge sends what has changed. An app that was not greeted yet gets all of it then, and nothing before it is ready. */
  #tellContext(): void {
    const context = this.#contextOf();
    if (this.#isReady) void this.#tell(async () => this.#bridge.setHostContext(context));
    else if (!this.#isGreeted) Object.assign(this.#greeting, context);
  }

  listChanged(kind: 'tools' | 'resources'): void {
    if (!this.#isReady) return;
    void this.#tell(() =>
      kind === 'tools' ? this.#bridge.sendToolListChanged() : this.#bridge.sendResourceListChanged(),
    );
  }

  /** Ends it; a ready app is notified first, and may take a moment. Never rejects. */
  async end(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isReady) await this.#bridge.teardownResource({}, { timeout: TEARDOWN_MS }).catch(() => {});
    await this.#bridge.close().catch(() => {});
  }

  /** Ends it without a word: the app is gone. */
  drop(): void {
    this.#isClosed = true;
    void this.#bridge.close().catch(() => {});
  }

  /** An app that has gone meanwhile misses nothing. */
  async #tell(send: () => Promise<void>): Promise<void> {
    if (!this.#isClosed) await send().catch(() => {});
  }

  #serve(): void {
    const bridge = this.#bridge;
    const { requests } = this.options;
    bridge.oncalltool = async ({ name, arguments: args = {} }, { mcpReq }) =>
      this.#bounded(() => requests.callTool(name, args, mcpReq.signal));
    bridge.onreadresource = async ({ uri }, { mcpReq }) =>
      this.#bounded(() => requests.readResource(uri, mcpReq.signal));
    bridge.onlistresources = async () => this.#bounded(() => ({ resources: [...requests.listResources()] }));
    bridge.onopenlink = async ({ url }) => answer(await requests.openLink(url));
    bridge.onmessage = async ({ content }) => answer(await requests.message(content));
    bridge.ondownloadfile = async ({ contents }) => answer(await requests.download(contents));
    bridge.onupdatemodelcontext = async context => {
      requests.updateContext(context);
      return {};
    };
    bridge.onrequestdisplaymode = async ({ mode }) => ({ mode: this.#changeMode(mode) });
    const { createMessage } = requests;
    if (createMessage) bridge.oncreatesamplingmessage = (params, { mcpReq }) => createMessage(params, mcpReq.signal);
    bridge.addEventListener('loggingmessage', ({ level, data, logger }) => requests.log(level, data, logger));
    bridge.addEventListener('sizechange', ({ width, height }) => requests.size(width, height));
    bridge.addEventListener('requestteardown', () => requests.close());
  }

  /** An answer that is not too long, of an app that has not been given too much. */
  async #bounded<T extends object>(answer: () => T | Promise<T>): Promise<T> {
    this.#assertLeft();
    const result = await answer();
    this.#assertLeft();
    const { length } = JSON.stringify(result);
    this.#answers.take(length);
    if (length > MAX_ANSWER) throw new Error(`The answer has ${length} characters, more than an app is given.`);
    return result;
  }

  #assertLeft(): void {
    if (!this.#answers.isLeft(performance.now())) throw new Error('Too much was asked for. Try again later.');
  }

  /** Before the bridge sees it: its answer to the first request says how the app is shown. */
  #onMessage({ method, params }: { readonly method?: unknown; readonly params?: unknown }): void {
    if (method !== 'ui/initialize' || this.#isGreeted) return;
    const capabilities = isObject(params) && isObject(params.appCapabilities) ? params.appCapabilities : {};
    const declared: readonly unknown[] = Array.isArray(capabilities.availableDisplayModes)
      ? capabilities.availableDisplayModes
      : [];
    this.#declared = DISPLAY_MODES.filter(mode => declared.includes(mode));
    this.#mode = modeIn(this.options.place, this.#declared, this.options.wanted);
    this.#tellContext();
    this.#isGreeted = true;
    this.options.onMode(this.#mode);
  }

  /** Answers a request for a display mode; only declared ones apply (spec: ext-apps 2026-01-26, "Display Modes"). */
  #changeMode(wanted: DisplayMode): DisplayMode {
    const { place, move, onMode } = this.options;
    if (wanted === this.#mode || !this.#declared.includes(wanted)) return this.#mode;
    if (placeFor(wanted) !== place) return move(wanted) ? wanted : this.#mode;
    this.#mode = wanted;
    onMode(wanted);
    this.#tellContext();
    return wanted;
  }

  #contextOf(): McpUiHostContext {
    const { theme, variables, width, height, touch, hover } = this.#surroundings;
    const { tool, locale, platform, version } = this.options;
    const mode = this.#mode;
    return {
      toolInfo: { tool },
      theme,
      // The page names only those that the specification has.
      styles: { variables: variables as NonNullable<McpUiHostContext['styles']>['variables'] },
      displayMode: mode,
      availableDisplayModes: [...DISPLAY_MODES],
      containerDimensions: mode === 'inline' ? { width, maxHeight: MAX_INLINE } : { width, height },
      locale,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      userAgent: `mcp-host/${version}`,
      platform,
      deviceCapabilities: { touch, hover },
      safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
    };
  }
}

/** The most that an app in the panel may be high, in pixels: the rest is scrolled to. */
export const MAX_INLINE = 6_000;

const capabilitiesOf = (declaration: AppDeclaration, samples: boolean): McpUiHostCapabilities => ({
  openLinks: {},
  downloadFile: {},
  serverTools: { listChanged: true },
  serverResources: { listChanged: true },
  logging: {},
  updateModelContext: { text: {}, structuredContent: {} },
  message: { text: {} },
  sandbox: {
    csp: Object.fromEntries(Object.entries(declaration.domains).map(([list, sources]) => [list, [...sources]])),
    permissions: Object.fromEntries(grantedOf(declaration).map(name => [name, {}])),
  },
  ...(samples && { sampling: { tools: {} } }),
});

const answer = (isDone: boolean) => (isDone ? {} : { isError: true });

/** Messages as texts, to and from the page around the app. What is no JSON-RPC message is left out. */
class AppTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;

  constructor(
    private readonly post: (text: string) => void,
    private readonly trace: AppSessionOptions['trace'],
    private readonly onMessage: (message: { readonly method?: unknown; readonly params?: unknown }) => void,
  ) {}

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    const text = JSON.stringify(message);
    this.trace('sent', text);
    this.post(text);
  }

  receive(text: string): void {
    this.trace('received', text);
    const message = shallowJson(text);
    if (!isObject(message) || message.jsonrpc !== '2.0') return;
    this.onMessage(message);
    this.onmessage?.(message as JSONRPCMessage);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/** How an app is shown (spec: ext-apps 2026-01-26, "Display Modes"). */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** Where: in a tab of the editor, or in the view in the panel. */
export type AppPlace = 'tab' | 'view';

const DISPLAY_MODES: readonly DisplayMode[] = ['inline', 'fullscreen', 'pip'];

/** The modes that suit a place, the best first. In the view, `pip` is as high as it, `inline` as high as it likes. */
const SUITED: Readonly<Record<AppPlace, readonly [DisplayMode, ...DisplayMode[]]>> = {
  tab: ['fullscreen', 'inline', 'pip'],
  view: ['inline', 'pip', 'fullscreen'],
};

/** The mode of an app in a place: one that it declared, if any. @param wanted by the app, in this place. */
function modeIn(place: AppPlace, declared: readonly DisplayMode[], wanted?: DisplayMode): DisplayMode {
  if (wanted && declared.includes(wanted)) return wanted;
  const suited = SUITED[place];
  return suited.find(mode => declared.includes(mode)) ?? suited[0];
}

/** Where an app goes that asks for a mode. */
export const placeFor = (mode: DisplayMode): AppPlace => (mode === 'fullscreen' ? 'tab' : 'view');
