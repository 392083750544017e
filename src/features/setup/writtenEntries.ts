import type * as vscode from 'vscode';
import { isObject } from '../../base/json';
import { keepIn } from '../../editor/storage';
import type { WrittenEntry } from './core/agentFiles';

const KEY = 'mcpHost.agentEntries';

/** What was written into the files of agents, by path: nothing but our own insertion. */
export class WrittenEntries {
  constructor(private readonly memento: vscode.Memento) {}

  get(path: string): WrittenEntry | undefined {
    const written = this.#all[path];
    if (!isObject(written) || typeof written.inserted !== 'string') return undefined;
    return { inserted: written.inserted, isNew: written.isNew === true };
  }

  set(path: string, written: WrittenEntry | undefined): Promise<void> {
    const { [path]: _, ...others } = this.#all;
    return keepIn(this.memento, KEY, written ? { ...others, [path]: written } : others);
  }

  get #all(): Readonly<Record<string, unknown>> {
    const stored: unknown = this.memento.get(KEY);
    return isObject(stored) ? stored : {};
  }
}
