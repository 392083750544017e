// A client of the demo server: the real bundle in a real process, spoken to in either era of the protocol.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  CallToolResult,
  ClientCapabilities,
  CreateMessageResult,
  DiscoverResult,
  ElicitResult,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { waitFor } from '../../servers/spawn';
import { inRepository, remove, temporaryFolder } from '../../setup/paths';

export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

/** The demo server as it ships; another file under Wine, whose drives have other names (`test/compat/windows.ts`). */
export const demoServer = (): string => process.env.DEMO_SERVER ?? inRepository('dist', 'demo-server.js');

export interface DemoOptions {
  era: Era;
  /** Folders or URIs to name as roots, or 'none' for a client without that capability. Default: the `project`. */
  roots?: 'none' | (() => string[]);
  /** Whether it keeps notes of its own. */
  hasOwnNotes?: boolean;
  /** Of an earlier one. Default: a new, empty folder. */
  project?: string;
  /** Answers `sampling/createMessage`; without it the client has no such capability. */
  sample?: (prompt: string) => CreateMessageResult;
  /** Answers `elicitation/create`; without it the client has no such capability. */
  fill?: (schema: { properties: Record<string, unknown> }) => ElicitResult;
}

export interface Demo {
  client: Client;
  /** The folder that is the first root, and the `cwd` of the server where there are no roots. */
  project: string;
  stderr(): string;
  /** What the server told by notifications, in order. */
  logs: { level: string; logger?: string; data: unknown }[];
  updated: string[];
  listChanges: number;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** Puts a note there, past the server. */
  write(name: string, text: string): void;
  notes(): string[];
}

const started: Demo[] = [];

/** What the first modern client found out. It spares the others a second process, which the SDK asks beforehand. */
let discovered: DiscoverResult | undefined;

export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { era, roots, sample, fill, hasOwnNotes } = options;
  const project = options.project ?? fs.realpathSync(temporaryFolder());
  const capabilities: ClientCapabilities = {
    ...(roots !== 'none' && { roots: { listChanged: true } }),
    ...(sample && { sampling: {} }),
    ...(fill && { elicitation: { form: {} } }),
  };
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (roots !== 'none') {
    const uris = () => (roots?.() ?? [project]).map(root => (root.includes('://') ? root : `${pathToFileURL(root)}`));
    client.setRequestHandler('roots/list', () => ({ roots: uris().map(uri => ({ uri })) }));
  }
  if (sample) {
    client.setRequestHandler('sampling/createMessage', ({ params }) => sample(JSON.stringify(params.messages)));
  }
  if (fill) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (!('requestedSchema' in params)) throw new Error('not a form');
      return fill(params.requestedSchema);
    });
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [demoServer(), ...(hasOwnNotes ? ['--own-notes'] : [])],
    cwd: project,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', chunk => {
    stderr += chunk;
  });
  const demo: Demo = {
    client,
    project,
    stderr: () => stderr,
    logs: [],
    updated: [],
    listChanges: 0,
    call: (name, args = {}) =>
      // A client of today says with each request from which level on it wants log messages.
      client.callTool({ name, arguments: args, _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }),
    write: (name, text) => {
      fs.mkdirSync(path.join(project, '.notebook'), { recursive: true });
      fs.writeFileSync(path.join(project, '.notebook', `${name}.md`), text);
    },
    notes: () =>
      fs.existsSync(path.join(project, '.notebook')) ? fs.readdirSync(path.join(project, '.notebook')) : [],
  };
  client.setNotificationHandler('notifications/message', ({ params }) => void demo.logs.push(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void demo.updated.push(params.uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => void demo.listChanges++);
  started.push(demo);
  const prior = era === 'modern' && discovered ? ({ kind: 'modern', discover: discovered } as const) : undefined;
  await client.connect(transport, { ...(prior && { prior }) });
  discovered ??= client.getDiscoverResult();
  return demo;
}

/** Ends what `startDemo` began; for `afterEach`. */
export async function stopDemos(): Promise<void> {
  for (const { client, project } of started.splice(0)) {
    await client.close();
    remove(project);
  }
}

/** Waits until `condition` holds. */
export const until = async (condition: () => boolean, what: string): Promise<void> =>
  void (await waitFor(condition, { what }));

/** All text of a tool's result. */
export const textOf = ({ content }: CallToolResult): string =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('\n');
