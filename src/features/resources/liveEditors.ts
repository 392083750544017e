import vscode = require('vscode');

import { type Disposable, Emitter } from '../../base/events';
import type { FollowedResources } from './core/followedResources';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import { openResources } from './openResources';

/** Follows each resource as long as it has a tab, in an editor of any kind. */
export class LiveEditors implements Disposable {
  readonly #changed = new Emitter<void>();
  /** Editors on resources were opened, closed, brought to the front or sent to the back. */
  readonly onDidChange = this.#changed.event;
  readonly #open = new Map<string, Disposable>();
  #visible: ReadonlySet<string> = new Set();
  readonly #subscription: Disposable;

  constructor(private readonly followed: FollowedResources) {
    this.#subscription = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(() => this.#update()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#update()),
    );
    this.#update();
  }

  isOpen(address: ResourceAddress): boolean {
    return this.#open.has(addressKey(address));
  }

  isVisible(address: ResourceAddress): boolean {
    return this.#visible.has(addressKey(address));
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const following of this.#open.values()) following.dispose();
    this.#open.clear();
    this.#changed.dispose();
  }

  #update(): void {
    const now = openResources();
    const open = new Map(now.map(({ address }) => [addressKey(address), address]));
    const visible = new Set(now.filter(({ tab }) => tab.isActive).map(({ address }) => addressKey(address)));
    if (open.size === 0 && this.#open.size === 0) return;
    for (const [key, address] of open) if (!this.#open.has(key)) this.#open.set(key, this.followed.follow(address));
    for (const [key, following] of this.#open) {
      if (open.has(key)) continue;
      this.#open.delete(key);
      following.dispose();
    }
    this.#visible = visible;
    this.#changed.fire();
  }
}
