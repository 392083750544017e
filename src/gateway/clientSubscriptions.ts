import type { Disposable } from '../base/events';
import type { AllowedRequests } from '../host';

/** The resources that one client of the gateway has subscribed to (spec: server/resources#subscriptions). */
export class ClientSubscriptions implements Disposable {
  readonly #handles = new Map<string, Disposable>();

  has(uri: string): boolean {
    return this.#handles.has(uri);
  }

  /** Rejects, with a `HostError`, if the client may not have it. */
  async add(uri: string, requests: Pick<AllowedRequests, 'subscribe'>): Promise<void> {
    if (this.#handles.has(uri)) return;
    const subscription = requests.subscribe(uri);
    this.#handles.set(uri, subscription);
    try {
      await subscription.allowed;
    } catch (error) {
      if (this.#handles.get(uri) === subscription) this.delete(uri);
      throw error;
    }
  }

  delete(uri: string): void {
    this.#handles.get(uri)?.dispose();
    this.#handles.delete(uri);
  }

  dispose(): void {
    for (const uri of [...this.#handles.keys()]) this.delete(uri);
  }
}
