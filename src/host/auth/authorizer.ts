import { computeScopeUnion } from '@modelcontextprotocol/client';
import { parsedJson } from '../../base/json';
import { phrase } from '../../base/phrase';
import { forgetsSession } from '../transport/postAnswer';
import { isTransportFault } from '../transport/transportFault';
import { AuthContext, type AuthOptions, accountOf, type Challenge, currentTokens, type Tokens } from './authContext';
import { cancelled, credentialsRefused, explainAuth, moreScopesNeeded, signInNeeded } from './authFaults';
import { DpopProofs } from './clientAuthentication';
import { tokenChallenge } from './discovery';
import { grantedTokens, IdentityContext, identityOf, providerOf } from './grantedTokens';
import { refresh, signOut } from './refresh';
import { signIn } from './signIn';

/** How long before its expiry an access token is renewed, in milliseconds, because a request takes time. */
const EARLY_MS = 30_000;
/** How often one request may ask a person for more permissions. */
const MAX_STEP_UPS = 3;
/** Methods that a person or model triggers. Only such a request may show a dialog. */
const ASKED = /^(tools\/call|prompts\/get|resources\/read|completion\/complete)$/;

/** Whether there is a valid sign-in. */
export interface SignedIn {
  issuer: string;
  /** Who signed in, if the authorization server said so. */
  account: string | undefined;
  scopes: readonly string[];
}

/**
 * Gives the requests to one MCP server their access token (spec: basic/authorization): the stored one, renewed on expiry, once
 * for all requests and windows. If a person is needed it rejects with that, and waits for `signIn`.
 */
export class Authorizer {
  readonly #context: AuthContext;
  /** Set if the person signs in at an identity provider instead of at this server alone. */
  readonly #identity: IdentityContext | undefined;
  readonly #abort = new AbortController();
  #tokens: Tokens | undefined;
  #issuer: string | undefined;
  #loaded: Promise<unknown> | undefined;
  #challenge: Challenge = {};
  #proofs: DpopProofs | undefined;
  #renewing: Promise<Tokens | undefined> | undefined;
  #signingIn: Promise<Tokens | undefined> | undefined;
  #ended = false;
  /** Permissions that the person declined to give. */
  readonly #declined = new Set<string>();

  constructor(options: AuthOptions) {
    this.#context = new AuthContext(options);
    const provider = providerOf(options.settings);
    this.#identity = provider && new IdentityContext(options, provider);
    this.#issuer = provider?.issuer;
  }

  get signedIn(): SignedIn | undefined {
    if (!this.#tokens || this.#issuer === undefined || this.#isMachine) return undefined;
    const scopes = this.#tokens.scope?.split(' ') ?? [];
    return { issuer: this.#issuer, account: accountOf(this.#tokens), scopes };
  }

  /** Whether an authorization server is known: from the server, from settings or from an earlier sign-in. */
  get offersSignIn(): boolean {
    const { settings } = this.#context;
    return this.#challenge.resourceMetadataUrl !== undefined || settings !== undefined || this.#issuer !== undefined;
  }

  /** Whether an earlier sign-in is no longer valid. */
  get ended(): boolean {
    return this.#ended;
  }

  /** `fetch` for the server's own origin. Rejects with a `TransportFault` if a person has to sign in. */
  async fetch(url: URL, init: RequestInit): Promise<Response> {
    // Ending a session renews no token and asks no question, because the caller does not wait for it.
    if (init.method === 'DELETE') return this.#send(url, init, this.#tokens);
    this.#loaded ??= this.#load();
    await this.#loaded;
    let renewed = false;
    for (let stepUps = 0; ; ) {
      const tokens = await this.#valid();
      const response = await this.#send(url, init, tokens);
      if (response.status === 401 && !(await forgetsSession(response, init))) {
        this.#remember(response);
        void response.body?.cancel().catch(() => {});
        const fresh = renewed ? undefined : await this.#renew(tokens?.access_token);
        if (!fresh) throw this.#needed(tokens);
        renewed = true;
      } else if (response.status === 403 && this.#remember(response) === 'insufficient_scope') {
        void response.body?.cancel().catch(() => {});
        if (stepUps++ === MAX_STEP_UPS) throw moreScopesNeeded(this.#challenge, this.#canConsent);
        await this.#stepUp(init);
      } else {
        return response;
      }
    }
  }

  /** Lets the person sign in. Rejects with a `TransportFault`. */
  async signIn(signal: AbortSignal): Promise<void> {
    this.#declined.clear();
    await this.#interact(signal);
  }

  /** @returns whether the authorization server was notified. */
  async signOut(): Promise<boolean> {
    const { signal } = this.#abort;
    let told = await signOut(this.#context, this.#challenge, signal);
    if (this.#identity) told = (await signOut(this.#identity, {}, signal)) || told;
    this.#ended = false;
    this.#use(undefined);
    return told;
  }

  /** Ends what is under way. */
  dispose(): void {
    this.#abort.abort();
  }

  /** Whether a person decides what the tokens allow: other grants give them without consent to each server. */
  get #canConsent(): boolean {
    const { grant } = this.#context.settings ?? {};
    return grant !== 'client_credentials' && grant !== 'jwt_bearer';
  }

  /** Whether a program signs in, so that a person can't. */
  get #isMachine(): boolean {
    return !this.#canConsent && !this.#identity;
  }

  async #load(): Promise<void> {
    const keyring = await this.#context.read();
    this.#issuer = this.#identity ? this.#issuer : keyring.issuer;
    this.#use(currentTokens(keyring));
  }

  #use(tokens: Tokens | undefined): void {
    if (tokens?.dpopKey?.d !== this.#proofs?.key.d) this.#proofs = tokens?.dpopKey && new DpopProofs(tokens.dpopKey);
    this.#tokens = tokens;
    this.#context.options.learn([tokens?.access_token, tokens?.refresh_token].filter(token => token !== undefined));
  }

  /** The tokens, renewed before they expire if possible. */
  async #valid(): Promise<Tokens | undefined> {
    const { refresh_token, expires_in = 0, expiresAt = Number.POSITIVE_INFINITY, access_token } = this.#tokens ?? {};
    const canRenew = refresh_token !== undefined || !this.#canConsent;
    // Tokens with a shorter life are used for half of it.
    const early = this.#canConsent ? EARLY_MS : Math.min(EARLY_MS, expires_in * 500);
    if (canRenew && expiresAt < Date.now() + early) await this.#renew(access_token);
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
    // Some refuse a proof only because of its nonce, and supply a new one.
    const wantsNonce = response.status === 401 && tokenChallenge(response).error === 'use_dpop_nonce';
    if (!proofs || again || !wantsNonce) return response;
    void response.body?.cancel().catch(() => {});
    return this.#send(url, init, tokens, true);
  }

  /** @returns the error that the server names. */
  #remember(response: Response): string | undefined {
    const { error, says, resourceMetadataUrl, scope, isDpop } = tokenChallenge(response);
    this.#challenge = {
      ...this.#challenge,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
      says,
      dpop: isDpop,
    };
    return error;
  }

  #needed(tokens: Tokens | undefined): unknown {
    this.#ended ||= tokens !== undefined;
    if (!this.#canConsent) return credentialsRefused(phrase('it rejects the access token that was just issued'));
    return signInNeeded(this.#ended, this.offersSignIn);
  }

  /** One renewal for all requests that need it. */
  async #renew(failed: string | undefined): Promise<Tokens | undefined> {
    if (this.#tokens && this.#tokens.access_token !== failed) return this.#tokens;
    const { signal } = this.#abort;
    const how = { challenge: this.#challenge, failed, proofs: () => this.#proofs, signal };
    this.#renewing ??= (this.#canConsent ? refresh(this.#context, how) : this.#granted()).finally(() => {
      this.#renewing = undefined;
    });
    const tokens = await this.#renewing;
    this.#ended ||= tokens === undefined && failed !== undefined;
    this.#use(tokens);
    return tokens;
  }

  async #granted(scope?: string): Promise<Tokens> {
    try {
      return await grantedTokens(this.#context, this.#challenge, this.#abort.signal, scope);
    } catch (error) {
      // The person can only solve it by signing in at their identity provider.
      if (this.#identity && isTransportFault(error)) throw error;
      const fault = explainAuth(error, this.#context.settings?.issuer ?? this.#context.options.url.host);
      throw isTransportFault(fault) && fault.code === 'UNAUTHORIZED' ? credentialsRefused(fault.phrase) : fault;
    }
  }

  /** More permissions for a request that needs them (spec: basic/authorization#step-up-authorization-flow). */
  async #stepUp({ body }: RequestInit): Promise<void> {
    const { scope = '', says } = this.#challenge;
    if (this.#isMachine || !isAsked(body) || this.#declined.has(scope))
      throw moreScopesNeeded({ scope, says }, this.#canConsent);
    // The organization decides, so the person is not asked.
    if (this.#identity) return this.#use(await this.#granted(this.#wanted()));
    try {
      await this.#interact(this.#abort.signal);
    } catch (error) {
      if ((error as { code?: string }).code !== cancelled().code) throw error;
      this.#declined.add(scope);
      throw moreScopesNeeded({ scope, says });
    }
  }

  /** The granted permissions and those still needed. */
  #wanted(): string | undefined {
    return computeScopeUnion(this.#context.settings?.scopes?.join(' '), this.#tokens?.scope, this.#challenge.scope);
  }

  /** One sign-in for all that need it. */
  async #interact(cancel: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([cancel, this.#abort.signal]);
    const identity = this.#identity;
    this.#signingIn ??= (
      identity ? this.#identify(identity, signal) : signIn(this.#context, this.#challenge, this.#wanted(), signal)
    ).finally(() => {
      this.#signingIn = undefined;
    });
    const tokens = await this.#signingIn;
    this.#ended = false;
    if (!identity) this.#issuer = (await this.#context.read()).issuer;
    this.#use(tokens);
  }

  /** Signs in at the identity provider, unless another server's sign-in did. The next request asks for tokens. */
  async #identify(identity: IdentityContext, signal: AbortSignal): Promise<undefined> {
    if (!(await identityOf(identity, signal))) await signIn(identity, {}, undefined, signal);
  }
}

const isAsked = (body: unknown): boolean => ASKED.test(Object(parsedJson(String(body))).method);
