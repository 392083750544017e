import { setTimeout as delay } from 'node:timers/promises';

import vscode = require('vscode');

import { phrase } from '../../base/phrase';
import { plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { AuthorizationRequest, AuthPort } from '../../host/definition';
import { pickServer, serverOf } from '../servers';
import { browser as defaultBrowser } from './browser';
import { manageAccounts } from './manageAccounts';

/** How long after the browser was opened the person is offered to paste the answer themselves. */
const PASTE_AFTER_MS = 10_000;

/** The dialogs of signing in and out. */
export class SignInDialogs {
  constructor(private readonly servers: ServerSet) {}

  async authorize(
    request: AuthorizationRequest,
    signal: AbortSignal,
    browser = defaultBrowser,
  ): Promise<URLSearchParams | undefined> {
    if (!(await browser.consent(request)) || signal.aborted) return undefined;
    const title = t('Signing in to MCP server "{0}": waiting for your browser…', request.server.name);
    const location = vscode.ProgressLocation.Notification;
    return window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
      await browser.open(request.url);
      const gaveUp = new Promise<undefined>(resolve => {
        token.onCancellationRequested(() => resolve(undefined));
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      const over = new AbortController();
      try {
        return await Promise.race([request.redirect.answer, gaveUp, pasted(request, over.signal)]);
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
    const cancel = new vscode.CancellationTokenSource();
    signal.addEventListener('abort', () => cancel.cancel(), { once: true });
    const host = visible(URL.canParse(issuer) ? new URL(issuer).host : issuer, 200);
    const common = { title: t('Sign in to MCP server "{0}"', server.name), ignoreFocusOut: true };
    const prompt = t(
      '{0} does not register editors automatically. Register this one there with the redirect URI {1}, then enter its client ID.',
      host,
      redirectUri,
    );
    const needed = (typed: string) => (typed.trim() ? undefined : t('Enter a value, or press Escape to cancel.'));
    try {
      const typed = await window.showInputBox({ ...common, prompt, validateInput: needed }, cancel.token);
      const clientId = typed?.trim();
      if (!clientId) return undefined;
      const forSecret = t('Its client secret. Leave this empty if it has none.');
      const secret = await window.showInputBox({ ...common, prompt: forSecret, password: true }, cancel.token);
      if (secret === undefined) return undefined;
      return { clientId, ...(secret.trim() && { clientSecret: secret.trim() }) };
    } finally {
      cancel.dispose();
    }
  }

  async signIn(argument: unknown): Promise<void> {
    const needsIt = ({ state }: ServerConnection) => state.kind === 'needsAuth';
    const server =
      serverOf(argument) ?? (await pickServer(this.servers, t('Select an MCP server to sign in to'), needsIt));
    if (!server) return;
    try {
      await server.account.signIn(new AbortController().signal);
    } catch (error) {
      // Whoever cancelled it knows already.
      if ((error as { code?: string }).code !== 'CANCELLED') throw error;
      return;
    }
    const provider = providerOf(server);
    const others = this.servers.all.filter(other => provider !== undefined && providerOf(other) === provider);
    // They wait for the same sign-in.
    await Promise.all(others.filter(needsIt).map(other => other.start(phrase('you signed in'))));
  }

  async signOut(argument: unknown): Promise<void> {
    const isSignedIn = ({ account }: ServerConnection) => account.signedIn !== undefined;
    const server =
      serverOf(argument) ?? (await pickServer(this.servers, t('Select an MCP server to sign out of'), isSignedIn));
    if (server) await signOut(server);
  }

  async manageAccounts(): Promise<void> {
    await manageAccounts(this.servers, signOut);
  }
}

async function signOut(server: ServerConnection): Promise<void> {
  const revoked = await server.account.signOut();
  const said = revoked
    ? t('You are signed out of MCP server "{0}". Its access was revoked.', server.name)
    : t('You are signed out of MCP server "{0}".', server.name);
  void window.showInformationMessage(plain(said));
}

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

/**
 * A code without an address carries nothing to compare, but is still bound by the verifier, which never leaves the editor.
 */
function answerOf(text: string, { searchParams }: URL): URLSearchParams {
  if (URL.canParse(text)) return new URL(text).searchParams;
  return new URLSearchParams({ code: text, state: searchParams.get('state') ?? '' });
}
