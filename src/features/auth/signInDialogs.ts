import { setTimeout as delay } from 'node:timers/promises';
import { phrase } from '../../base/phrase';
import { whenAborted } from '../../base/queue';
import { plain, visible } from '../../base/text';
import { abortOn, tokenOf } from '../../editor/dialogs';
import { errorText, localized } from '../../editor/errorText';
import { pickServer, serverOf } from '../../editor/pickServer';
import { joined, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { AuthorizationRequest, AuthPort } from '../../host/definition';
import { exceptionsIn, givenUpBy } from '../../host/settings';
import { askConsent } from '../review';

import vscode = require('vscode');

/** How long after the browser was opened the person is offered to paste the answer themselves. */
const PASTE_AFTER_MS = 10_000;

export class SignInDialogs {
  constructor(private readonly servers: ServerSet) {}

  async authorize(
    request: AuthorizationRequest,
    signal: AbortSignal,
    { consent, open }: Browser = browser,
  ): Promise<URLSearchParams | undefined> {
    if (!(await consent(request)) || signal.aborted) return undefined;
    const title = t('Signing in to MCP server "{0}": waiting for your browser…', request.server.name);
    const location = vscode.ProgressLocation.Notification;
    return window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
      await open(request.url);
      const gaveUp = [abortOn(token), signal].map(whenAborted);
      const over = new AbortController();
      try {
        return await Promise.race([request.redirect.answer, ...gaveUp, pasted(request, over.signal)]);
      } finally {
        over.abort();
      }
    });
  }

  /** Asks for a client ID at an authorization server without automatic registration. */
  async askClient(
    { server, issuer, redirectUri }: Parameters<AuthPort['askClient']>[0],
    signal: AbortSignal,
  ): ReturnType<AuthPort['askClient']> {
    const cancelled = tokenOf(signal);
    const host = visible(URL.canParse(issuer) ? new URL(issuer).host : issuer, 200);
    const common = { title: t('Sign in to MCP server "{0}"', server.name), ignoreFocusOut: true };
    const prompt = t(
      '{0} does not register editors automatically. Register this one there with the redirect URI {1}, then enter its client ID.',
      host,
      redirectUri,
    );
    const needed = (typed: string) => (typed.trim() ? undefined : t('Enter a value, or press Escape to cancel.'));
    const typed = await window.showInputBox({ ...common, prompt, validateInput: needed }, cancelled);
    const clientId = typed?.trim();
    if (!clientId) return undefined;
    const forSecret = t('Its client secret. Leave this empty if it has none.');
    const secret = await window.showInputBox({ ...common, prompt: forSecret, password: true }, cancelled);
    if (secret === undefined) return undefined;
    return { clientId, ...(secret.trim() && { clientSecret: secret.trim() }) };
  }

  /** Signs in to a server, or to all that need it. */
  async signIn(argument: unknown): Promise<void> {
    const waiting = this.servers.all.filter(needsIt);
    if (!serverOf(argument) && waiting.length > 1) return this.#signInToAll(waiting);
    const server = await pickServer(argument, this.servers, t('Select an MCP server to sign in to'), needsIt);
    if (!server) return;
    try {
      await this.#signInTo(server);
    } catch (error) {
      // Whoever cancelled it knows already.
      if ((error as { code?: string }).code !== 'CANCELLED') throw error;
    }
  }

  /** One after the other, as each has a page of its own in the browser. One that fails or is declined does not stop the others. */
  async #signInToAll(waiting: readonly ServerConnection[]): Promise<void> {
    const [done, failed]: [string[], string[]] = [[], []];
    for (const server of waiting) {
      // An earlier sign-in at the same identity provider was enough.
      if (!needsIt(server)) {
        done.push(server.name);
        continue;
      }
      try {
        await this.#signInTo(server);
        done.push(server.name);
      } catch (error) {
        const isDeclined = (error as { code?: string }).code === 'CANCELLED';
        failed.push(isDeclined ? server.name : `${server.name} (${errorText(error, 300)})`);
      }
    }
    const signedIn = done.length > 0 && t('You are signed in to: {0}.', done.join(', '));
    const others = failed.length > 0 && t('Not signed in to: {0}', failed.join(', '));
    void window.showInformationMessage(joined([signedIn, others]));
  }

  async #signInTo(server: ServerConnection): Promise<void> {
    await server.account.signIn(new AbortController().signal);
    const provider = providerOf(server);
    const others = this.servers.all.filter(other => provider !== undefined && providerOf(other) === provider);
    // They wait for the same sign-in.
    await Promise.all(others.filter(needsIt).map(other => other.start(phrase('you signed in'))));
  }

  async signOut(argument: unknown): Promise<void> {
    const isSignedIn = ({ account }: ServerConnection) => account.signedIn !== undefined;
    const server = await pickServer(argument, this.servers, t('Select an MCP server to sign out of'), isSignedIn);
    if (!server) return;
    const revoked = await server.account.signOut();
    const said = revoked
      ? t('You are signed out of MCP server "{0}". Its access was revoked.', server.name)
      : t('You are signed out of MCP server "{0}".', server.name);
    void window.showInformationMessage(plain(said));
  }
}

const needsIt = ({ state }: ServerConnection) => state.kind === 'needsAuth';

/** The identity provider at which a person signs in for this server and others. */
function providerOf({ definition: { entry } }: ServerConnection): string | undefined {
  if (!entry || entry.type === 'stdio' || entry.oauth?.assertion !== undefined) return undefined;
  const { issuer, clientId } = entry.oauth?.identityProvider ?? {};
  return issuer === undefined ? undefined : `${issuer} ${clientId}`;
}

/** If the browser's answer can't reach the editor, the person pastes it. */
async function pasted({ server, url, redirect }: AuthorizationRequest, over: AbortSignal): Promise<URLSearchParams> {
  const never = new Promise<URLSearchParams>(() => {});
  // Usually it is not needed, and a notification can't be withdrawn.
  await delay(PASTE_AFTER_MS, undefined, { signal: over, ref: false }).catch(() => {});
  const [paste, copy] = [t('Paste Address or Code…'), t('Copy Link')];
  while (!over.aborted) {
    const question = t('Sign in to MCP server "{0}" in your browser.', server.name);
    const chosen = await window.showInformationMessage(plain(question), paste, copy);
    if (chosen === copy) await vscode.env.clipboard.writeText(url.href);
    if (chosen === undefined) return never;
    if (chosen !== paste) continue;
    const prompt = t('The address your browser ended up at, or the code it shows');
    const text = await window.showInputBox({ prompt, placeHolder: plain(redirect.uri), ignoreFocusOut: true });
    if (text?.trim()) return answerOf(text.trim(), url);
  }
  return never;
}

/** A code without an address has nothing to compare, but the verifier, which never leaves the editor, binds it. */
function answerOf(text: string, { searchParams }: URL): URLSearchParams {
  if (URL.canParse(text)) return new URL(text).searchParams;
  return new URLSearchParams({ code: text, state: searchParams.get('state') ?? '' });
}

/** How a person is asked, and sent to the authorization server. */
export interface Browser {
  /** Resolves with whether the person agrees. */
  consent(request: AuthorizationRequest): Promise<boolean>;
  open(url: URL): Promise<void>;
}

const browser: Browser = {
  async consent(request) {
    const open = t('Open Browser');
    const question = t('Sign in to MCP server "{0}"?', request.server.name);
    return (await askConsent(question, describe(request), { allow: [open], others: [] })) === open;
  },
  async open({ href }) {
    // As a string, which the editor's code accepts as well as a `Uri` (`ExtHostWindow.openUri`) although its type does not
    // say so, and opens as it is: a `Uri` would lose what is encoded twice, such as the address to return to
    // (microsoft/vscode#85930).
    await vscode.env.openExternal(href as unknown as vscode.Uri);
  },
};

/** A longer list would push the warnings below it out of the dialog. */
const MAX_SCOPES = 30;

function scopesText(scopes: readonly string[]): string {
  const shown = scopes
    .slice(0, MAX_SCOPES)
    .map(scope => visible(scope, 80))
    .join(', ');
  const others = scopes.length - MAX_SCOPES;
  return others > 0 ? t('{0} and {1} more', shown, others) : shown;
}

/** Says who would get what. Hosts are shown as they are requested, international ones in ASCII. */
export function describe({ server, issuer, scopes, url, isShared }: AuthorizationRequest): string {
  const { entry } = server;
  const address = entry && entry.type !== 'stdio' ? new URL(entry.url) : undefined;
  const oauth = entry && entry.type !== 'stdio' && !isShared ? entry.oauth : undefined;
  const asked = URL.canParse(issuer) ? new URL(issuer).host : issuer;
  return [
    address && t('Server: {0}', visible(address.origin + address.pathname, 200)),
    t('Authorization server: {0}', visible(asked, 200)),
    url.host === asked ? undefined : t('Opens in your browser: {0}', visible(url.host, 200)),
    scopes.length > 0 ? t('Permissions: {0}', scopesText(scopes)) : t("Permissions: the server's defaults"),
    ...exceptionsIn(oauth).map(
      field => `⚠ ${field} = ${visible(String(oauth?.[field]), 200)}: ${localized(givenUpBy(field)!)}`,
    ),
    isShared ? t('This sign-in is used for all servers whose settings name the same identity provider.') : undefined,
    t('Continue only if you recognize these names.'),
  ]
    .filter(line => line !== undefined)
    .join('\n');
}
