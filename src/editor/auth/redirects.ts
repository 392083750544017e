import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import type { Redirect } from '../../host';

const { t } = vscode.l10n;

const PATH = '/oauth';

/** The ways for the answer of an authorization server to come back: through the editor, or to a port of this machine. */
export class Redirects implements vscode.UriHandler, vscode.Disposable {
  /** Sign-ins under way, by their `state`: each is told once. */
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();
  readonly #handler: vscode.Disposable;

  constructor(private readonly extensionId: string) {
    this.#handler = vscode.window.registerUriHandler(this);
  }

  handleUri(uri: vscode.Uri): void {
    const answer = new URLSearchParams(uri.query);
    const state = answer.get('state') ?? '';
    if (uri.path === PATH) this.#waiting.get(state)?.(answer);
    this.#waiting.delete(state);
  }

  /** An address of the editor: `vscode://…`, or of its web page. */
  async throughEditor(state: string): Promise<Redirect> {
    const uri = vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: this.extensionId, path: PATH });
    const external = await vscode.env.asExternalUri(uri);
    const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
    this.#waiting.set(state, resolve);
    return { uri: external.toString(true), answer: promise, close: () => void this.#waiting.delete(state) };
  }

  /**
   * A port that only this machine reaches (RFC 8252, 7.3), while somebody signs in.
   * @param wanted address with the port and path to use. Default: any port.
   */
  async loopback(state: string, wanted?: URL): Promise<Redirect> {
    const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
    const path = wanted?.pathname ?? '/';
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isAnswer = url.pathname === path && url.searchParams.get('state') === state;
      response.writeHead(isAnswer ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'referrer-policy': 'no-referrer',
        connection: 'close',
      });
      response.end(isAnswer ? t('You can close this page and go back to the editor.') : '');
      if (isAnswer) resolve(url.searchParams);
    });
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(Number(wanted?.port ?? 0), '127.0.0.1', done);
    });
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    if (wanted) return { uri: wanted.href, answer: promise, close };
    const { port } = server.address() as AddressInfo;
    const external = await vscode.env.asExternalUri(vscode.Uri.parse(`http://127.0.0.1:${port}/`));
    return { uri: external.toString(true), answer: promise, close };
  }

  dispose(): void {
    this.#handler.dispose();
  }
}
