import * as path from 'node:path';

import vscode = require('vscode');

import { type Lazy, lazy } from '../../base/events';
import { sha256 } from '../../base/fingerprint';
import { SecretVault, type StorageKey, storageKey } from '../../base/secretVault';
import type {
  AuthorizationRequest,
  AuthPort,
  Redirect,
  RedirectOptions,
  ServerDefinition,
} from '../../host/definition';
import { SecretOwners } from '../trust';
import { clientMetadataUrl } from './core/clientMetadata';
import type { WindowLock } from './core/windowLock';
import type { Redirects } from './redirects';
import type { Browser, SignInDialogs } from './signInDialogs';

/**
 * Sign-ins to remote servers: made by the person in their browser, and kept in the secret storage, each for one server at
 * one address. One at an identity provider is for all servers that name it.
 */
export class Auth implements AuthPort {
  readonly redirects: Lazy<Redirects>;
  readonly #lock: Lazy<WindowLock>;
  readonly #vault: SecretVault;
  readonly #owners: SecretOwners;
  /** Set by tests. */
  browser?: Browser;

  /**
   * @param dialogs loaded with the first sign-in.
   * @param later loaded when windows are first to take turns, or with the first way back from a browser.
   * @param organization has the address of the document by which its editors are known; undefined for that of this build.
   */
  constructor(
    context: vscode.ExtensionContext,
    private readonly dialogs: () => SignInDialogs,
    later: () => { readonly WindowLock: typeof WindowLock; readonly Redirects: typeof Redirects },
    private readonly organization: { readonly clientMetadataUrl: string | undefined },
  ) {
    this.#vault = new SecretVault(context.secrets);
    this.#owners = new SecretOwners(context.globalStorageUri.fsPath);
    this.redirects = lazy(() => new (later().Redirects)(context.extension.id));
    this.#lock = lazy(() => new (later().WindowLock)(path.join(context.globalStorageUri.fsPath, 'locks')));
  }

  get clientMetadataUrl(): string | undefined {
    return this.organization.clientMetadataUrl ?? clientMetadataUrl();
  }

  async read(server: ServerDefinition | undefined, resource: string): Promise<string | undefined> {
    const key = this.keyOf(server, resource);
    const stored = await this.#vault.get(key);
    if (stored !== undefined) return stored;
    for (const before of this.#keysBefore(server, resource)) {
      const value = await this.#vault.move(before, key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async write(server: ServerDefinition | undefined, resource: string, value: string | undefined): Promise<void> {
    const key = this.keyOf(server, resource);
    for (const before of this.#keysBefore(server, resource)) await this.#vault.move(before, key);
    await this.#vault.set(key, value);
  }

  alone<T>(
    server: ServerDefinition | undefined,
    resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return this.#lock().run(this.keyOf(server, resource), run);
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

  /** The key of a stored sign-in and its lock: one for each server, place of configuration and address. */
  keyOf(server: ServerDefinition | undefined, resource: string): StorageKey {
    return storageKey(
      'mcpHost.auth',
      ...(server ? [...this.#owners.of(server.source), server.name] : []),
      sha256(resource),
    );
  }

  /** The keys of earlier versions. */
  #keysBefore(server: ServerDefinition | undefined, resource: string): string[] {
    if (!server) return [`mcpHost.auth / ${sha256(resource)}`];
    if (this.#owners.namesMachine(server.source)) return [];
    const parts = [...this.#owners.of(server.source), server.name, sha256(resource)];
    // Joined by spaces, others could read the same.
    return parts.every(part => !/\s/.test(part)) ? [['mcpHost.auth', ...parts].join(' ')] : [];
  }
}
