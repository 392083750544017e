import type { Implementation } from '@modelcontextprotocol/client';
import { HostError } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import type { Authorizer, SignedIn } from '../auth/authorizer';
import type { HeadersHelper, RemoteAccess } from '../auth/headersHelper';
import type { ServerDefinition } from '../definition/definition';
import type { GuardedPorts } from '../secrets/redactor';
import type { RemoteEntry } from '../settings';
import { isSocket } from '../settings/entryTexts';

const SIGN_IN = phrase('sign in');
const SIGNED_OUT = phrase('you signed out');

/** The parts of its connection that an account needs. */
interface Owner {
  readonly definition: ServerDefinition;
  start(reason: Phrase): Promise<void>;
  stop(reason: Phrase): Promise<void>;
  restart(reason: Phrase): Promise<void>;
}

/** The sign-in of one remote server (spec: basic/authorization). Its code is loaded when the server is reached. */
export class Account {
  #authorizer: Authorizer | undefined;
  #helper: HeadersHelper | undefined;
  /** Why signing in is no longer possible. */
  #gone: HostError | undefined;

  constructor(
    private readonly owner: Owner,
    private readonly clientInfo: Implementation,
    private readonly ports: GuardedPorts,
  ) {}

  get signedIn(): SignedIn | undefined {
    return this.#authorizer?.signedIn;
  }

  /** Whether there is an authorization server to sign in at, as far as is known. */
  get offersSignIn(): boolean {
    return this.#authorizer?.offersSignIn ?? false;
  }

  /** Whether an earlier sign-in is no longer valid, so that the person has to sign in again. */
  get signInEnded(): boolean {
    return this.#authorizer?.ended ?? false;
  }

  /** What gives the requests of one session their credentials. @param isAgain whether it follows a session that was lost */
  access(entry: RemoteEntry, isAgain: boolean): RemoteAccess {
    const server = this.owner.definition;
    const known = isAgain && this.#helper?.isOf(server, entry) ? this.#helper : undefined;
    const { HeadersHelper } = loadRemote();
    this.#helper = entry.headersHelper && (known ?? new HeadersHelper(server, entry, this.ports));
    return { authorize: this.#authorize(entry), helper: this.#helper };
  }

  /** Adds the token of a sign-in. Undefined: none is possible, a header is enough, or a socket has no origin. */
  #authorize(entry: RemoteEntry): RemoteAccess['authorize'] {
    const { url, oauth } = entry;
    const { auth: port, redactor } = this.ports;
    this.#authorizer?.dispose();
    this.#authorizer = undefined;
    if (!port || hasAuthorization(entry) || isSocket(url)) return undefined;
    const { Authorizer } = loadRemote();
    const server = this.owner.definition;
    const { title, name } = this.clientInfo;
    const learn = (secrets: Iterable<string>, isEntered = false) =>
      isEntered ? redactor.learn(server.id, secrets) : redactor.learnTokens(server.id, secrets);
    const clientName = title ?? name;
    const authorizer = new Authorizer({ port, server, url: new URL(url), settings: oauth, clientName, learn });
    this.#authorizer = authorizer;
    return (target, init) => authorizer.fetch(target, init);
  }

  /** Lets the person sign in, then starts the server. Rejects with a `HostError`. */
  async signIn(signal: AbortSignal): Promise<void> {
    const definition = this.owner.definition;
    if (this.#gone) throw this.#gone;
    // Its program signs in.
    if (this.#helper && !this.#authorizer) return this.owner.start(phrase('you signed in'));
    try {
      if (!this.#authorizer) throw this.#notAsked();
      await this.#authorizer.signIn(signal);
    } catch (error) {
      throw this.ports.redactor.error(loadRemote().explain(error, { definition, action: SIGN_IN }));
    }
    await this.owner.start(phrase('you signed in'));
  }

  /** Deletes the sign-in, and revokes it if the authorization server supports that. @returns whether it was revoked. */
  async signOut(): Promise<boolean> {
    // Ending the session on the server still needs the token that is deleted afterwards.
    await this.owner.stop(SIGNED_OUT);
    try {
      return (await this.#authorizer?.signOut()) ?? false;
    } finally {
      // A request may have restarted it meanwhile, with the old tokens.
      await this.owner.restart(SIGNED_OUT);
    }
  }

  /** Ends everything in progress, including a sign-in that is open in the browser. */
  dispose(why: HostError): void {
    this.#gone = why;
    this.#authorizer?.dispose();
  }

  #notAsked(): HostError {
    return new HostError({
      code: 'NOT_READY',
      server: this.owner.definition.name,
      action: SIGN_IN,
      reason: phrase('it has not required you to sign in'),
      remedy: phrase('Start it first.'),
    });
  }
}

/** Loads what is needed first with a server over HTTP, or one that fails. */
export const loadRemote = () => require('./remote') as typeof import('./remote');

/** Whether settings configure credentials, as a header or a program that prints it, which rules out a sign-in. */
export function hasAuthorization(entry: ServerDefinition['entry']): boolean {
  if (!entry || entry.type === 'stdio') return false;
  if (entry.headersHelper && !entry.oauth) return true;
  return Object.keys(entry.headers).some(name => name.toLowerCase() === 'authorization');
}
