import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitRequest,
  ElicitRequestURLParams,
  ElicitResult,
  LoggingLevel,
  Root,
} from '@modelcontextprotocol/client';
import type { Event } from '../base/events';
import type { Phrase } from '../base/phrase';
import type { ServerDefinition, ServerId } from './definition';
import type { ServerEntry } from './settings';

/** One line for a server's log. */
export interface LogEntry {
  /** `server`: `notifications/message`; `stderr`, `stdout`: its streams; `lifecycle`: what the host did with it. */
  source: 'server' | 'stderr' | 'stdout' | 'lifecycle';
  level: LoggingLevel;
  /** `logger` of `notifications/message`. */
  logger?: string;
  /** A string, or any JSON value from `notifications/message`. */
  data: unknown;
}

/** Where log lines go. Must be cheap and must not throw. */
export interface LogPort {
  log(definition: ServerDefinition, entry: LogEntry): void;
  /** Least severe message that is wanted of a server now. Absent, or undefined: what its settings entry says. */
  level?(definition: ServerDefinition): LoggingLevel | undefined;
  /** Another level is wanted of this server. */
  readonly onDidChangeLevel?: Event<ServerId>;
}

/** The roots that servers may see (spec: client/roots). Only `file:` URIs. */
export interface RootsPort {
  /** Asked anew for each answer: folders come and go. */
  list(server: ServerDefinition): Root[];
  readonly onDidChange: Event<void>;
}

/** Asks a language model for a server, with a person in the loop (spec: client/sampling). */
export interface SamplingPort {
  /** What is declared to this server; undefined when it may not ask, or there is no model. */
  capability(server: ServerDefinition): ClientCapabilities['sampling'];
  /** Rejects with a `ProtocolError` that the server gets as it is: `-1` when the person refuses. */
  createMessage(
    server: ServerDefinition,
    params: CreateMessageRequest['params'],
    signal: AbortSignal,
  ): Promise<CreateMessageResult | CreateMessageResultWithTools>;
}

/** Asks the person for a server (spec: client/elicitation). */
export interface ElicitationPort {
  /** What is declared to this server; undefined when it may not ask. */
  capability(server: ServerDefinition): ClientCapabilities['elicitation'];
  elicit(server: ServerDefinition, params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
  /**
   * A request was refused until the person has visited these pages. True when it is to be made again: they have, and say so
   * (spec 2025-11-25: client/elicitation#url-elicitation-required-error).
   */
  visit(
    server: ServerDefinition,
    urls: readonly ElicitRequestURLParams[],
    signal: AbortSignal | undefined,
  ): Promise<boolean>;
  /** What the person was sent to a URL for is done. */
  completed(server: ServerDefinition, elicitationId: string): void;
}

/** What is remembered of servers from window to window. Never rejects: what is lost costs only time. */
export interface MemoryPort {
  /** JSON, or undefined when nothing is kept under this key. The reader checks its shape. */
  read(key: string): Promise<unknown>;
  /** `undefined` forgets. */
  write(key: string, value: unknown): Promise<void>;
}

/** May this be launched, and as what? */
export type Admission =
  /** Yes: as settings say, with what only a person or a secret store knows filled in; which of that is to stay secret. */
  | { readonly entry: ServerEntry; readonly secrets?: readonly string[] }
  /** Not before a person has done something. `reason` completes "could not start: ". */
  | { readonly needs: 'needsTrust' | 'needsInput'; readonly reason: Phrase | string; readonly remedy: Phrase | string };

/** Asked before every launch. Waits for no person: who allows the server later starts it again. */
export interface LaunchPort {
  admit(definition: ServerDefinition): Promise<Admission>;
}

/** One way for the answer of an authorization server to come back. */
export interface Redirect {
  readonly uri: string;
  /** The parameters of the answer. Never comes when there is none. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

/** A person is to be asked whether they want to sign in. */
export interface AuthorizationRequest {
  readonly server: ServerDefinition;
  /** Of the authorization server. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** To be opened in a browser. */
  readonly url: URL;
  readonly redirect: Redirect;
}

/** Keeps sign-ins and lets a person sign in (spec: basic/authorization). */
export interface AuthPort {
  /** What is kept of a server at this address: a secret, which no other server may get. */
  read(server: ServerDefinition, resource: string): Promise<string | undefined>;
  /** `undefined` forgets. */
  write(server: ServerDefinition, resource: string, value: string | undefined): Promise<void>;
  /**
   * Runs while nobody else, in no window, runs something for this server and address.
   * @param run is given what rejects when somebody does after all, as this window was frozen for long: to be asked before
   * what must not be done twice. It is run again then.
   */
  alone<T>(
    server: ServerDefinition,
    resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** Of a Client ID Metadata Document that describes this host. Absent: there is none. */
  readonly clientMetadataUrl?: string;
  /** How many minutes a person may take in the browser. Default: 10. */
  readonly limitMinutes?: number;
  /**
   * Opens a way back: the first, or when that was refused a further one. Undefined: there is no other.
   * @param uri the one that settings want.
   */
  openRedirect(
    way: number,
    options: { server: ServerDefinition; state: string; uri: string | undefined },
  ): Promise<Redirect | undefined>;
  /** Asks the person, opens the browser and waits for the answer. Undefined: they do not want to. */
  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<URLSearchParams | undefined>;
}

/** Everything the host needs from the editor it runs in. */
export interface HostPorts {
  log: LogPort;
  roots: RootsPort;
  /** Absent: servers may not ask. */
  sampling?: SamplingPort;
  elicitation?: ElicitationPort;
  memory: MemoryPort;
  /** Absent: nobody can sign in. */
  auth?: AuthPort;
  /** Absent: everything may be launched. */
  launch?: LaunchPort;
  /** PATH for local servers: that of the person's login shell. Undefined: keep the host's own. */
  shellPath(): Promise<string | undefined>;
  /** Reads an `envFile`. Rejects when it is not there. */
  readFile(path: string): Promise<string>;
}
