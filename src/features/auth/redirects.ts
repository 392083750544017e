import vscode = require('vscode');

import type { Redirect } from '../../host';
import { openLoopback } from './loopback';

const PATH = '/oauth';

/** The ways for the answer of an authorization server to come back: through the editor, or to a port of this machine. */
export class Redirects implements vscode.UriHandler, vscode.Disposable {
  /** Sign-ins under way, by their `state`; each gets one answer. */
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
   * A port that only this machine reaches (RFC 8252, 7.3), while somebody signs in; undefined where there is none.
   * @param wanted address with the port and path to use. Default: any port.
   */
  loopback(state: string, wanted?: URL): Promise<Redirect | undefined> {
    return openLoopback(state, wanted);
  }

  dispose(): void {
    this.#handler.dispose();
  }
}
