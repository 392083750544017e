import { basename } from 'node:path';
import {
  type McpServer,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceCallback,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { archiveResources, countWords, entries, type Notebook } from './notebook';
import { noteUri } from './noteTools';
import { COVER_ICON, drawCover } from './picture';
import { completeEntry, completeMonth, completeNote, completeYear } from './prompts';
import { type InRoot, knowsNotes } from './roots';

const MARKDOWN = 'text/markdown';
/** Of events, as numbered in their draft (SEP-3415#error-handling). */
const NOT_FOUND = -32023;

const README = `# Project Notebook

A small MCP server for trying things out. Its notes are real: markdown files in a folder \`.notebook\`, which \`project.json\` names.

- Ask **@mcp** what the notes say about the release, or how many words they have.
- Call the tool **add_note**, and see the note appear among the resources and the log change.
- Call **reindex** with 20 steps, watch its progress, then cancel it.
- Call **summarize_note** to lend it your model, and **plan_release** to be asked by a form.
- Use the prompt **review_note** and let it complete the name of a note and then one of its sections.
- Fill in the template **Archive month**: which months there are depends on the year.
`;

export function registerResources(server: McpServer, notebook: Notebook, inRoot: InRoot, era: ProtocolEra): void {
  const fixed: Resource[] = [];
  const register = ({ uri, name, ...metadata }: Resource, read: ReadResourceCallback) => {
    fixed.push({ uri, name, ...metadata });
    server.registerResource(name, uri, metadata, read);
  };

  register(
    {
      uri: 'notebook:///readme.md',
      name: 'readme.md',
      title: 'Read me first',
      description: 'What this server can do, and what to try.',
      mimeType: MARKDOWN,
      size: Buffer.byteLength(README),
      annotations: { audience: ['user', 'assistant'], priority: 1 },
    },
    async uri => text(uri, MARKDOWN, README),
  );

  register(
    {
      uri: 'notebook:///project.json',
      name: 'project.json',
      title: 'Project',
      description: 'The project that the notebook belongs to, in numbers.',
      mimeType: 'application/json',
      annotations: { audience: ['assistant'], priority: 0.6 },
    },
    inRoot(async uri => {
      const [root, notes] = await Promise.all([notebook.root, notebook.notes()]);
      const words = notes.reduce((sum, note) => sum + countWords(note.text), 0);
      return text(
        uri,
        'application/json',
        JSON.stringify({ project: basename(root), root, notes: notes.length, words }),
      );
    }),
  );

  register(
    {
      uri: 'notebook:///log.txt',
      name: 'log.txt',
      title: 'Log of this session',
      description: 'Notes added and deleted. Subscribe to it to be notified of each.',
      mimeType: 'text/plain',
      annotations: { audience: ['user'], priority: 0.4 },
    },
    async uri => text(uri, 'text/plain', notebook.log.map(line => `${line}\n`).join('')),
  );

  const cover = drawCover(256);
  register(
    {
      uri: 'notebook:///cover.png',
      name: 'cover.png',
      title: 'Cover',
      description: 'A picture of the notebook.',
      mimeType: 'image/png',
      size: cover.length,
      icons: [COVER_ICON],
      annotations: { audience: ['user'], priority: 0.2 },
    },
    async uri => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: cover.toString('base64') }] }),
  );

  // listing.ts says how resources are listed, so no template brings a listing of its own.
  const list = undefined;
  server.registerResource(
    'note',
    new ResourceTemplate(noteUri('{name}'), { list, complete: { name: completeNote(notebook) } }),
    { title: 'Note', description: 'One note of the project.', mimeType: MARKDOWN },
    inRoot(async (uri, { name }) => {
      const note = (await notebook.notes()).find(other => other.name === name);
      if (!note) throw new ResourceNotFoundError(uri.href);
      return text(uri, MARKDOWN, note.text);
    }),
  );

  const complete = { year: completeYear, month: completeMonth, entry: completeEntry };
  server.registerResource(
    'archive-month',
    new ResourceTemplate('notebook:///archive/{year}/{month}', { list, complete }),
    { title: 'Archive month', description: 'The contents of one month of the archive.', mimeType: MARKDOWN },
    async (uri, { year, month }) => {
      const found = entries(String(year), String(month));
      if (found.length === 0) throw new ResourceNotFoundError(uri.href);
      return text(uri, MARKDOWN, `# ${year}-${month}\n\n${found.map(entry => `- ${entry.title}\n`).join('')}`);
    },
  );
  server.registerResource(
    'archive-entry',
    new ResourceTemplate('notebook:///archive/{year}/{month}/{entry}', { list, complete }),
    { title: 'Archive entry', description: 'One of the 1,000 entries of the archive.', mimeType: MARKDOWN },
    async (uri, { year, month, entry }) => {
      const found = entries(String(year), String(month)).find(({ name }) => name === entry);
      if (!found) throw new ResourceNotFoundError(uri.href);
      return text(uri, MARKDOWN, found.text);
    },
  );

  listResources(server, notebook, fixed);
  announceChanges(server, notebook, era);
}

const text = (uri: URL, mimeType: string, content: string): ReadResourceResult => ({
  contents: [{ uri: uri.href, mimeType, text: content }],
});

/** How many resources one answer to `resources/list` holds. */
const PAGE_SIZE = 200;

/** Resources that change whenever a note comes or goes. */
const CHANGING = ['notebook:///log.txt', 'notebook:///project.json'];

/** Lists resources, notes and archive in pages, which takes a handler of one's own in place of the high-level one. */
function listResources(server: McpServer, notebook: Notebook, fixed: Resource[]): void {
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
function announceChanges(server: McpServer, notebook: Notebook, era: ProtocolEra): void {
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

/** The extension for events (SEP-3415). */
export const EVENTS = 'io.modelcontextprotocol/events';

const NEXT_POLL_MS = 2_000;
const NAME = 'note.added';

const type = {
  name: NAME,
  description: 'A note was added to the notebook.',
  delivery: ['poll'],
  inputSchema: {
    type: 'object',
    properties: { contains: { type: 'string', description: 'Only notes with this in their name' } },
  },
  payloadSchema: { type: 'object', properties: { name: { type: 'string' } } },
};

const pollParams = z.object({
  name: z.string(),
  arguments: z.object({ contains: z.string().optional() }).default({}),
  cursor: z.string().nullish(),
  maxEvents: z.number().int().positive().default(50),
});

/** One type of events, which clients poll: the notes that were added. A position is an index in the log. */
export function registerEvents(server: McpServer, notebook: Notebook): void {
  server.server.setRequestHandler('events/list', { params: z.object({}) }, () => ({ events: [type] }));
  server.server.setRequestHandler('events/poll', { params: pollParams }, params => {
    if (params.name !== NAME)
      throw new ProtocolError(NOT_FOUND, `There are no events ${params.name}`, { kind: 'event' });
    const { log } = notebook;
    const from = params.cursor == null ? log.length : Number(params.cursor);
    if (!Number.isInteger(from)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor');
    const to = Math.min(log.length, from + params.maxEvents);
    const events = log.slice(from, to).flatMap((line, index) => {
      const [timestamp = '', what, name = ''] = line.split(' ');
      if (what !== 'added' || !name.includes(params.arguments.contains ?? '')) return [];
      return [{ eventId: `note-${from + index}`, name: NAME, timestamp, data: { name } }];
    });
    return { events, cursor: String(to), truncated: false, hasMore: to < log.length, nextPollMs: NEXT_POLL_MS };
  });
}
