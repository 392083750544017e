import type * as vscode from 'vscode';
import { type Disposable, Emitter } from '../../base/events';
import type { Order } from './core/folders';

const KEY = 'resources.order';

/** The only owner of the order of resources within their folders, kept for the workspace. */
export class ResourceOrder implements Disposable {
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(private readonly memento: vscode.Memento) {}

  get value(): Order {
    const kept = this.memento.get<string>(KEY);
    return kept === 'priority' || kept === 'date' ? kept : 'name';
  }

  async set(order: Order): Promise<void> {
    const saved = this.memento.update(KEY, order);
    this.#changed.fire();
    await saved;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
