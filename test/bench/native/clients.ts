// A server through the editor's own MCP client, and one through ours, from the same extension host.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { ServerLogs } from '../../../src/features/logging/serverLogs';
import { HostClient } from '../wire/hostClient';

/** Whose client. */
export type Side = 'ours' | 'editors';

/** Servers that the editor's own client knows. */
export const inEditor = { ours: 'mcp-host.mcp-host/wire', bareHttp: `mcp-host-test.native/bare` };

export interface NativeClient {
  /** Calls a tool that only reads: the editor asks nothing. */
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
  close(): Promise<unknown>;
}

/** A program as settings have it. */
export interface ProgramServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts one server; resolves when its tools are listed. */
export type Start = (side: Side, args: readonly string[]) => Promise<NativeClient>;

/** Registers what the extension's manifest announces. */
export type Register = (provider: vscode.McpServerDefinitionProvider) => vscode.Disposable;

const publisherAndName = 'mcp-host-test.native';
const bareHttp = join(__dirname, 'bareHttp.js');
/** For the tools of a server that was started. */
const seenWithinMs = 1_000;
const trace = { messages: 10_000, size: 32 * 1024 * 1024 };

/**
 * What starts servers. The editor remembers the tools of a server that it has seen: each start has a server that is new
 * to it, all of which it knows of beforehand.
 */
export class Servers implements vscode.Disposable {
  readonly #definitions: vscode.McpStdioServerDefinition[];
  /** How many of them came first. */
  readonly #first: number;
  readonly #changes = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  readonly #bare: ChildProcess;
  readonly #logs = new ServerLogs();
  readonly #used = new Set<vscode.McpStdioServerDefinition>();
  /** How many servers `startNew` has started. */
  #started = 0;
  /** How many tools there were before the last of them. */
  #before = 0;

  /** @param args of Node for each server that the editor is to start. */
  constructor(args: readonly (readonly string[])[], register: Register) {
    this.#definitions = args.map(
      (of, i) => new vscode.McpStdioServerDefinition(`bench${i}x`, process.execPath, [...of], {}, '1'),
    );
    this.#first = args.length;
    this.#bare = spawn(process.execPath, [bareHttp], { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = once(this.#bare.stdout!.setEncoding('utf8'), 'data').then(([line]) => vscode.Uri.parse(line.trim()));
    this.#registration = register({
      onDidChangeMcpServerDefinitions: this.#changes.event,
      provideMcpServerDefinitions: async () => [
        ...this.#definitions,
        new vscode.McpHttpServerDefinition('bare', await url, {}, '1'),
      ],
    });
  }

  readonly start: Start = async (side, args) => {
    if (side === 'editors') return this.#startEditors(args);
    const client = await HostClient.start(args, undefined, this.#logs);
    client.trace(trace);
    return client;
  };

  /**
   * Starts servers that the editor's own client has not seen before, all at once.
   * @param tools how many they have together.
   * @returns when the first was asked for and when extensions could see all tools, in milliseconds since 1970.
   */
  async startNew(servers: Readonly<Record<string, ProgramServer>>, tools: number): Promise<[from: number, to: number]> {
    const definitions = Object.entries(servers).map(
      ([name, { command, args, env }]) =>
        // One that was stopped is known, with its tools.
        new vscode.McpStdioServerDefinition(`${name}-${this.#started++}`, command, [...args], { ...env }, '1'),
    );
    this.#before = toolNames().length;
    const wanted = this.#before + tools;
    this.#definitions.push(...definitions);
    this.#changes.fire();
    const from = Date.now();
    // A server that the window has not heard of yet is not started: again.
    while (toolNames().length < wanted) {
      if (Date.now() > from + 120_000) throw new Error(`${definitions[0]?.label} showed no tools in two minutes.`);
      await Promise.all(definitions.map(({ label }) => startLive(`${publisherAndName}/${label}`)));
    }
    return [from, Date.now()];
  }

  /** Stops servers that were started by `startNew`. Resolves when their tools are gone: those of the next would be counted with them. */
  async stopNew(): Promise<void> {
    for (const { label } of this.#definitions.splice(this.#first))
      await vscode.commands.executeCommand('workbench.mcp.stopServer', `${publisherAndName}/${label}`);
    this.#changes.fire();
    const latest = Date.now() + 60_000;
    while (toolNames().length > this.#before) {
      if (Date.now() > latest) throw new Error('The editor kept the tools of servers that were stopped.');
      await setTimeout(20);
    }
  }

  async #startEditors(args: readonly string[]): Promise<NativeClient> {
    const next = this.#definitions.find(
      definition => !this.#used.has(definition) && `${definition.args}` === `${args}`,
    );
    if (!next) throw new Error(`No server is left for ${args}`);
    this.#used.add(next);
    return startInEditor(`${publisherAndName}/${next.label}`);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
    this.#logs.dispose();
    this.#bare.kill();
  }
}

/**
 * Starts a server of the editor's own client; resolves when extensions see its tools.
 * @param id of the server: its extension, `/`, its label.
 */
export async function startInEditor(id: string): Promise<NativeClient> {
  // The tools are named by what the server says of itself, with a number when others say the same.
  const before = new Set(toolNames());
  let echo: string | undefined;
  // A server that the window has not heard of yet is not started: again.
  while (!echo) {
    await startLive(id);
    // The window tells extensions of new tools a little later.
    for (const end = performance.now() + seenWithinMs; !echo && performance.now() < end; ) {
      echo = toolNames().find(name => name.endsWith('_echo') && !before.has(name));
      if (!echo) await new Promise(setImmediate);
    }
  }
  const prefix = echo.slice(0, -'echo'.length);
  return {
    call: async (name, input) => vscode.lm.invokeTool(prefix + name, { input, toolInvocationToken: undefined }),
    close: async () => vscode.commands.executeCommand('workbench.mcp.stopServer', id),
  };
}

const startLive = (id: string) =>
  vscode.commands.executeCommand('workbench.mcp.startServer', id, { waitForLiveTools: true });

const toolNames = () => vscode.lm.tools.map(({ name }) => name);
