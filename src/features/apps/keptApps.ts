import type { CallToolResult } from '@modelcontextprotocol/client';
import type * as vscode from 'vscode';
import { isObject } from '../../base/json';
import { keepIn } from '../../editor/storage';
import type { ServerSet } from '../../host';
import { appOf } from '../../host/catalog';
import type { AppCall } from './appFrame';
import { KEY } from './core/keptKeys';

const MAX_APPS = 10;
/** How long a server may take to be there after a reload. */
const WAIT_MS = 60_000;
/** In characters of JSON. What is longer is gone after a reload. */
const MAX_LENGTH = 512 * 1024;

interface KeptApp {
  readonly server: string;
  /** Fingerprint of the definition: a changed server has not made this result. */
  readonly fingerprint: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly result: CallToolResult;
}

/** Stores the open apps for a reload of the window, without secrets, in the workspace storage. */
export class KeptApps {
  constructor(private readonly memento: vscode.Memento) {}

  /** Keeps a call with its result, in place of what had the key before. */
  async keep(key: string, { server, tool, args }: AppCall, result: CallToolResult): Promise<void> {
    const { fingerprint } = server.definition;
    const text = server.redact(JSON.stringify({ server: server.id, fingerprint, tool: tool.name, args, result }));
    if (text.length > MAX_LENGTH) return this.forget(key);
    try {
      const kept = JSON.parse(text) as KeptApp;
      const others = Object.entries(this.#all).filter(([other]) => other !== key);
      await this.#write([...others.slice(1 - MAX_APPS), [key, kept]]);
    } catch {
      // It is not restored then.
    }
  }

  has(key: string): boolean {
    return key in this.#all;
  }

  /** Undefined if it was not kept, or its server does not return. A window that opens has no servers yet. */
  async find(key: string, servers: ServerSet): Promise<AppCall | undefined> {
    const kept = this.#all[key];
    if (!kept) return undefined;
    const there = () => {
      const server = servers.get(kept.server);
      const tool = server?.catalog.known('tools').find(({ name }) => name === kept.tool);
      return server && tool && { server, tool };
    };
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof there>>();
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    const look = () => {
      const found = there();
      if (found) resolve(found);
    };
    const changes = servers.onDidChange(look);
    look();
    const found = await promise;
    clearTimeout(timer);
    changes.dispose();
    if (!found || found.server.definition.fingerprint !== kept.fingerprint || !appOf(found.tool)) return undefined;
    return { ...found, args: kept.args, outcome: Promise.resolve(kept.result) };
  }

  async forget(key: string): Promise<void> {
    const left = Object.entries(this.#all).filter(([other]) => other !== key);
    if (key in this.#all) await this.#write(left).catch(() => {});
  }

  get #all(): Record<string, KeptApp> {
    const value = this.memento.get<unknown>(KEY);
    return isObject(value) ? (value as Record<string, KeptApp>) : {};
  }

  #write(entries: readonly [string, KeptApp][]): Promise<void> {
    return keepIn(this.memento, KEY, entries.length > 0 ? Object.fromEntries(entries) : undefined);
  }
}
