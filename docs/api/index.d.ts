/**
 * The API of MCP Host for other extensions, version 1: the package `@mcp-host/api`. This file has no code; a double for unit tests
 * is in `@mcp-host/api/testing`. What each part is for: docs/api.md.
 */
import type { CancellationToken, Disposable, Event } from 'vscode';

/** The `exports` of the extension `mcp-host.mcp-host`. */
export interface McpHostExports {
  /**
   * The servers of this window, once the person has allowed that: they are asked once, until they revoke it in *Manage
   * Approvals*. Call it directly, from a file of your extension: who calls is read from the call stack.
   *
   * Rejects with a `McpHostError`: `UNSUPPORTED_VERSION`, `UNKNOWN_CALLER`, `DENIED`, `UNANSWERED`, `NOT_ASKED`, `BUSY`.
   */
  getApi(version: 1, options?: GetApiOptions): Promise<McpHostApi>;
}

export interface GetApiOptions {
  /** Asks nobody: rejects with `NOT_ASKED` unless the person has answered already. */
  readonly silent?: boolean;
}

/**
 * What an extension may do with the servers of a window. It is bound to the extension that got it. After the person has revoked
 * it, each use fails with `REVOKED`, and so does what is running.
 */
export interface McpHostApi {
  /** All servers of the window, whatever their state, in the order of the settings. */
  readonly servers: readonly McpServer[];
  /** Servers were added or removed. */
  readonly onDidChangeServers: Event<void>;
  /** The state of a server changed, or what it offers. */
  readonly onDidChangeServer: Event<McpServerChange>;
  /** The person has revoked the use of the servers. */
  readonly onDidRevoke: Event<void>;
  /**
   * Adds servers, in the form of the setting `mcpHost.servers`, until the handle is disposed. The person is asked before each of
   * them starts, as for servers of a workspace. Their ids are `name@publisher.extension`.
   *
   * Throws a `McpHostError` `INVALID` that names every field that is unknown or wrong, and adds nothing then.
   */
  registerServerDefinitions(servers: Readonly<Record<string, object>>): McpRegistration;
}

/** Servers that an extension has added. They go when it is disposed. */
export interface McpRegistration extends Disposable {
  /**
   * Resolves with the servers when all of them are ready, however long the person takes to allow them. Rejects with a
   * `McpHostError` when one of them fails or is stopped, with `CANCELLED` when the handle is disposed. It need not be used.
   */
  readonly ready: Promise<readonly McpServer[]>;
}

export interface McpServerChange {
  readonly server: McpServer;
  readonly what: 'state' | 'catalog';
}

export type McpServerState =
  | 'stopped'
  | 'starting'
  | 'ready'
  | 'reconnecting'
  | 'failed'
  | 'needsTrust'
  | 'needsInput'
  | 'needsAuth';

export interface RequestOptions {
  readonly token?: CancellationToken;
}

export interface CallOptions extends RequestOptions {
  onProgress?(progress: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
}

/**
 * One server. Lists and requests start a server that is used on demand, and wait for one that is starting. They reject with a
 * `McpHostError`.
 */
export interface McpServer {
  /** Unique in the window. */
  readonly id: string;
  readonly name: string;
  readonly state: McpServerState;
  /** Why it is not ready. Undefined while it is, while it starts, and when it was stopped. */
  readonly error: McpServerError | undefined;
  /** What an extension may do with the servers that it has added. Undefined for all others. */
  readonly control: McpServerControl | undefined;
  /** Tools for models that the person's approvals and pins do not block. */
  listTools(options?: RequestOptions): Promise<readonly McpTool[]>;
  listPrompts(options?: RequestOptions): Promise<readonly McpPrompt[]>;
  listResources(options?: RequestOptions): Promise<readonly McpResource[]>;
  listResourceTemplates(options?: RequestOptions): Promise<readonly McpResourceTemplate[]>;
  /** Calls a tool. The person is asked as for every call, unless they have allowed it. A failure of the tool is a result. */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<McpToolResult>;
  readResource(uri: string, options?: RequestOptions): Promise<{ readonly contents: readonly McpResourceContents[] }>;
  getPrompt(name: string, args?: Readonly<Record<string, string>>, options?: RequestOptions): Promise<McpPromptResult>;
  /** Suggests values of an argument of a prompt or a resource template. */
  complete(params: McpCompleteParams, options?: RequestOptions): Promise<{ readonly values: readonly string[] }>;
  /** Calls the listener when a resource may have changed, also after a reconnect, until the handle is disposed. */
  subscribe(uri: string, listener: (uri: string) => void): Disposable;
  /** Calls a tool, as `callTool` does, and opens its app with the result. */
  openApp(tool: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<McpToolResult>;
  /** Opens a resource in an editor. */
  openResource(uri: string): Promise<void>;
}

/** Why a server is not ready. The texts are for logs, in English. */
export interface McpServerError {
  readonly code: McpServerErrorCode;
  readonly reason: string;
  readonly remedy?: string;
}

/** What happened to a server. There may be more codes one day. */
export type McpServerErrorCode =
  | 'BUSY'
  | 'CANCELLED'
  | 'CERTIFICATE'
  | 'CHANGED'
  | 'CLOSED'
  | 'COMMAND_NOT_FOUND'
  | 'DENIED'
  | 'EXITED'
  | 'FOLDER_NOT_FOUND'
  | 'FORBIDDEN'
  | 'HTTP_STATUS'
  | 'INVALID_SETTINGS'
  | 'NEEDS_INPUT'
  | 'NEEDS_TRUST'
  | 'NO_PROGRAMS'
  | 'NO_SANDBOX'
  | 'NOT_ALLOWED'
  | 'NOT_INSTALLED'
  | 'NOT_MCP'
  | 'NOT_READY'
  | 'PACKAGE_NOT_FOUND'
  | 'PROTOCOL'
  | 'SANDBOX_RULES'
  | 'SCRIPT_NOT_FOUND'
  | 'SESSION_LOST'
  | 'SPAWN_FAILED'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'UNREACHABLE';

/** A server that the extension has added. Consent, inputs and sign-in are asked for as at every start. */
export interface McpServerControl {
  /** Resolves when the server is ready, however long the person takes to allow it. Rejects with a `McpHostError`. */
  start(options?: RequestOptions): Promise<void>;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
  /** Ends what runs, and starts the server as `start` does. */
  restart(options?: RequestOptions): Promise<void>;
  /** The last lines of its log, oldest first, without secrets. */
  logs(): readonly McpLogLine[];
  /**
   * The last 1,000 messages between it and this window, oldest first, without secrets. None while the trace is off.
   * @param after leaves out those up to this number.
   */
  trace(after?: number): readonly McpTraceMessage[];
}

export interface McpLogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

export interface McpTraceMessage {
  /** Counts up in the window. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly direction: 'sent' | 'received';
  /** JSON-RPC as it went over the wire; of a very large message, its beginning. */
  readonly text: string;
}

/** As the server listed it (spec: server/tools); other fields of the specification may be there too. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
}

export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export interface McpResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A block of content (spec: server/tools#tool-result). `type` says which of the other fields are there. */
export interface McpContent {
  readonly type: string;
  readonly text?: string;
  /** Base64. */
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly resource?: McpResourceContents;
}

export interface McpToolResult {
  readonly content: readonly McpContent[];
  readonly structuredContent?: unknown;
  /** The tool failed; `content` says why. */
  readonly isError?: boolean;
}

export interface McpResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export interface McpPromptResult {
  readonly description?: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: McpContent }[];
}

export interface McpCompleteParams {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** What everything here rejects with, or throws. Decide by the `code`; the message is for logs, in English. */
export interface McpHostError extends Error {
  readonly name: 'McpHostError';
  readonly code: McpHostErrorCode;
  /** The JSON-RPC code, if the server answered with one. */
  readonly rpcCode?: number;
}

export type McpHostErrorCode =
  /** There is no such version of the API here. */
  | 'UNSUPPORTED_VERSION'
  /** The call did not come from a file of an extension. */
  | 'UNKNOWN_CALLER'
  /** The person has denied the extension the use of the servers. */
  | 'DENIED'
  /** The person has closed the question. It is not asked again in this window. */
  | 'UNANSWERED'
  /** The person has not been asked, and was not to be. */
  | 'NOT_ASKED'
  /** The person has taken the use of the servers back. */
  | 'REVOKED'
  /** The call is not made: the person or a rule of theirs denied it, or the tool has changed since it was accepted. */
  | 'REFUSED'
  /** The server is gone, or offers no tool, prompt or app of that name. */
  | 'NOT_FOUND'
  /** The arguments do not fit the tool's schema (exactly the same call again is sent: the server decides), a definition has unknown or wrong fields, or a value is not of the right type. */
  | 'INVALID'
  /** Too much at once: of questions, of requests of this extension, or of requests to the server. */
  | 'BUSY'
  | 'CANCELLED'
  /** It has changed since the person accepted it. */
  | 'CHANGED'
  | 'TIMEOUT'
  /** The server is stopped, waits for the person, or cannot be used for another reason that the message gives. */
  | 'NOT_READY'
  /** The server answered with an error. */
  | 'PROTOCOL'
  /** The connection or the process ended, or something else failed that the message names. */
  | 'FAILED';
