import {
  type McpServer,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
} from '@modelcontextprotocol/server';
import { archiveResources } from './archive';
import type { Notebook } from './notebook';
import { noteUri } from './noteTools';
import { knowsNotes } from './roots';

/** How many resources one answer to `resources/list` holds. */
const PAGE_SIZE = 200;

/** Resources that change whenever a note comes or goes. */
const CHANGING = ['notebook:///log.txt', 'notebook:///project.json'];

/**
 * Lists the fixed resources, the notes and the archive. The high-level server would list everything at once; a long
 * listing is better answered in pages, which takes a handler of one's own.
 */
export function listResources(server: McpServer, notebook: Notebook, fixed: Resource[]): void {
  server.server.setRequestHandler('resources/list', async ({ params }, ctx) => {
    // The rest is there even where the notes are not.
    const found = knowsNotes(server, notebook, ctx) ? await notebook.notes().catch(() => []) : [];
    const notes = found.map(
      ({ name, size, modified }): Resource => ({
        uri: noteUri(name),
        name: `${name}.md`,
        title: name,
        mimeType: 'text/markdown',
        size,
        annotations: { audience: ['user', 'assistant'], priority: 0.8, lastModified: modified },
      }),
    );
    return page([...fixed, ...notes, ...archiveResources()], params?.cursor);
  });
}

/** One page of a list. The cursor is the index of its first item, which is opaque to clients. */
function page(resources: Resource[], cursor = '0'): { resources: Resource[]; nextCursor?: string } {
  const start = Number(cursor);
  if (!/^\d+$/.test(cursor) || start > resources.length) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown cursor: ${cursor}`);
  }
  const end = start + PAGE_SIZE;
  return { resources: resources.slice(start, end), ...(end < resources.length && { nextCursor: String(end) }) };
}

/**
 * Tells the client when notes come and go. Since 2026-07-28 a client opens a stream for what it wants to hear of, and
 * the SDK passes on only that; before, it subscribes to single resources, and the server has to remember to which.
 */
export function announceChanges(server: McpServer, notebook: Notebook, era: ProtocolEra): void {
  const subscribed = new Set<string>();
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscribed.add(params.uri);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  notebook.on('change', () => {
    if (!server.isConnected()) return;
    server.sendResourceListChanged();
    for (const uri of CHANGING) {
      if (era === 'modern' || subscribed.has(uri)) void server.server.sendResourceUpdated({ uri });
    }
  });
}
