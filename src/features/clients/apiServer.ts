import type { Prompt, Tool } from '@modelcontextprotocol/client';
import type {
  CallOptions,
  McpServer,
  McpServerControl,
  McpServerError,
  McpToolResult,
  RequestOptions,
} from '../../../docs/api';

import { DisposableStore } from '../../base/events';
import { isObject } from '../../base/json';
import { namedFor, restored, revealedData } from '../../base/modelData';
import { english } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerConnection, ServerSet } from '../../host';
import { appOf, type CatalogItems, type CatalogKind, isFor } from '../../host/catalog';
import { argumentRefusal } from '../languageModel';
import type { MadeCall, Trust } from '../trust';
import { ApiError, copyOf } from './apiError';
import { type ApiSession, isOf } from './apiSession';
import { untilUp } from './ownServers';

type Arguments = Readonly<Record<string, unknown>>;

/** Messages of a trace at once. */
const MAX_MESSAGES = 1_000;
const MAX_TEXT = 1_000;

type LogLine = Readonly<{ at: number; level: string; text: string }>;

export interface ApiServerServices {
  readonly servers: Pick<ServerSet, 'get' | 'trace'>;
  readonly trust: Pick<Trust, 'calls' | 'pins' | 'requests'>;
  readonly logsOf: (server: ServerConnection) => readonly LogLine[];
  readonly openApp: (call: { server: ServerConnection; tool: Tool } & Pick<MadeCall, 'args' | 'result'>) => void;
  readonly openResource: (server: ServerConnection, uri: string) => Promise<unknown>;
}

/**
 * One server as an extension gets it: the same connection, approvals, pins and audit log as for everybody else. What servers send
 * is copied, and hidden characters in it are made visible, as extensions give it to models.
 */
export function apiServer(services: ApiServerServices, server: ServerConnection, session: ApiSession): McpServer {
  const { id, name } = server;
  const { pins, requests } = services.trust;
  const { client } = session;
  const { readResource, getPrompt, complete, subscribe, permitted } = requests.as({
    origin: 'extension',
    client,
    trail: undefined,
    ask: session.ask,
  })(server);
  /** Runs one request of the extension, if the server is still there. */
  const run = <T>(options: RequestOptions | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    session.run(options?.token, signal => {
      if (services.servers.get(id) !== server) throw new ApiError('NOT_FOUND', `MCP server "${id}" is gone.`);
      return act(signal);
    });
  const control = isOf(client, server) ? controlOf(services, server, session) : undefined;
  const copies = <T>(items: readonly T[]): T[] => structuredClone(items.map(revealedData));

  /** The tool is looked up among those that the server lists now. */
  async function call(toolName: string, given: Arguments, options: CallOptions | undefined, signal: AbortSignal) {
    if (!isObject(given)) throw new ApiError('INVALID', 'The arguments are no object.');
    const tools = await listed(server, 'tools', signal);
    const tool = namedFor(
      tools.filter(one => isFor('model', one)),
      toolName,
    );
    if (!tool) throw new ApiError('NOT_FOUND', `MCP server "${id}" has no tool ${visible(toolName, 100)}.`);
    // A copy: what the person approves is what is sent.
    const args = restored(tool.inputSchema, copyOf(given));
    const problem = argumentRefusal(tool, args);
    if (problem) throw new ApiError('INVALID', `${visible(tool.name, 100)} was not called: ${problem}`);
    await pins.offer(server);
    const wanted = { server, tool, args, origin: 'extension', client } as const;
    const answer = await services.trust.calls.approve(wanted, session.ask);
    signal.throwIfAborted();
    if (!answer.approved) throw new ApiError('REFUSED', english(answer.message));
    const onProgress = options?.onProgress?.bind(options);
    return { tool, made: await answer.run({ signal, onProgress }) };
  }

  return Object.freeze<McpServer>({
    id,
    name,
    get state() {
      session.assertAllowed();
      return server.state.kind;
    },
    get error() {
      session.assertAllowed();
      return errorOf(server);
    },
    control,
    listTools: options =>
      run(options, async signal => {
        const tools = await listed(server, 'tools', signal);
        await pins.offer(server);
        return copies(tools.filter(tool => isFor('model', tool) && !pins.blocks(server, tool)));
      }),
    listPrompts: options =>
      run(options, async signal => {
        const prompts = await listed(server, 'prompts', signal);
        await pins.offer(server);
        return copies(prompts.filter(prompt => !pins.blocksPrompt(server, prompt)));
      }),
    listResources: options =>
      run(options, async signal =>
        copies(await pins.offerResources(server, 'resource', await listed(server, 'resources', signal))),
      ),
    listResourceTemplates: options =>
      run(options, async signal =>
        copies(
          await pins.offerResources(server, 'resourceTemplate', await listed(server, 'resourceTemplates', signal)),
        ),
      ),
    callTool: (tool, args = {}, options) =>
      run(options, async signal => resultOf((await call(tool, args, options, signal)).made)),
    openApp: (toolName, args = {}, options) =>
      run(options, async signal => {
        const { tool, made } = await call(toolName, args, options, signal);
        if (appOf(tool) === undefined)
          throw new ApiError('NOT_FOUND', `The tool ${visible(tool.name, 100)} has no app.`);
        services.openApp({ server, tool, args: made.args, result: made.result });
        return resultOf(made);
      }),
    readResource: (uri, options) =>
      run(options, async signal => {
        text(uri);
        return structuredClone(await readResource(uri, signal));
      }),
    getPrompt: (prompt, args = {}, options) =>
      run(options, async signal => {
        text(prompt);
        const known: Prompt | undefined = namedFor(await listed(server, 'prompts', signal), prompt);
        if (!known) throw new ApiError('NOT_FOUND', `MCP server "${id}" has no prompt ${visible(prompt, 100)}.`);
        return getPrompt(known.name, restored(known.arguments, { ...args }), signal);
      }),
    complete: (params, options) =>
      run(options, async signal =>
        revealedData(await complete(copyOf(params) as Parameters<typeof complete>[0], signal)),
      ),
    subscribe: (uri, listener) => {
      text(uri);
      return session.keep(() => {
        const own = new DisposableStore();
        const { allowed } = own.add(subscribe(uri));
        const listen = () =>
          server.subscriptions.onDidUpdate(changed => {
            if (changed === uri) listener(uri);
          });
        // Others may follow what this extension may not.
        allowed.then(
          () => own.add(listen()),
          () => {},
        );
        return own;
      });
    },
    openResource: uri =>
      run(undefined, async signal => {
        text(uri);
        // The editor reads it for the person, but it is this extension that says what.
        await permitted({ method: 'resources/read', params: { uri } }, signal);
        await services.openResource(server, uri);
      }),
  });
}

function errorOf({ state }: ServerConnection): McpServerError | undefined {
  if (!('error' in state)) return undefined;
  const { code, reason, remedy } = state.error;
  return { code, reason: visible(reason, MAX_TEXT), ...(remedy && { remedy: visible(remedy, MAX_TEXT) }) };
}

/** What the extension may do with a server of its own. What a start needs of the person is asked as at any other. */
function controlOf(services: ApiServerServices, server: ServerConnection, session: ApiSession): McpServerControl {
  const { id } = server;
  const why = `the extension ${session.client.id} wants it`;
  const act = (options: RequestOptions | undefined, what: (signal: AbortSignal) => Promise<void>) =>
    session.wait(options?.token, async signal => {
      if (services.servers.get(id) !== server) throw new ApiError('NOT_FOUND', `MCP server "${id}" is gone.`);
      await what(signal);
    });
  const bringUp = (how: 'restart' | 'start') => (options?: RequestOptions) =>
    act(options, signal => {
      void server[how](why);
      return untilUp(server, signal);
    });
  return Object.freeze<McpServerControl>({
    start: bringUp('start'),
    stop: () => act(undefined, () => server.stop(why)),
    restart: bringUp('restart'),
    logs: () => {
      session.assertAllowed();
      return services.logsOf(server).map(({ at, level, text }) => ({ at, level, text }));
    },
    trace: after => {
      session.assertAllowed();
      const { trace } = services.servers;
      const records = trace?.records(after).filter(record => record.server === id) ?? [];
      return records.slice(-MAX_MESSAGES).map(record => {
        const { seq, at, direction } = record;
        return { seq, at, direction, text: trace!.readable(record) };
      });
    },
  });
}

/** Everything that a server lists, once it has. A server that is used on demand starts for it. */
async function listed<K extends CatalogKind>(
  server: ServerConnection,
  kind: K,
  signal: AbortSignal,
): Promise<readonly CatalogItems[K][]> {
  await server.untilReady(signal);
  await server.catalog.loaded(kind);
  if (server.catalog.list(kind).more) await server.catalog.loadAllPages(kind, signal);
  const { items, status, error } = server.catalog.list(kind);
  if (status === 'failed' && items.length === 0) throw error;
  return items;
}

/** The result, and a line on what is wrong with it although the tool was carried out. */
function resultOf({ result, problem }: MadeCall): McpToolResult {
  const shown = revealedData(result);
  if (!problem) return shown;
  return { ...shown, content: [...shown.content, { type: 'text', text: `[MCP Host: ${english(problem)}]` }] };
}

/** @throws ApiError for other values, whatever their declared type. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ApiError('INVALID', 'A text is expected.');
}
