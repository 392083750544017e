import type { FetchLike } from '@modelcontextprotocol/client';
import type { ServerDefinition } from '../definition';
import type { AuthPort } from '../ports';
import { boundedFetch } from './boundedFetch';
import { type Keyring, parseKeyring, secretsOf } from './credentials';
import { type Discovery, discover } from './discovery';
import { otherIssuer } from './faults';
import type { AuthSdk } from './sdk';
import type { OAuthSettings } from './settings';

/** What an authorizer is made of. */
export interface AuthOptions {
  sdk: AuthSdk;
  port: AuthPort;
  server: ServerDefinition;
  /** Of the MCP server. */
  url: URL;
  settings: OAuthSettings | undefined;
  /** What the editor calls itself where it registers. */
  clientName: string;
  /** Hears of every secret before it is used. */
  learn(secrets: Iterable<string>): void;
}

/** What a server said when it refused a request (RFC 9728, 5.1). */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
  /** It takes only tokens that are bound to a key (RFC 9449). */
  dpop?: boolean;
}

/** One MCP server's side of OAuth: what is kept, and whom to ask. */
export class AuthContext {
  /** @param stillAlone rejects when what runs alone does so no more: nothing is sent or kept then. */
  constructor(
    readonly options: AuthOptions,
    private readonly stillAlone?: () => Promise<void>,
  ) {}

  get settings(): OAuthSettings | undefined {
    return this.options.settings;
  }

  async read(): Promise<Keyring> {
    const { port, server, url, learn } = this.options;
    const keyring = parseKeyring(await port.read(server, url.href));
    learn(secretsOf(keyring));
    return keyring;
  }

  async write(keyring: Keyring): Promise<void> {
    const { port, server, url, learn } = this.options;
    learn(secretsOf(keyring));
    await this.stillAlone?.();
    const isEmpty = Object.keys(keyring.byIssuer).length === 0;
    await port.write(server, url.href, isEmpty ? undefined : JSON.stringify(keyring));
  }

  /**
   * Runs while no other window does the same for this server.
   * @param run is given this context for as long as that holds.
   */
  alone<T>(run: (held: AuthContext) => Promise<T>): Promise<T> {
    const { port, server, url } = this.options;
    return port.alone(server, url.href, stillAlone => run(new AuthContext(this.options, stillAlone)));
  }

  fetchFor(signal: AbortSignal): FetchLike {
    const { issuer, identityProvider } = this.settings ?? {};
    const named = [issuer, identityProvider?.tokenUrl].filter(url => url !== undefined && URL.canParse(url));
    const send = boundedFetch(this.options.url, signal, new Set(named.map(url => new URL(url!).origin)));
    return async (...request) => {
      await this.stillAlone?.();
      return send(...request);
    };
  }

  /** Rejects when the server names another authorization server than its settings entry allows. */
  async discover({ resourceMetadataUrl }: Challenge, fetchFn: FetchLike): Promise<Discovery> {
    const { sdk, url } = this.options;
    const discovery = await discover(sdk, url, resourceMetadataUrl, fetchFn);
    const expected = this.settings?.issuer;
    if (expected !== undefined && expected !== discovery.issuer) throw otherIssuer(expected, discovery.issuer);
    return discovery;
  }
}
