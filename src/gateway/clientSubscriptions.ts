import type { Disposable } from '../base/events';
import type { ServerConnection } from '../host';

/** The resources that one client of the gateway has subscribed to (spec: server/resources#subscriptions). */
export class ClientSubscriptions implements Disposable {
  readonly #handles = new Map<string, Disposable>();

  constructor(private readonly server: ServerConnection) {}

  has(uri: string): boolean {
    return this.#handles.has(uri);
  }

  add(uri: string): void {
    if (!this.#handles.has(uri)) this.#handles.set(uri, this.server.subscriptions.add(uri));
  }

  delete(uri: string): void {
    this.#handles.get(uri)?.dispose();
    this.#handles.delete(uri);
  }

  dispose(): void {
    for (const uri of [...this.#handles.keys()]) this.delete(uri);
  }
}
