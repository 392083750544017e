import { phrase } from '../../base/phrase';
import { isHttpFault } from '../transport/httpFault';
import { AuthContext, type AuthOptions, type Challenge } from './context';
import { accountOf, currentTokens, type Tokens } from './credentials';
import { DpopProofs } from './dpop';
import { cancelled, credentialsRefused, explainAuth, moreScopesNeeded, signInNeeded } from './faults';
import { isMachine, machineTokens } from './machine';
import { refresh } from './refresh';
import { signOut } from './revoke';
import { signIn } from './signIn';

/** How long before its expiry an access token is renewed, in milliseconds, because a request takes time. */
const EARLY_MS = 30_000;
/** How often one request may ask a person for more permissions. */
const MAX_STEP_UPS = 3;
/** Methods that a person or a model asks for. Only such a request may show the person something. */
const ASKED = /^(tools\/call|prompts\/get|resources\/read|completion\/complete)$/;

/** Whether there is a valid sign-in. */
export interface SignedIn {
  issuer: string;
  /** Who signed in, if the authorization server said so. */
  account: string | undefined;
  scopes: readonly string[];
}

/**
 * Gives the requests to one MCP server their access token (spec: basic/authorization): the stored one, renewed on expiry,
 * once for all requests and windows. If a person is needed it says so, and waits for `signIn`.
 */
export class Authorizer {
  readonly #context: AuthContext;
  readonly #abort = new AbortController();
  #tokens: Tokens | undefined;
  #issuer: string | undefined;
  #loaded: Promise<unknown> | undefined;
  #challenge: Challenge = {};
  #proofs: DpopProofs | undefined;
  #renewing: Promise<Tokens | undefined> | undefined;
  #signingIn: Promise<Tokens> | undefined;
  #ended = false;
  /** Permissions that the person declined to give. */
  readonly #declined = new Set<string>();

  constructor(options: AuthOptions) {
    this.#context = new AuthContext(options);
  }

  get signedIn(): SignedIn | undefined {
    if (!this.#tokens || this.#issuer === undefined || isMachine(this.#context.settings)) return undefined;
    const scopes = this.#tokens.scope?.split(' ') ?? [];
    return { issuer: this.#issuer, account: accountOf(this.#tokens), scopes };
  }

  /** There was a sign-in that is no longer valid. */
  get ended(): boolean {
    return this.#ended;
  }

  /** `fetch` for the server's own origin. Rejects with an `HttpFault` if a person has to sign in. */
  async fetch(url: URL, init: RequestInit): Promise<Response> {
    // For the end of a session nothing is renewed and nobody is asked, because whoever closes it does not wait for that.
    if (init.method === 'DELETE') return this.#send(url, init, this.#tokens);
    this.#loaded ??= this.#load();
    await this.#loaded;
    let renewed = false;
    for (let stepUps = 0; ; ) {
      const tokens = await this.#valid();
      const response = await this.#send(url, init, tokens);
      if (response.status === 401) {
        this.#remember(response);
        void response.body?.cancel().catch(() => {});
        const fresh = renewed ? undefined : await this.#renew(tokens?.access_token);
        if (!fresh) throw this.#needed(tokens);
        renewed = true;
      } else if (response.status === 403 && this.#remember(response) === 'insufficient_scope') {
        void response.body?.cancel().catch(() => {});
        if (stepUps++ === MAX_STEP_UPS) throw moreScopesNeeded(this.#challenge.scope);
        await this.#stepUp(init);
      } else {
        return response;
      }
    }
  }

  /** Lets the person sign in. Rejects with an `HttpFault`. */
  async signIn(signal: AbortSignal): Promise<void> {
    this.#declined.clear();
    await this.#interact(signal);
  }

  /** @returns whether the authorization server was told. */
  async signOut(): Promise<boolean> {
    const told = await signOut(this.#context, this.#challenge, this.#abort.signal);
    this.#ended = false;
    this.#use(undefined);
    return told;
  }

  /** Ends what is under way. */
  dispose(): void {
    this.#abort.abort();
  }

  async #load(): Promise<void> {
    const keyring = await this.#context.read();
    this.#issuer = keyring.issuer;
    this.#use(currentTokens(keyring));
  }

  #use(tokens: Tokens | undefined): void {
    if (tokens?.dpopKey?.d !== this.#proofs?.key.d) this.#proofs = tokens?.dpopKey && new DpopProofs(tokens.dpopKey);
    this.#tokens = tokens;
    this.#context.options.learn([tokens?.access_token, tokens?.refresh_token].filter(token => token !== undefined));
  }

  /** The tokens, renewed before they expire if possible. */
  async #valid(): Promise<Tokens | undefined> {
    const { refresh_token, expiresAt = Number.POSITIVE_INFINITY, access_token } = this.#tokens ?? {};
    if (refresh_token !== undefined && expiresAt < Date.now() + EARLY_MS) await this.#renew(access_token);
    return this.#tokens;
  }

  async #send(url: URL, init: RequestInit, tokens: Tokens | undefined, again = false): Promise<Response> {
    if (!tokens) return fetch(url, init);
    const headers = new Headers(init.headers);
    const { access_token: accessToken, token_type } = tokens;
    const proofs = token_type.toLowerCase() === 'dpop' ? this.#proofs : undefined;
    headers.set('authorization', `${proofs ? 'DPoP' : 'Bearer'} ${accessToken}`);
    if (proofs) headers.set('dpop', await proofs.buildProof({ htm: init.method ?? 'GET', htu: url, accessToken }));
    const response = await fetch(url, { ...init, headers });
    proofs?.observeNonce(response, url);
    if (!proofs || again || !wantsNonce(response)) return response;
    void response.body?.cancel().catch(() => {});
    return this.#send(url, init, tokens, true);
  }

  /** @returns the error that the server names. */
  #remember(response: Response): string | undefined {
    const { sdk } = this.#context.options;
    const { error, resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
    const isDpop = /^\s*dpop\b/i.test(response.headers.get('www-authenticate') ?? '');
    this.#challenge = {
      ...this.#challenge,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
      dpop: isDpop,
    };
    return error;
  }

  #needed(tokens: Tokens | undefined): unknown {
    this.#ended ||= tokens !== undefined;
    if (isMachine(this.#context.settings))
      return credentialsRefused(phrase('it rejects the access token that was just issued'));
    return signInNeeded(this.#ended);
  }

  /** One renewal for all requests that need it. */
  async #renew(failed: string | undefined): Promise<Tokens | undefined> {
    if (this.#tokens && this.#tokens.access_token !== failed) return this.#tokens;
    this.#renewing ??= this.#newTokens(failed).finally(() => {
      this.#renewing = undefined;
    });
    const tokens = await this.#renewing;
    this.#ended ||= tokens === undefined && failed !== undefined;
    this.#use(tokens);
    return tokens;
  }

  async #newTokens(failed: string | undefined): Promise<Tokens | undefined> {
    const { signal } = this.#abort;
    if (!isMachine(this.#context.settings)) {
      return refresh(this.#context, this.#challenge, failed, () => this.#proofs, signal);
    }
    try {
      return await machineTokens(this.#context, this.#challenge, signal);
    } catch (error) {
      const fault = explainAuth(error, this.#context.settings?.issuer ?? this.#context.options.url.host);
      // Nobody can sign in for a program.
      throw isHttpFault(fault) && fault.code === 'UNAUTHORIZED' ? credentialsRefused(fault.phrase) : fault;
    }
  }

  /** More permissions for a request that needs them (spec: basic/authorization#step-up-authorization-flow). */
  async #stepUp({ body }: RequestInit): Promise<void> {
    const { scope = '' } = this.#challenge;
    if (isMachine(this.#context.settings) || !isAsked(body) || this.#declined.has(scope)) throw moreScopesNeeded(scope);
    try {
      await this.#interact(this.#abort.signal);
    } catch (error) {
      if ((error as { code?: string }).code !== cancelled().code) throw error;
      this.#declined.add(scope);
      throw moreScopesNeeded(scope);
    }
  }

  /** One sign-in for all that need it. */
  async #interact(signal: AbortSignal): Promise<void> {
    const { sdk } = this.#context.options;
    const scope = sdk.computeScopeUnion(
      this.#context.settings?.scopes?.join(' '),
      this.#tokens?.scope,
      this.#challenge.scope,
    );
    this.#signingIn ??= signIn(
      this.#context,
      this.#challenge,
      scope,
      AbortSignal.any([signal, this.#abort.signal]),
    ).finally(() => {
      this.#signingIn = undefined;
    });
    const tokens = await this.#signingIn;
    this.#ended = false;
    this.#issuer = (await this.#context.read()).issuer;
    this.#use(tokens);
  }
}

function isAsked(body: unknown): boolean {
  try {
    return ASKED.test(JSON.parse(String(body)).method);
  } catch {
    return false;
  }
}

/** Whether a server refuses a proof only because of its nonce, and supplies a new one. */
function wantsNonce(response: Response): boolean {
  return response.status === 401 && /\bdpop\b.*use_dpop_nonce/i.test(response.headers.get('www-authenticate') ?? '');
}
