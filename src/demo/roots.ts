import { fileURLToPath } from 'node:url';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ProtocolEra,
  type Root,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Notebook } from './notebook';

/** A client that offers roots but never tells them must not hold up everything. */
const ROOTS_TIMEOUT_MS = 5_000;

/** Wraps a handler of a tool, a prompt or a resource, so that it runs when the notebook is that of the client's root. */
export type InRoot = <Args extends unknown[], Result>(
  handler: (...args: [...Args, ServerContext]) => Promise<Result>,
) => (...args: [...Args, ServerContext]) => Promise<Result | InputRequiredResult>;

/**
 * Keeps the notebook in the first folder of the client's roots, or else in the working directory. How a server learns of the
 * roots differs between the eras of the protocol:
 *
 * - before 2026-07-28 the server asks when the session starts, and again when the client announces changes;
 * - since then a server sends no requests and a client announces no changes: each call asks anew, by answering that it needs
 *   input. The client looks it up and repeats the call, this time with its answer.
 */
export function followRoots(server: McpServer, notebook: Notebook, era: ProtocolEra): InRoot {
  if (era === 'legacy') {
    const ask = () => {
      const answer = server.server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS }).catch(() => ({ roots: [] }));
      notebook.open(answer.then(({ roots }) => firstFolder(roots)));
    };
    server.server.oninitialized = () => {
      if (server.server.getClientCapabilities()?.roots) ask();
    };
    server.server.setNotificationHandler('notifications/roots/list_changed', ask);
    return handler => handler;
  }
  return handler =>
    async (...args) => {
      const ctx = args.at(-1) as ServerContext;
      const { inputResponses } = ctx.mcpReq;
      if (inputResponses === undefined && declaredCapabilities(server, ctx).roots) {
        return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
      }
      const answer = inputResponse(inputResponses, 'roots');
      if (answer.kind === 'roots') {
        const wasOpened = notebook.isOpened;
        notebook.open(Promise.resolve(firstFolder(answer.roots)));
        // The list has the notes from now on, also if they are where the server works.
        if (!wasOpened) notebook.emit('change');
      }
      return handler(...args);
    };
}

/**
 * Whether it is known which notes are meant. Listing cannot ask. Until another request has asked, notes of the working directory
 * must not be listed, because it may belong to another project.
 */
export const knowsNotes = (server: McpServer, notebook: Notebook, ctx: ServerContext): boolean =>
  notebook.isOpened || !declaredCapabilities(server, ctx).roots;

/** The client's capabilities: sent with each request since 2026-07-28, once per session before. */
export function declaredCapabilities(server: McpServer, ctx: ServerContext): ClientCapabilities {
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = ctx.mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {};
}

/** The first root that is a folder of this machine; for any other `fileURLToPath` throws. */
function firstFolder(roots: Root[]): string {
  for (const { uri } of roots) {
    try {
      return fileURLToPath(uri);
    } catch {}
  }
  return process.cwd();
}
