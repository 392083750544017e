import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  McpServer,
  type McpServerFactory,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { version } from '../../package.json';
import { registerBoard } from './board';
import { Notebook, SAMPLE_NOTES, withNotes } from './notebook';
import { EVENTS, registerEvents, registerResources } from './noteResources';
import { LEVELS, registerClientTools, registerNoteTools } from './noteTools';
import { COVER_ICON } from './picture';
import { registerPrompts } from './prompts';
import { followRoots, type InRoot } from './roots';

/** It keeps notes of its own in its working directory, with samples to begin with, in place of those of the open project. */
const hasOwnNotes = process.argv.includes('--own-notes');

/** Once for all connections: the notes are written once. */
const folder = hasOwnNotes ? withNotes(process.cwd(), SAMPLE_NOTES) : process.cwd();

const INSTRUCTIONS = `A notebook ${hasOwnNotes ? 'about an invented teapot' : 'for the open project'}: markdown notes in its .notebook folder.
Look with list_notes or search_notes before you add a note, and give it a short name such as "release-plan".
The resources notebook:///notes/{name} hold the same notes. The archive is invented: it only shows a large listing.`;

const HOUR_MS = 3_600_000;

/** Builds the server for one connection; the same code serves both eras of the protocol. */
const createNotebookServer: McpServerFactory = ({ era }) => {
  const server = new McpServer(
    {
      name: 'notebook',
      title: 'Project Notebook',
      version,
      description: 'Notes for the open project, with an example of everything that a server can offer.',
      icons: [COVER_ICON],
    },
    {
      instructions: INSTRUCTIONS,
      capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, extensions: { [EVENTS]: {} } },
      cacheHints: {
        'tools/list': { ttlMs: HOUR_MS },
        'prompts/list': { ttlMs: HOUR_MS },
        'resources/templates/list': { ttlMs: HOUR_MS },
      },
    },
  );
  const notebook = new Notebook(folder, hasOwnNotes);
  const inRoot: InRoot = hasOwnNotes ? handler => handler : followRoots(server, notebook, era);
  registerNoteTools(server, notebook, inRoot);
  registerClientTools(server, notebook, inRoot);
  registerBoard(server, notebook, inRoot);
  registerPrompts(server, notebook, inRoot);
  registerResources(server, notebook, inRoot, era);
  registerEvents(server, notebook);
  return server;
};

/** These lists are given whole, so that no cursor is one of theirs. */
const WHOLE_LISTS: readonly string[] = ['tools/list', 'prompts/list', 'resources/templates/list'];
/** Methods that may precede `initialize`: the era probe and a ping. */
const ALWAYS: readonly string[] = ['initialize', 'ping', 'server/discover'];

/** Stdio, with the answers that the specification wants where the SDK is lenient or has another code. */
class StrictTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  #isInitialized = false;

  constructor(private readonly inner: Transport = new StdioServerTransport()) {
    inner.onclose = () => this.onclose?.();
    inner.onerror = error => this.onerror?.(error);
    inner.onmessage = (message, extra) => this.#receive(message, extra);
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.inner.send(this.#isInitialized ? withLegacyCode(message) : message);
  }

  readonly #receive: NonNullable<Transport['onmessage']> = (message, extra) => {
    const refusal = 'method' in message && 'id' in message ? this.#refusal(message) : undefined;
    if (!refusal) return this.onmessage?.(message, extra);
    const { id } = message as JSONRPCRequest;
    this.inner.send({ jsonrpc: '2.0', id, error: refusal }).catch(error => this.onerror?.(error));
  };

  #refusal({ method, params = {} }: JSONRPCRequest): { code: number; message: string } | undefined {
    const isModern = params._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
    if (method === 'initialize') this.#isInitialized = true;
    // Spec, until 2025-11-25: basic/lifecycle#initialization.
    if (!isModern && !this.#isInitialized && !ALWAYS.includes(method))
      return { code: ProtocolErrorCode.InvalidRequest, message: 'Nothing is served before "initialize"' };
    // Spec: server/utilities/pagination#error-handling, server/utilities/logging#error-handling.
    if (WHOLE_LISTS.includes(method) && params.cursor !== undefined)
      return { code: ProtocolErrorCode.InvalidParams, message: `Unknown cursor: ${String(params.cursor)}` };
    if (method === 'logging/setLevel' && !isModern && !LEVELS.some(level => level === params.level))
      return { code: ProtocolErrorCode.InvalidParams, message: `Unknown log level: ${String(params.level)}` };
    return undefined;
  }
}

/** The code of a missing resource until 2025-11-25 (spec: server/resources#error-handling), which the SDK replaces. */
function withLegacyCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== ProtocolErrorCode.InvalidParams) return message;
  const { uri } = Object(message.error.data) as { uri?: unknown };
  if (typeof uri !== 'string') return message;
  return { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } };
}

serveStdio(createNotebookServer, {
  transport: new StrictTransport(),
  onerror: error => console.error(`[notebook] ${error.message}`),
});
console.error(`[notebook] ${version} is ready; ${hasOwnNotes ? '' : 'without roots '}it works in ${process.cwd()}`);
