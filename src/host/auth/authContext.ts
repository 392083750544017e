import { setTimeout as delay } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { ServerDefinition } from '../definition/definition';
import type { AuthPort } from '../definition/ports';
import { isFetchFailure } from '../sdk/saidInWords';
import type { OAuthSettings } from '../settings';
import { WAITS_MS } from '../transport/backoff';
import { otherIssuer, unavailable } from './authFaults';
import { boundedFetch } from './boundedFetch';
import { type Keyring, parseKeyring, secretsOf } from './credentials';
import { type Discovery, discover } from './discovery';

/** The parameters of an authorizer. */
export interface AuthOptions {
  port: AuthPort;
  server: ServerDefinition;
  /** Address of the MCP server. */
  url: URL;
  settings: OAuthSettings | undefined;
  /** The name under which the editor registers itself. */
  clientName: string;
  /** Called with every secret before it is used. */
  learn(secrets: Iterable<string>): void;
}

/** The challenge in a refused request (RFC 9728, 5.1). */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
  /** It accepts only tokens that are bound to a key (RFC 9449). */
  dpop?: boolean;
}

/** The OAuth context of one MCP server: what is stored, and which authorization server to use. */
export class AuthContext {
  /** Whether the sign-in proves the person's identity instead of giving access to the server. */
  readonly isIdentity: boolean = false;

  /** @param stillAlone rejects if the lock has been lost, in which case nothing may be sent or stored. */
  constructor(
    readonly options: AuthOptions,
    private readonly stillAlone?: () => Promise<void>,
  ) {}

  get settings(): OAuthSettings | undefined {
    return this.options.settings;
  }

  async read(): Promise<Keyring> {
    const { port, learn } = this.options;
    const keyring = parseKeyring(await port.read(...this.place));
    learn(secretsOf(keyring));
    return keyring;
  }

  async write(keyring: Keyring): Promise<void> {
    const { port, learn } = this.options;
    learn(secretsOf(keyring));
    await this.stillAlone?.();
    const isEmpty = Object.keys(keyring.byIssuer).length === 0;
    await port.write(...this.place, isEmpty ? undefined : JSON.stringify(keyring));
  }

  /**
   * Runs something while no other window does the same for this server.
   * @param run gets this context for as long as the lock is held.
   */
  alone<T>(run: (held: AuthContext) => Promise<T>): Promise<T> {
    return this.options.port.alone(...this.place, stillAlone => run(this.held(stillAlone)));
  }

  fetchFor(signal: AbortSignal): FetchLike {
    const { issuer, identityProvider } = this.options.settings ?? {};
    const named = [issuer, identityProvider?.issuer, identityProvider?.tokenUrl];
    const trusted = named.filter(url => url !== undefined && URL.canParse(url)).map(url => new URL(url!).origin);
    const send = boundedFetch(this.base, signal, new Set(trusted));
    return (...request) => {
      const attempt = async () => {
        await this.stillAlone?.();
        return send(...request);
      };
      return patiently(attempt, new URL(request[0]), request[1]?.method, signal);
    };
  }

  /**
   * Rejects if the server names an authorization server other than the one that its settings entry allows, and if only a
   * failure makes it look as if it named another than before.
   */
  async discover({ resourceMetadataUrl }: Challenge, fetchFn: FetchLike): Promise<Discovery> {
    const { url } = this.options;
    const discovery = await discover(url, resourceMetadataUrl, fetchFn);
    const expected = this.settings?.issuer;
    const known = expected ?? (await this.read()).issuer;
    if (discovery.failure && known !== undefined && (known !== discovery.issuer || !discovery.metadata))
      throw discovery.failure;
    if (expected !== undefined && expected !== discovery.issuer) throw otherIssuer(expected, discovery.issuer);
    return discovery;
  }

  /** The address that decides which networks may be reached. */
  protected get base(): URL {
    return this.options.url;
  }

  /** Where its credentials are stored. */
  protected get place(): [server: ServerDefinition | undefined, resource: string] {
    return [this.options.server, this.options.url.href];
  }

  protected held(stillAlone: () => Promise<void>): AuthContext {
    return new AuthContext(this.options, stillAlone);
  }
}

/** Statuses of a server, or of a proxy before it, that will answer later. */
const PASSING_STATUS = new Set([429, 502, 503, 504]);
/** Codes of a network, a name server or a connection that fails for a moment. */
const PASSING_CODE = /^E(AI_AGAIN|CONN\w+|HOST\w+|NET\w+|NOTFOUND|PIPE|TIMEDOUT)$/;

/**
 * Sends a request again for as long as only the network or a passing status prevents an answer, which says nothing about the
 * sign-in. Rejects with an `HttpFault` when that lasts. A document whose request still gets 502 counts as missing: so some
 * proxies answer for each address that they do not know.
 */
async function patiently(
  send: () => Promise<Response>,
  url: URL,
  method: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const answer = await send().catch((error: unknown) => passingIn(error) ?? Promise.reject(error));
    if (answer instanceof Response && !PASSING_STATUS.has(answer.status)) return answer;
    const waitMs = WAITS_MS[tries];
    if (waitMs !== undefined) await delay(waitMs, undefined, { signal });
    else if (!(answer instanceof Response)) throw unavailable(url, String(answer.code));
    else if (answer.status === 502 && method !== 'POST') return answer;
    else throw unavailable(url, `HTTP ${answer.status}`);
  }
}

/** The system's error behind a request that got no answer, if another attempt may get one. */
function passingIn(error: unknown): NodeJS.ErrnoException | undefined {
  const cause = error instanceof Error && isFetchFailure(error) ? (error.cause as NodeJS.ErrnoException) : undefined;
  return PASSING_CODE.test(cause?.code ?? '') ? cause : undefined;
}
