import type { CompleteRequest } from '@modelcontextprotocol/client';
import { HostError } from '../../../base/errors';
import { isObject, ownMember, parsedJson } from '../../../base/json';
import { english } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { McpHost, outputProblem, type ServerConnection } from '../../../host';
import type { CatalogKind } from '../../../host/catalog';
import type { LogEntry, ProgramPorts, ServerDefinition } from '../../../host/definition';
import { TEST_CLIENT, TEST_OPTIONS, UNGUARDED } from './testSession';

/** One request, as `mcptest` is told it on its command line. */
export type OneRequest =
  | { readonly kind: 'call'; readonly tool: string; readonly args: GivenArguments }
  | { readonly kind: 'read'; readonly uri: string }
  | { readonly kind: 'get'; readonly prompt: string; readonly args: Readonly<Record<string, string>> }
  | { readonly kind: 'complete'; readonly params: CompleteRequest['params'] }
  | { readonly kind: 'list'; readonly lists: readonly CatalogKind[] };

interface RequestAnswer {
  /** In the form of the specification. */
  readonly result: unknown;
  /** Why the request counts as failed although there is a result: the tool reports an error, or breaks its own schema. */
  readonly problem?: string;
}

interface OneRequestOptions {
  readonly ports: Omit<ProgramPorts, 'roots'>;
  readonly signal: AbortSignal;
  readonly onLog?: (entry: LogEntry) => void;
}

const MAX_NAMES = 20;

/**
 * Starts a server, makes one request and ends the server. The server gets no roots, and nobody answers what it asks.
 * @throws HostError which names the server, what was being done, and the remedy.
 */
export async function makeOneRequest(
  definition: ServerDefinition,
  request: OneRequest,
  { ports, signal, onLog }: OneRequestOptions,
): Promise<RequestAnswer> {
  const host = new McpHost(
    TEST_CLIENT,
    {
      ...ports,
      log: {
        log: (_server, entry) => {
          if (entry.source !== 'lifecycle') onLog?.(entry);
        },
        level: () => (onLog ? 'debug' : 'emergency'),
      },
      roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
      memory: { read: async () => undefined, write: async () => {} },
    },
    TEST_OPTIONS,
  );
  try {
    host.reconcile([definition]);
    const server = host.get(definition.id)!;
    void server.start('a request is to be made');
    await server.untilReady(signal).catch(error => {
      // The reason, in place of the news that the server does not run.
      throw 'error' in server.state ? server.state.error : error;
    });
    return await perform(request, server, UNGUARDED.doors(host.requests), signal);
  } finally {
    await host.dispose();
  }
}

async function perform(
  request: OneRequest,
  server: ServerConnection,
  doors: ReturnType<typeof UNGUARDED.doors>,
  signal: AbortSignal,
): Promise<RequestAnswer> {
  const requests = doors.requests(server);
  switch (request.kind) {
    case 'read':
      return { result: await requests.readResource(request.uri, signal) };
    case 'get':
      return { result: await requests.getPrompt(request.prompt, { ...request.args }, signal) };
    case 'complete':
      return { result: { completion: await requests.complete(request.params, signal) } };
    case 'list': {
      const lists: [CatalogKind, unknown][] = [];
      for (const kind of request.lists) lists.push([kind, await listed(server, kind, signal)]);
      return { result: Object.fromEntries(lists) };
    }
    case 'call': {
      const tools = await listed(server, 'tools', signal);
      const tool = tools.find(({ name }) => name === request.tool);
      if (!tool) throw noTool(server, request.tool, tools);
      const result = await doors.call(server, tool, readArguments(tool.inputSchema, request.args), signal);
      const misfit = outputProblem(tool, result);
      const problem = result.isError ? 'the tool reports an error' : misfit && english(misfit);
      return { result, ...(problem && { problem }) };
    }
  }
}

/** All pages of a list. @throws HostError */
async function listed<K extends CatalogKind>(server: ServerConnection, kind: K, signal: AbortSignal) {
  const { catalog } = server;
  await catalog.loaded(kind);
  if (catalog.list(kind).more) await catalog.loadAllPages(kind, signal);
  const { items, status, error } = catalog.list(kind);
  if (status === 'failed' && error) throw error;
  return items;
}

function noTool(server: ServerConnection, wanted: string, tools: readonly { readonly name: string }[]): HostError {
  const names = tools.slice(0, MAX_NAMES).map(({ name }) => visible(name, 60));
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : '';
  return new HostError({
    code: 'NOT_READY',
    server: server.name,
    action: `call ${visible(wanted, 60)}`,
    reason: 'it lists no tool of that name',
    remedy: names.length > 0 ? `Call one of its tools: ${names.join(', ')}${more}.` : 'It lists no tools at all.',
  });
}

/** The arguments of a call as a person types them: JSON, and `name=value` pairs, which win. */
export interface GivenArguments {
  readonly json?: Readonly<Record<string, unknown>>;
  readonly pairs: readonly (readonly [name: string, value: string])[];
}

/** Splits `name=value`. Undefined if there is no name. */
export function pairOf(text: string): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : undefined;
}

/**
 * The arguments to send. A value is JSON where the tool's schema does not ask for a text: `count=3` is a number, unless `count` is
 * to be a string. What is no JSON is a text all the same, so that the server can say what it thinks of it.
 */
export function readArguments(inputSchema: unknown, { json, pairs }: GivenArguments): Record<string, unknown> {
  const typed = pairs.map(([name, value]) => {
    return [name, isText(ownMember(ownMember(inputSchema, 'properties'), name)) ? value : jsonOr(value)] as const;
  });
  return Object.fromEntries([...Object.entries(json ?? {}), ...typed]);
}

function isText(property: unknown): boolean {
  if (!isObject(property)) return false;
  const { type, enum: values, const: only } = property;
  if (type !== undefined) return [type].flat().includes('string');
  const known = Array.isArray(values) ? values : only === undefined ? [] : [only];
  return known.length > 0 && known.every(value => typeof value === 'string');
}

function jsonOr(text: string): unknown {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}
