import vscode = require('vscode');

import type { Redirect, RedirectOptions } from '../../host/definition';
import { waysBack } from './core/clientMetadata';
import { openLoopback } from './loopback';

const PATH = '/oauth';
/** Addresses at which this machine alone is reached, and on which we listen. */
const OWN = /^http:\/\/(127\.0\.0\.1|localhost)[:/]/;

/** The ways for the answer of an authorization server to come back: through the editor, or to a port of this machine. */
export class Redirects {
  /** Sign-ins under way, by their `state`; each gets one answer. */
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();

  constructor(private readonly extensionId: string) {}

  /** Takes a link that came to this extension: perhaps an answer. */
  handleUri(uri: vscode.Uri): void {
    const answer = new URLSearchParams(uri.query);
    const state = answer.get('state') ?? '';
    if (uri.path === PATH) this.#waiting.get(state)?.(answer);
    this.#waiting.delete(state);
  }

  /**
   * Opens the way with this number, if there are so many.
   * @param uri the only one that may be used: on a port of this machine, or someone else's page, which shows the answer to the
   * person, who pastes it.
   */
  async open(way: number, { state, uri, before }: RedirectOptions): Promise<Redirect | undefined> {
    if (uri !== undefined) {
      if (way > 0) return undefined;
      const ours = OWN.test(uri) && (await openLoopback(state, { wanted: new URL(uri) }));
      return ours || { uri, answer: new Promise(() => {}), close: () => {} };
    }
    const isElsewhere = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
    const kind = waysBack(isElsewhere)[way];
    if (kind !== 'loopback') return kind && this.#throughEditor(state);
    const port = before !== undefined && OWN.test(before) ? Number(new URL(before).port) : 0;
    return openLoopback(state, { port });
  }

  /** An address of the editor: `vscode://…`, or of its web page. */
  async #throughEditor(state: string): Promise<Redirect> {
    const uri = vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: this.extensionId, path: PATH });
    const external = await vscode.env.asExternalUri(uri);
    const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
    this.#waiting.set(state, resolve);
    return { uri: external.toString(true), answer: promise, close: () => void this.#waiting.delete(state) };
  }
}
