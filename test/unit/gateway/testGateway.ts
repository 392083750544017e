import * as http from 'node:http';
import { Readable } from 'node:stream';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { OfferedTools } from '../../../src/features/profiles';
import { ApprovalPolicy, type StoredApprovals } from '../../../src/features/trust/core/approvals';
import type { AuditEvent } from '../../../src/features/trust/core/auditLog';
import { Flow, type KeptMarks } from '../../../src/features/trust/core/flow';
import { type PinMode, Pins } from '../../../src/features/trust/core/pins';
import { Requests } from '../../../src/features/trust/core/requestPolicy';
import { type CallToApprove, type PersonsAnswer, ToolCalls } from '../../../src/features/trust/core/toolCalls';
import { Gateway, type GatewayAddress, type GatewayOptions, type GatewayTrust } from '../../../src/gateway';
import { RunningCalls } from '../../../src/host';
import { raw } from '../../setup/raw';
import { TestHost } from '../host/testHost';

export type Era = 'legacy' | 'modern';
export const ERAS = ['legacy', 'modern'] as const;

/** A gateway on a host without an editor, with trust that is as long as a test. */
export class TestGateway {
  readonly test = new TestHost();
  readonly events: AuditEvent[] = [];
  readonly refused: Parameters<GatewayOptions['refused']>[0][] = [];
  readonly failures: string[] = [];
  moves = 0;
  readonly gateway: Gateway;
  readonly pins: Pins;
  readonly flow: Flow;
  /** What the person has marked servers as, by id. */
  marks: Record<string, KeptMarks & { readonly launch: string }> = {};
  denied: string[] = [];
  /** Whether tools that say they only read are allowed. */
  skipReadOnly = false;
  pinMode: PinMode = 'enforce';
  /** What was kept of every server, as an earlier window left it. */
  pinned: unknown;
  /** What the person says when they are asked. */
  answer: (call: CallToApprove) => PersonsAnswer | undefined = () => ({ answer: 'allow' });
  /** Asks about the page of an app. */
  appPage: GatewayTrust['appPage'];
  /** What clients were last given as readers, by server. */
  readonly readers = new Map<string, readonly string[]>();
  /** Who asks before calls. */
  asker: ReturnType<GatewayTrust['asker']> = 'client';
  readonly requests: Requests;
  readonly #clients: Client[] = [];
  readonly #running = new RunningCalls({ get: () => [], set: () => {} }, raw);

  constructor({
    offered,
    ...options
  }: Pick<GatewayOptions, 'findTools' | 'isActedOn' | 'mostListed' | 'tcp' | 'toolConversion'> & {
    offered?: OfferedTools;
  } = {}) {
    const rules: Record<'user' | 'workspace', StoredApprovals> = { user: {}, workspace: {} };
    const store = { get: (scope: 'user' | 'workspace') => rules[scope], set: async () => {} };
    const policy = new ApprovalPolicy(store, () => ({ skipReadOnly: this.skipReadOnly, deny: this.denied }));
    this.pins = new Pins({ read: async () => this.pinned, write: async () => {} }, () => this.pinMode);
    const { host } = this.test;
    this.flow = new Flow(
      { marks: { get: () => this.marks, set: async () => {} }, keptReads: undefined, keepReads: () => {} },
      () => ({ isOn: true, added: () => [] }),
      id => host.get(id),
    );
    const audit = { record: (event: AuditEvent) => void this.events.push(event) };
    const calls = new ToolCalls({
      open: raw,
      policy,
      pins: this.pins,
      audit,
      make: this.#running.make,
      flow: () => this.flow,
      trace: () => host.trace,
    });
    this.requests = new Requests({ open: raw, policy, pins: this.pins, audit, flow: () => this.flow });
    this.gateway = new Gateway({
      servers: {
        get all() {
          return host.servers;
        },
        get: id => host.get(id),
      },
      trust: {
        calls,
        requests: this.requests,
        flow: () => this.flow,
        pins: this.pins,
        ask: async call => this.answer(call),
        asker: () => this.asker,
        readers: {
          of: ({ id }) => this.readers.get(id) ?? [],
          keep: ({ id }, names) => void this.readers.set(id, names),
        },
        appPage: async (...page) => this.appPage?.(...page) ?? page[2],
        ...(offered && { offered }),
      },
      refused: refusal => void this.refused.push(refusal),
      failed: message => void this.failures.push(message),
      moved: () => this.moves++,
      onDidLog: listener => this.test.onLog.event(entry => entry.source === 'server' && listener(entry)),
      ...options,
    });
    host.onDidChangeServers(() => this.gateway.update());
  }

  /** Starts the servers of a value of `mcpHost.servers`, and the gateway. */
  async serve(servers: Record<string, unknown>): Promise<void> {
    this.test.configure(servers);
    await Promise.all(Object.keys(servers).map(id => this.test.loads(id)));
    await this.gateway.listen();
  }

  address(id: string): GatewayAddress {
    return this.gateway.address(this.test.server(id));
  }

  /** A client of the SDK, as any host would use it, connected to a server through the gateway. */
  async connect(id: string, era: Era, options: ClientOptions = {}): Promise<Client> {
    const client = new Client(
      { name: 'editor', version: '1' },
      { ...options, versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
    );
    const address = this.address(id);
    const transport = new StreamableHTTPClientTransport(new URL(address.path, 'http://localhost'), {
      requestInit: { headers: address.headers },
      fetch: socketFetch(address),
    });
    await client.connect(transport);
    this.#clients.push(client);
    return client;
  }

  /** One request without a client. */
  fetch(id: string, init: RequestInit & { path?: string } = {}): Promise<Response> {
    const address = this.address(id);
    return socketFetch(address)(new URL(init.path ?? address.path, 'http://localhost'), init);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#clients.map(client => client.close()));
    await this.gateway.close();
    await this.test.close();
  }
}

/** Where to connect to. */
export function target(address: GatewayAddress): { socketPath: string } | { host: string; port: number } {
  if (address.scheme !== 'http') return { socketPath: address.at };
  const [host = '', port] = address.at.split(':');
  return { host, port: Number(port) };
}

/** `fetch` over a socket: Node's own takes none. */
export function socketFetch(address: GatewayAddress): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const headers = Object.fromEntries(new Headers(init.headers));
      const options = { ...target(address), path: pathname + search, method: init.method ?? 'GET', headers };
      const request = http.request({ ...options, agent: false, signal: init.signal ?? undefined }, answer => {
        const { statusCode = 0 } = answer;
        const hasBody = statusCode !== 204 && statusCode !== 304;
        const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
        resolve(new Response(body, { status: statusCode, headers: answer.headers as Record<string, string> }));
      });
      request.on('error', reject);
      request.end(init.body as string | undefined);
    });
}
