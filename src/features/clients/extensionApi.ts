import vscode = require('vscode');

import type { McpHostApi, McpHostErrorCode, McpHostExports } from '../../../docs/api';
import type { ServerSet } from '../../host';
import type { Trust } from '../trust';
import { ApiError, apiError } from './apiError';
import { type ApiServerServices, apiServer } from './apiServer';
import { ApiSession } from './apiSession';
import { callerOf, extensionIdentity } from './caller';
import type { ClientAnswer, ClientIdentity, Clients } from './core/clients';

const VERSION = 1;

interface ExtensionApiServices extends ApiServerServices {
  readonly clients: Clients;
  readonly own: vscode.Extension<unknown>;
  readonly servers: ServerSet;
  readonly trust: ApiServerServices['trust'] & Pick<Trust, 'askForCall'>;
  /** Adds servers of an extension, in the form of `mcpHost.servers`, until the handle is disposed. */
  readonly add: (extension: vscode.Extension<unknown>, servers: object) => vscode.Disposable;
}

const WHY_NOT: Record<Exclude<ClientAnswer, 'allowed'>, [code: McpHostErrorCode, what: string]> = {
  busy: ['BUSY', 'Too many questions wait for the user, or were asked: try again later'],
  denied: ['DENIED', 'The user has denied it'],
  unanswered: ['UNANSWERED', 'The user has closed the question, which is not asked again in this window'],
};

/** The exports of this extension for other extensions: see docs/api.md. */
export class ExtensionApi implements McpHostExports, vscode.Disposable {
  readonly #sessions = new Map<string, ApiSession>();
  readonly #deciding: vscode.Disposable;

  constructor(private readonly services: ExtensionApiServices) {
    this.#deciding = services.clients.onDidDecide(({ client: { kind, id } }) => {
      const session = kind === 'extension' ? this.#sessions.get(id) : undefined;
      if (session && services.clients.answer(session.client) !== 'allowed') session.end();
    });
  }

  /** To be called from the stack of the extension that wants it. */
  async getApi(version: unknown, options: { readonly silent?: boolean } = {}): Promise<McpHostApi> {
    const { clients, own } = this.services;
    const caller = callerOf(vscode.extensions.all, own);
    if (!caller) {
      const how = 'Call getApi(1) from a file of your extension, not from a callback or a script of another';
      throw new ApiError('UNKNOWN_CALLER', `MCP Host cannot tell which extension calls. ${how}.`);
    }
    if (version !== VERSION) {
      const what = `MCP Host ${own.packageJSON.version} has version ${VERSION} of its API`;
      throw new ApiError('UNSUPPORTED_VERSION', `${what}, not ${String(version)}.`);
    }
    const client = extensionIdentity(caller);
    if (options?.silent && clients.answer(client) === undefined)
      throw new ApiError('NOT_ASKED', `The user has not been asked yet whether ${client.id} may use the MCP servers.`);
    const answer = await clients.ask(client).catch((error: unknown) => Promise.reject(apiError(error)));
    if (answer !== 'allowed') {
      const [code, why] = WHY_NOT[answer];
      throw new ApiError(code, `${client.id} may not use the MCP servers. ${why}.`);
    }
    return this.#session(client).api;
  }

  dispose(): void {
    this.#deciding.dispose();
    for (const session of this.#sessions.values()) session.end();
  }

  #session(client: ClientIdentity): ApiSession {
    const open = this.#sessions.get(client.id);
    if (open && !open.isOver) return open;
    const { clients, servers, trust, add } = this.services;
    const session = new ApiSession(client, {
      servers,
      ask: trust.askForCall,
      isAllowed: one => clients.answer(one) === 'allowed',
      serverOf: (server, one) => apiServer(this.services, server, one),
      register: ({ id }, added) => {
        const extension = vscode.extensions.getExtension(id);
        return extension ? add(extension, added) : new vscode.Disposable(() => undefined);
      },
    });
    this.#sessions.set(client.id, session);
    return session;
  }
}
