import { basename } from 'node:path';
import {
  type McpServer,
  type ProtocolEra,
  type ReadResourceCallback,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { entries } from './archive';
import { completeEntry, completeMonth, completeNote, completeYear } from './completion';
import { announceChanges, listResources } from './listing';
import { countWords, type Notebook } from './notebook';
import { noteUri } from './noteTools';
import { COVER_ICON, drawCover } from './picture';
import type { InRoot } from './roots';

const MARKDOWN = 'text/markdown';

const README = `# Project Notebook

A small MCP server for trying things out. Its notes are real: markdown files in a folder \`.notebook\`, which \`project.json\` names.

- Ask **@mcp** what the notes say about the release, or how many words they have.
- Call the tool **add_note**, and see the note appear among the resources and the log change.
- Call **reindex** with 20 steps, watch its progress, then cancel it.
- Call **summarize_note** to lend it your model, and **plan_release** to be asked by a form.
- Use the prompt **review_note** and let it complete the name of a note and then one of its sections.
- Fill in the template **Archive month**: which months there are depends on the year.
`;

/** The resources and the templates. */
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
