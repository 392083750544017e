import { setTimeout as delay } from 'node:timers/promises';
import type { FetchLike, OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/client';
import type { JWK_EC_Private } from 'jose';
import { parsedJson } from '../../base/json';
import type { ServerDefinition } from '../definition/definition';
import type { AuthPort } from '../definition/ports';
import { isFetchFailure } from '../sdk/saidInWords';
import type { OAuthSettings } from '../settings';
import { WAITS_MS } from '../transport/backoff';
import { otherIssuer, unavailable } from './authFaults';
import { addressCheck, boundedFetch } from './boundedFetch';
import { type Discovery, discover, isSameIssuer } from './discovery';

export interface AuthOptions {
  port: AuthPort;
  server: ServerDefinition;
  /** Address of the MCP server. */
  url: URL;
  settings: OAuthSettings | undefined;
  /** The name under which the editor registers itself. */
  clientName: string;
  /** Called with every secret before it is used. @param isEntered whether the person typed it in: no server has named it */
  learn(secrets: Iterable<string>, isEntered?: boolean): void;
}

/** The challenge in a refused request (RFC 9728, 5.1). */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
  /** Why the request was refused, in the server's words. */
  says?: string | undefined;
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
    const { port } = this.options;
    const keyring = parseKeyring(await port.read(...this.place));
    this.#learn(keyring);
    return keyring;
  }

  async write(keyring: Keyring): Promise<void> {
    const { port } = this.options;
    this.#learn(keyring);
    await this.stillAlone?.();
    const isEmpty = Object.keys(keyring.byIssuer).length === 0;
    await port.write(...this.place, isEmpty ? undefined : JSON.stringify(keyring));
  }

  #learn(keyring: Keyring): void {
    const { learn } = this.options;
    learn(secretsOf(keyring));
    for (const { client, isEntered } of Object.values(keyring.byIssuer))
      if (isEntered && client.client_secret !== undefined) learn([String(client.client_secret)], isEntered);
  }

  /** Runs something while no other window does so for this server. @param run gets this context meanwhile. */
  alone<T>(run: (held: AuthContext) => Promise<T>): Promise<T> {
    return this.options.port.alone(...this.place, stillAlone => run(this.held(stillAlone)));
  }

  /** Rejects if the browser must not be led to an address, which is checked as those that requests go to. */
  async checkBrowserAddress(url: URL): Promise<void> {
    await addressCheck(this.base, this.#trusted)(url);
  }

  /** Origins that settings name. */
  get #trusted(): ReadonlySet<string> {
    const { issuer, authorizationUrl, tokenUrl, identityProvider } = this.options.settings ?? {};
    const named = [issuer, authorizationUrl, tokenUrl, identityProvider?.issuer, identityProvider?.tokenUrl];
    return new Set(named.flatMap(url => (url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [])));
  }

  fetchFor(signal: AbortSignal): FetchLike {
    const send = boundedFetch(this.base, signal, this.#trusted);
    return (...request) => {
      const attempt = async () => {
        await this.stillAlone?.();
        return send(...request);
      };
      return patiently(attempt, new URL(request[0]), request[1]?.method, signal);
    };
  }

  /** Rejects if the server names an authorization server that its entry does not allow, or only a failure suggests. */
  async discover({ resourceMetadataUrl }: Challenge, fetchFn: FetchLike): Promise<Discovery> {
    const { url } = this.options;
    const discovery = await discover(url, resourceMetadataUrl, fetchFn, this.settings);
    const { failure, metadata, issuer, audience } = discovery;
    const expected = this.settings?.issuer;
    const known = expected ?? (await this.read()).issuer;
    const isKnown = known !== undefined && [issuer, audience].some(one => isSameIssuer(one, known));
    if (failure && known !== undefined && !(isKnown && metadata)) throw failure;
    if (expected !== undefined && !isKnown) throw otherIssuer(expected, issuer);
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
 * sign-in. Rejects with a `TransportFault` when that lasts. A document whose request still gets 502 counts as missing: so some
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

/** The credentials that one authorization server gave for one MCP server. */
export interface Credentials {
  client: OAuthClientInformationMixed;
  redirectUri?: string;
  /** A person registered the client, and typed it in. */
  isEntered?: boolean;
  tokens?: Tokens;
}

export interface Tokens extends OAuthTokens {
  /** When the access token expires, in milliseconds since 1970; undefined if unknown. */
  expiresAt?: number;
  /** Private key that the tokens are bound to (RFC 9449), as a JWK. */
  dpopKey?: JWK_EC_Private;
}

/** Everything stored for one MCP server: its credentials by issuer, and which of them are current. */
export interface Keyring {
  issuer?: string;
  byIssuer: Record<string, Credentials>;
}

/** Reads what was stored. Unreadable data counts as nothing stored. */
export function parseKeyring(text: string | undefined): Keyring {
  try {
    const kept = JSON.parse(text ?? '') as Partial<Keyring>;
    const byIssuer = Object.entries(kept.byIssuer ?? {}).filter(
      ([, { client }]) => typeof client.client_id === 'string',
    );
    return { ...(typeof kept.issuer === 'string' && { issuer: kept.issuer }), byIssuer: Object.fromEntries(byIssuer) };
  } catch {
    return { byIssuer: {} };
  }
}

export function currentTokens({ issuer, byIssuer }: Keyring): Tokens | undefined {
  return issuer === undefined ? undefined : byIssuer[issuer]?.tokens;
}

/** @param before the tokens before the renewal: what the answer leaves out stays as it was (RFC 6749, 6). */
export function received(tokens: OAuthTokens, before?: Tokens): Tokens {
  const { expires_in } = tokens;
  return {
    ...(before?.refresh_token !== undefined && { refresh_token: before.refresh_token }),
    ...(before?.scope !== undefined && { scope: before.scope }),
    ...(before?.id_token !== undefined && { id_token: before.id_token }),
    ...(before?.dpopKey && { dpopKey: before.dpopKey }),
    ...tokens,
    ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1_000 }),
  };
}

/** Everything in a keyring that must never be shown or written elsewhere. */
function secretsOf({ byIssuer }: Keyring): string[] {
  return Object.values(byIssuer).flatMap(({ client, tokens }) =>
    [
      (client as { client_secret?: string }).client_secret,
      (client as { registration_access_token?: string }).registration_access_token,
      tokens?.access_token,
      tokens?.refresh_token,
      tokens?.id_token,
      tokens?.dpopKey?.d,
    ].filter(value => value !== undefined),
  );
}

/** Who signed in, according to the names in an ID token. It is not verified, because it is only shown. */
export function accountOf(tokens: Tokens | undefined): string | undefined {
  const { preferred_username, email, name } = claimsOf(tokens);
  return [preferred_username, email, name].find(value => typeof value === 'string') as string | undefined;
}

/** The claims of an ID token; empty if it is invalid. */
export function claimsOf(tokens: Tokens | undefined): Record<string, unknown> {
  return Object(parsedJson(Buffer.from(tokens?.id_token?.split('.')[1] ?? '', 'base64url').toString()));
}
