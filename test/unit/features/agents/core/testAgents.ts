import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AgentWindow } from '../../../../../src/features/agents/core/agentListener';
import { type ClientIdentity, Clients, type StoredClient } from '../../../../../src/features/clients/core/clients';
import { ApprovalPolicy, type StoredApprovals } from '../../../../../src/features/trust/core/approvals';
import type { AuditEvent } from '../../../../../src/features/trust/core/auditLog';
import { Flow, type KeptMarks } from '../../../../../src/features/trust/core/flow';
import { Pins } from '../../../../../src/features/trust/core/pins';
import { Requests } from '../../../../../src/features/trust/core/requestPolicy';
import { type AskApproval, ToolCalls } from '../../../../../src/features/trust/core/toolCalls';
import type { GatewayTrust } from '../../../../../src/gateway';
import { type RunningCall, RunningCalls, type ServerSet } from '../../../../../src/host';
import type { HostPorts } from '../../../../../src/host/definition';
import { fixturePath } from '../../../../servers/spawn';
import { temporaryFolder } from '../../../../setup/paths';
import { raw } from '../../../../setup/raw';
import { TestHost } from '../../../host/testHost';

type AskAboutAgent = ConstructorParameters<typeof Clients>[1];

/** A folder as windows and bridges of one person share it. */
export class AgentsHome {
  readonly folder = temporaryFolder();
  readonly bridge = path.join(this.folder, 'bridge.js');
  readonly #open: { close(): Promise<unknown> }[] = [];

  constructor() {
    fs.copyFileSync(fixturePath('bridge'), this.bridge);
    fs.mkdirSync(path.join(this.folder, 'windows'), { mode: 0o700 });
  }

  /** A folder of a workspace. */
  workspace(name: string): string {
    const folder = path.join(this.folder, 'workspaces', name);
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  get cards(): string[] {
    const folder = path.join(this.folder, 'windows');
    return fs.existsSync(folder) ? fs.readdirSync(folder).map(name => path.join(folder, name)) : [];
  }

  window(folders: readonly string[] = [], ports: Partial<HostPorts> = {}): TestWindow {
    return this.own(new TestWindow(this.folder, folders, ports));
  }

  own<T extends { close(): Promise<unknown> }>(open: T): T {
    this.#open.push(open);
    return open;
  }

  /** A client of the SDK that has started the bridge in a folder. */
  async connect(
    cwd: string,
    { name = 'agent', args = [], era = 'legacy', through = this.bridge, started, env, ...options }: AgentOptions = {},
  ): Promise<Client & { readonly pid: number }> {
    const client = new Client(
      { name, version: '1.2.3' },
      { ...options, versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
    );
    const [command, ...words] = started ?? [process.execPath, through, ...args];
    const inherited = getDefaultEnvironment();
    const transport = new StdioClientTransport({
      command: command!,
      args: words,
      cwd,
      env: { ...inherited, ...env },
      stderr: 'pipe',
    });
    this.own(client);
    await client.connect(transport);
    return Object.assign(client, { pid: transport.pid! });
  }

  /** The bridge as an agent starts it, without a client. */
  start(cwd = this.folder, args: readonly string[] = []) {
    const child = spawn(process.execPath, [this.bridge, ...args], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const [out, err]: [string[], string[]] = [[], []];
    const lines = createInterface(child.stdout).on('line', line => out.push(line));
    createInterface(child.stderr).on('line', line => err.push(line));
    const exited = once(child, 'close').then(([code]) => code as number);
    this.own({
      close: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    });
    return {
      child,
      out,
      err,
      exited,
      say: (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`),
      onLine: (listener: (line: string) => void) => lines.on('line', listener),
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#open.map(open => open.close()));
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface AgentOptions extends ClientOptions {
  name?: string;
  args?: readonly string[];
  era?: 'legacy' | 'modern';
  /** A program that starts the bridge. Absent: the client does. */
  through?: string;
  /** The whole command line in place of that. */
  started?: readonly string[];
  env?: Record<string, string>;
}

/** A window that shares its servers, without an editor. */
export class TestWindow {
  readonly test: TestHost;
  readonly events: AuditEvent[] = [];
  /** What the person says to an agent. */
  allow: AskAboutAgent = async () => 'allow';
  /** What the person says to a call. */
  ask: AskApproval = async () => ({ answer: 'allow' });
  denied: string[] = [];
  /** What the person has marked servers as, by id. */
  marks: Record<string, KeptMarks & { readonly launch: string }> = {};
  /** The person's own profiles, by name. */
  profiles: Record<string, { servers: readonly string[]; tools: readonly string[] }> = {};
  /** Whether the profile in use has a tool. */
  offers = (_tool: string): boolean => true;
  personMs: number | undefined;
  listMs: number | undefined;
  readonly #running = new RunningCalls({ get: () => [], set: () => {} }, raw);
  readonly clients: Clients;
  readonly window: AgentWindow;
  readonly servers: Pick<ServerSet, 'all' | 'get' | 'onDidChange'>;
  readonly trust: Omit<GatewayTrust, 'asker'>;
  readonly policy: ApprovalPolicy;
  #stored: Readonly<Record<string, StoredClient>> = {};

  /** Another window has revoked what was allowed. */
  revokedElsewhere(): void {
    this.#stored = {};
  }

  constructor(home: string, folders: readonly string[], ports: Partial<HostPorts> = {}) {
    this.test = new TestHost(ports);
    const { host } = this.test;
    const rules: Record<'user' | 'workspace', StoredApprovals> = { user: {}, workspace: {} };
    const policy = new ApprovalPolicy(
      {
        get: scope => rules[scope],
        set: async (scope, kept: StoredApprovals) => {
          rules[scope] = kept;
        },
      },
      () => ({ skipReadOnly: false, deny: this.denied }),
    );
    const pins = new Pins({ read: async () => undefined, write: async () => {} }, () => 'enforce');
    const flow = new Flow(
      { marks: { get: () => this.marks, set: async () => {} }, keptReads: undefined, keepReads: () => {} },
      () => ({ isOn: true, added: () => [] }),
      id => host.get(id),
    );
    const audit = { record: (event: AuditEvent) => void this.events.push(event) };
    this.clients = new Clients(
      {
        get: () => this.#stored,
        set: async kept => {
          this.#stored = kept;
        },
      },
      (...asked) => this.allow(...asked),
    );
    const window = this;
    this.servers = {
      get all() {
        return host.servers;
      },
      get: id => host.get(id),
      onDidChange: listener => {
        const changes = [
          host.onDidChangeServers(() => listener(undefined)),
          host.onDidChangeServer(change => listener(change)),
        ];
        return { dispose: () => changes.forEach(change => void change.dispose()) };
      },
    };
    this.trust = {
      requests: new Requests({ open: raw, policy, pins, audit, flow: () => flow }),
      calls: new ToolCalls({
        open: raw,
        policy,
        pins,
        audit,
        make: this.#running.make,
        flow: () => flow,
        trace: () => host.trace,
      }),
      flow: () => flow,
      pins,
      ask: (...call) => this.ask(...call),
      offered: {
        includes: (_, tool) => this.offers(tool.name),
        refusal: (_, tool) => (this.offers(tool.name) ? undefined : `The tool ${tool.name} is not in the profile.`),
        onDidChange: () => ({ dispose: () => {} }),
      },
    };
    this.policy = policy;
    this.window = new AgentWindow({
      home,
      folders: () => folders,
      version: '1',
      servers: this.servers,
      trust: this.trust,
      clients: this.clients,
      includes: () => true,
      profile: name => this.profiles[name],
      get personMs() {
        return window.personMs;
      },
      get listMs() {
        return window.listMs;
      },
    });
  }

  /** Server, tool, origin and agent of each call in the audit log. */
  calls(): unknown[][] {
    return this.events.flatMap(event =>
      event.type === 'call' ? [[event.server, event.tool, event.origin, event.client]] : [],
    );
  }

  /** The agent of a name that the person has allowed. */
  identity(name: string): ClientIdentity {
    const found = this.clients.all.find(({ allowed }) => allowed?.identity.id === name);
    return found?.allowed?.identity ?? assert.fail(name);
  }

  /** The calls that a server works on. */
  running(id: string): RunningCall[] {
    return this.#running.at(id);
  }

  /** Starts the servers of a value of `mcpHost.servers`, and shares them. */
  async share(servers: Record<string, unknown>): Promise<this> {
    this.test.configure(servers);
    await Promise.all(Object.keys(servers).map(id => this.test.loads(id)));
    await this.window.listen();
    return this;
  }

  async close(): Promise<void> {
    await this.window.close();
    await this.test.close();
  }
}
