import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitRequest,
  ElicitRequestURLParams,
  ElicitResult,
  JSONRPCRequest,
  JSONRPCResponse,
  LoggingLevel,
  RequestId,
  Root,
} from '@modelcontextprotocol/client';
import type { Event } from '../../base/events';
import type { SandboxGrant, SandboxSetting } from '../settings/sandboxRules';
import type { KeptScope, ServerDefinition, ServerId } from './definition';
import type { LaunchGate } from './launchGate';

/** One line for a server's log. */
export interface LogEntry {
  /** `server`: `notifications/message`; `stderr`, `stdout`: its streams; `lifecycle`: what the host did. */
  source: 'server' | 'stderr' | 'stdout' | 'lifecycle';
  level: LoggingLevel;
  /** `logger` of `notifications/message`. */
  logger?: string;
  /** A string, or any JSON value from `notifications/message`. */
  data: unknown;
}

/** Receives log lines. Must be cheap and must not throw. */
export interface LogPort {
  log(definition: ServerDefinition, entry: LogEntry): void;
  /** The least severe level wanted from a server now. Absent or undefined: the level in its settings entry. */
  level?(definition: ServerDefinition): LoggingLevel | undefined;
  /** Fires when another level is wanted from this server. */
  readonly onDidChangeLevel?: Event<ServerId>;
}

/** The roots that servers may see (spec: client/roots). Only `file:` URIs. */
export interface RootsPort {
  /** Called for each answer, because folders come and go. */
  list(server: ServerDefinition): Root[];
  readonly onDidChange: Event<void>;
}

/** Asks a language model on behalf of a server, with a person in the loop (spec: client/sampling). */
export interface SamplingPort {
  /** The capability declared to this server; undefined if it may not ask, or if there is no model. */
  capability(server: ServerDefinition): ClientCapabilities['sampling'];
  /** Rejects with a `ProtocolError` that is passed on to the server unchanged: `-1` if the person refuses. */
  createMessage(
    server: ServerDefinition,
    params: CreateMessageRequest['params'],
    signal: AbortSignal,
  ): Promise<CreateMessageResult | CreateMessageResultWithTools>;
}

/** The most fields of a form: nobody would answer more in one go. */
export const MAX_FIELDS = 50;

/** Asks the person on behalf of a server (spec: client/elicitation). */
export interface ElicitationPort {
  /** The capability declared to this server; undefined if it may not ask. */
  capability(server: ServerDefinition): ClientCapabilities['elicitation'];
  elicit(server: ServerDefinition, params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
  /**
   * A request was refused until the person has visited these pages. Resolves with true if it should be repeated: they have, and
   * confirm it (spec 2025-11-25: client/elicitation#url-elicitation-required-error).
   */
  visit(
    server: ServerDefinition,
    urls: readonly ElicitRequestURLParams[],
    signal: AbortSignal | undefined,
  ): Promise<boolean>;
  /** Called when the server reports that a URL elicitation is complete. */
  completed(server: ServerDefinition, elicitationId: string): void;
}

/** Stores facts about servers across windows. Never rejects: losing one only costs time. */
export interface MemoryPort {
  /** JSON, or undefined if nothing is stored under this key. The caller checks its shape. */
  read(key: string): Promise<unknown>;
  /** `undefined` forgets. */
  write(key: string, value: unknown): Promise<void>;
}

/** Stores a value for each scope, out of reach of settings and of what is in a workspace. */
export interface ScopedStore {
  /** A `ProgramStore` is none for other values. */
  readonly ofPrograms?: false;
  /** As some version of this extension has stored it: the caller checks its shape. */
  get(scope: KeptScope): unknown;
  /** Rejects when it is not kept: what was forbidden or revoked must not come back. */
  set(scope: KeptScope, value: object): Promise<void>;
}

/** One way for the answer from an authorization server to come back. */
export interface Redirect {
  readonly uri: string;
  /** The parameters of the answer. Stays pending if there is none. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

/** A request to ask the person whether they want to sign in. */
export interface AuthorizationRequest {
  readonly server: ServerDefinition;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** To be opened in a browser. */
  readonly url: URL;
  readonly redirect: Redirect;
  /** Whether it is a sign-in at an identity provider, for all servers that name it. */
  readonly isShared: boolean;
}

export interface RedirectOptions {
  readonly server: ServerDefinition;
  readonly state: string;
  /** The one in settings: no other may be used. */
  readonly uri: string | undefined;
  /** The one of the last sign-in. Reusing it saves a registration. */
  readonly before: string | undefined;
}

/** Keeps sign-ins and lets a person sign in (spec: basic/authorization). */
export interface AuthPort {
  /** The secret of a server's sign-in. @param server undefined at an identity provider; `resource` is then the key. */
  read(server: ServerDefinition | undefined, resource: string): Promise<string | undefined>;
  /** `undefined` forgets. */
  write(server: ServerDefinition | undefined, resource: string, value: string | undefined): Promise<void>;
  /**
   * Runs something while no other code, in any window, runs something for this server and address.
   * @param run gets a function that rejects if the lock was lost because this window was frozen for long. Call it before
   * anything that must not be done twice. `run` is then repeated.
   */
  alone<T>(
    server: ServerDefinition | undefined,
    resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** URL of a Client ID Metadata Document that describes this host. Absent: there is none. */
  readonly clientMetadataUrl?: string | undefined;
  /** How many minutes a person may take in the browser. Default: 10. */
  readonly limitMinutes?: number;
  /** Opens a redirect: the first, or the next after a refused one. Undefined: no other. Rejects if it can't. */
  openRedirect(way: number, options: RedirectOptions): Promise<Redirect | undefined>;
  /** Asks for the client ID at an authorization server that registers none itself. Undefined: declined. */
  askClient(
    request: { server: ServerDefinition; issuer: string; redirectUri: string },
    signal: AbortSignal,
  ): Promise<{ clientId: string; clientSecret?: string } | undefined>;
  /** Asks the person, opens the browser and waits for the answer. Undefined: they decline. */
  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<URLSearchParams | undefined>;
}

/** Settings and questions for sandboxes. Settings are read at each start. */
export interface SandboxPort {
  setting(): SandboxSetting;
  /** Whether the organization demands that a server is confined: it must not run otherwise. */
  isDemanded(server: Pick<ServerDefinition, 'fromWorkspace'>): boolean;
  /** Whether confined programs get all variables of the editor's environment. */
  inheritsAll(): boolean;
  /** Whether the person watches what a server needs: it then runs confined but may reach every host. */
  isWatched(server: ServerDefinition): boolean;
  /** Whether the person wants its next start, and no other, without a sandbox. Asking uses that up. */
  runsFreeOnce(server: ServerDefinition): boolean;
  /** The person's grants to a server in addition to its entry. Read at each start, and for each host. */
  granted(server: ServerDefinition): SandboxGrant;
  /** Asks the person about a host that is not allowed yet. Resolves soon with whether it may be reached. */
  askHost(server: ServerDefinition, host: string): Promise<boolean>;
  /** The limits of the organization, as they are now. Undefined: it sets none. */
  limits(): NetworkLimits | undefined;
  /** Watches a folder for what appears in it. @returns a function that ends that */
  watch(folder: string, changed: () => void): () => void;
  /** Path of the folder that holds the cache folders of confined servers. What was moved away lies beside it. */
  readonly storage: string;
  /** Path of the program that passes connections out of sandboxes. */
  readonly bridge: string;
}

/** What an organization says about the network of confined programs. */
export interface NetworkLimits {
  /** All hosts that they may reach, in the form of `sandbox.network`. Absent: that is up to the person. */
  readonly hosts?: readonly string[] | undefined;
  /** Hosts that packages are fetched from. */
  readonly sources: readonly string[];
}

/** What starting a program takes. */
export type ProgramPorts = Pick<HostPorts, 'launch' | 'sandbox' | 'roots' | 'shellPath'>;

/** Everything the host needs from the editor it runs in. */
export interface HostPorts {
  log: LogPort;
  roots: RootsPort;
  /** Absent: servers may not ask. */
  sampling?: SamplingPort;
  elicitation?: ElicitationPort;
  memory: MemoryPort;
  /** Absent: sign-in is not possible. */
  auth?: AuthPort;
  /** Whether apps of servers are shown (MCP Apps). */
  drawsApps?: boolean;
  /** Every launch passes it. */
  launch: LaunchGate;
  sandbox: SandboxPort;
  /** PATH for local servers: that of the person's login shell. Undefined: keep the host's own. */
  shellPath(): Promise<string | undefined>;
  /** Watches requests to servers, for telemetry. Absent: nothing does. */
  watch?: WatchSession;
}

/** A session with a server. The object stays the same as long as the session lives. */
export interface WatchedSession {
  readonly server: ServerDefinition;
  /** Value of `performance.now()` when it began. */
  readonly began: number;
  /** The version of the protocol; undefined during the handshake. */
  readonly protocolVersion: string | undefined;
  /** The server's id of the session, over HTTP until 2025-11-25 (spec: basic/transports#session-management). */
  readonly id: string | undefined;
  /** Strikes out secrets. */
  redact(text: string): string;
}

/** Watches the requests of one session. Must be cheap, and must not throw. */
export interface RequestWatch {
  /** Called before a request is sent. @returns what is sent instead. */
  sending(request: JSONRPCRequest): JSONRPCRequest;
  /** Called with each answer, before its receiver gets it. */
  answered(answer: JSONRPCResponse): void;
  /** Called when a request could not be sent, or is given up, with the reason. */
  failed(id: RequestId, reason: unknown): void;
  closed(): void;
}

/** Finds the watch of a session. Asked for each message; undefined while nothing is watched. */
export type WatchSession = (session: WatchedSession) => RequestWatch | undefined;
