import { createHash } from 'node:crypto';
import * as path from 'node:path';

import vscode = require('vscode');

import { type Lazy, lazy } from '../../base/events';
import type {
  AuthorizationRequest,
  AuthPort,
  Redirect,
  RedirectOptions,
  ServerDefinition,
} from '../../host/definition';
import { inputKey } from '../trust';
import { clientMetadataUrl } from './core/clientMetadata';
import type { WindowLock } from './core/windowLock';
import type { Redirects } from './redirects';
import type { Browser, SignInDialogs } from './signInDialogs';

/**
 * Sign-ins to remote servers: made by the person in their browser, and kept in the secret storage, each for one server at
 * one address. One at an identity provider is for all servers that name it.
 */
export class Auth implements AuthPort {
  readonly clientMetadataUrl? = clientMetadataUrl();
  readonly redirects: Lazy<Redirects>;
  readonly #lock: Lazy<WindowLock>;
  /** Set by tests. */
  browser?: Browser;

  /**
   * @param dialogs loaded with the first sign-in.
   * @param later loaded when windows are first to take turns, or with the first way back from a browser.
   */
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly dialogs: () => SignInDialogs,
    later: () => { readonly WindowLock: typeof WindowLock; readonly Redirects: typeof Redirects },
  ) {
    this.redirects = lazy(() => new (later().Redirects)(context.extension.id));
    this.#lock = lazy(() => new (later().WindowLock)(path.join(context.globalStorageUri.fsPath, 'locks')));
  }

  async read(server: ServerDefinition | undefined, resource: string): Promise<string | undefined> {
    return this.context.secrets.get(keyOf(server, resource));
  }

  async write(server: ServerDefinition | undefined, resource: string, value: string | undefined): Promise<void> {
    const key = keyOf(server, resource);
    if (value === undefined) await this.context.secrets.delete(key);
    else await this.context.secrets.store(key, value);
  }

  alone<T>(
    server: ServerDefinition | undefined,
    resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return this.#lock().run(keyOf(server, resource), run);
  }

  openRedirect(way: number, options: RedirectOptions): Promise<Redirect | undefined> {
    return this.redirects().open(way, options);
  }

  askClient(...request: Parameters<AuthPort['askClient']>): ReturnType<AuthPort['askClient']> {
    return this.dialogs().askClient(...request);
  }

  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<URLSearchParams | undefined> {
    return this.dialogs().authorize(request, signal, this.browser);
  }
}

/** The key of a stored sign-in and its lock: one for each server, place of configuration and address. */
export function keyOf(server: ServerDefinition | undefined, resource: string): string {
  const address = createHash('sha256').update(resource).digest('hex');
  // No name of a server has a slash in it.
  const owner = server ? inputKey(server.source, server.name) : 'mcpHost.input /';
  return `${owner.replace('mcpHost.input', 'mcpHost.auth')} ${address}`;
}
