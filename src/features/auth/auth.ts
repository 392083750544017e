import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import vscode = require('vscode');

import { plain } from '../../base/text';
import { t, window } from '../../editor/window';
import type {
  AuthorizationRequest,
  AuthPort,
  Redirect,
  ServerConnection,
  ServerDefinition,
  ServerSet,
} from '../../host';
import { pickServer, serverOf } from '../servers';
import { inputKey } from '../trust';
import { type Browser, browser } from './browser';
import { WindowLock } from './core/windowLock';
import { manageAccounts } from './manageAccounts';
import { Redirects } from './redirects';

/** How long after the browser was opened the person is offered to paste the answer themselves. */
const PASTE_AFTER_MS = 10_000;

/**
 * Sign-ins to remote servers: made by the person in their browser, and kept in the secret storage, each for one server at
 * one address.
 */
export class Auth implements AuthPort, vscode.Disposable {
  readonly redirects: Redirects;
  readonly #lock: WindowLock;
  /** Replaced by tests. */
  browser: Browser = browser;

  constructor(
    private readonly servers: ServerSet,
    private readonly context: vscode.ExtensionContext,
  ) {
    this.redirects = new Redirects(context.extension.id);
    this.#lock = new WindowLock(path.join(context.globalStorageUri.fsPath, 'locks'));
  }

  async read(server: ServerDefinition, resource: string): Promise<string | undefined> {
    return this.context.secrets.get(keyOf(server, resource));
  }

  async write(server: ServerDefinition, resource: string, value: string | undefined): Promise<void> {
    const key = keyOf(server, resource);
    if (value === undefined) await this.context.secrets.delete(key);
    else await this.context.secrets.store(key, value);
  }

  alone<T>(
    server: ServerDefinition,
    resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return this.#lock.run(keyOf(server, resource), run);
  }

  async openRedirect(
    way: number,
    { state, uri }: { state: string; uri: string | undefined },
  ): Promise<Redirect | undefined> {
    if (uri !== undefined) {
      if (way > 0) return undefined;
      const wanted = new URL(uri);
      const isOurs = wanted.protocol === 'http:' && /^(127\.0\.0\.1|localhost)$/.test(wanted.hostname);
      const ours = isOurs && (await this.redirects.loopback(state, wanted));
      if (ours) return ours;
      // Someone else's page shows the answer to the person, who pastes it.
      return { uri, answer: new Promise(() => {}), close: () => {} };
    }
    if (way === 0) return this.redirects.throughEditor(state);
    return way === 1 ? this.redirects.loopback(state) : undefined;
  }

  async authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<URLSearchParams | undefined> {
    if (!(await this.browser.consent(request)) || signal.aborted) return undefined;
    const title = t('Signing in to MCP server "{0}": waiting for your browser…', request.server.name);
    const location = vscode.ProgressLocation.Notification;
    return window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
      await this.browser.open(request.url);
      const gaveUp = new Promise<undefined>(resolve => {
        token.onCancellationRequested(() => resolve(undefined));
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      const over = new AbortController();
      try {
        return await Promise.race([request.redirect.answer, gaveUp, this.#pasted(request, over.signal)]);
      } finally {
        over.abort();
      }
    });
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
    }
  }

  async signOut(argument: unknown): Promise<void> {
    const isSignedIn = ({ account }: ServerConnection) => account.signedIn !== undefined;
    const server =
      serverOf(argument) ?? (await pickServer(this.servers, t('Select an MCP server to sign out of'), isSignedIn));
    if (server) await this.#signOut(server);
  }

  async manageAccounts(): Promise<void> {
    await manageAccounts(this.servers, server => this.#signOut(server));
  }

  dispose(): void {
    this.redirects.dispose();
  }

  async #signOut(server: ServerConnection): Promise<void> {
    const revoked = await server.account.signOut();
    const said = revoked
      ? t('You are signed out of MCP server "{0}". Its access was revoked.', server.name)
      : t('You are signed out of MCP server "{0}".', server.name);
    void window.showInformationMessage(plain(said));
  }

  /** If the browser's answer can't reach the editor, the person pastes it. */
  async #pasted({ server, url, redirect }: AuthorizationRequest, over: AbortSignal): Promise<URLSearchParams> {
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
}

/**
 * A code without an address carries nothing to compare, but is still bound by the verifier, which never leaves the editor.
 */
function answerOf(text: string, { searchParams }: URL): URLSearchParams {
  if (URL.canParse(text)) return new URL(text).searchParams;
  return new URLSearchParams({ code: text, state: searchParams.get('state') ?? '' });
}

/** The key of a stored sign-in and its lock: one for each server, place of configuration and address. */
export function keyOf({ source, name }: ServerDefinition, resource: string): string {
  const address = createHash('sha256').update(resource).digest('hex');
  return `${inputKey(source, name).replace('mcpHost.input', 'mcpHost.auth')} ${address}`;
}
