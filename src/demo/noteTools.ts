import type { CallToolResult, McpServer, ResourceLink } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { countWords, NOTE_NAME, type Notebook, type StoredNote } from './notebook';
import { COVER_ICON } from './picture';
import type { InRoot } from './roots';

/** Where a note is to be read as a resource. */
export const noteUri = (name: string): string => `notebook:///notes/${name}`;

/** An argument that names a note. The description and the pattern are what a model gets to see of it. */
export const noteName = z.string().regex(NOTE_NAME).describe('Name of a note: letters, digits, "-" and "_"');

const summary = z.object({ name: z.string(), uri: z.string(), words: z.number(), modified: z.string() });
const hit = z.object({ name: z.string(), line: z.number().describe('From 1'), text: z.string() });

/** The tools that work on the notes alone. Their annotations tell a host which ones need a person's consent. */
export function registerNoteTools(server: McpServer, notebook: Notebook, inRoot: InRoot): void {
  server.registerTool(
    'list_notes',
    {
      title: 'List notes',
      description: 'Lists the notes of the project with their word counts.',
      inputSchema: z.object({}),
      outputSchema: z.object({ notes: z.array(summary) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [COVER_ICON],
    },
    inRoot(async () => {
      const notes = await notebook.notes();
      return {
        content: [{ type: 'text', text: `Notes: ${notes.length}` }, ...notes.map(link)],
        structuredContent: {
          notes: notes.map(({ name, text, modified }) => ({
            name,
            uri: noteUri(name),
            words: countWords(text),
            modified,
          })),
        },
      };
    }),
  );

  server.registerTool(
    'search_notes',
    {
      title: 'Search notes',
      description: 'Finds the lines in all notes that contain a text, ignoring case.',
      inputSchema: z.object({
        query: z.string().min(1).describe('What to look for'),
        limit: z.number().int().min(1).max(100).default(20).describe('Maximum number of lines'),
      }),
      outputSchema: z.object({ hits: z.array(hit), total: z.number() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    inRoot(async ({ query, limit }) => {
      const found = (await notebook.notes()).flatMap(note => linesWith(note, query));
      return structured({ hits: found.slice(0, limit), total: found.length });
    }),
  );

  server.registerTool(
    'count_words',
    {
      title: 'Count words',
      description: 'Counts the words in one note or in all notes.',
      inputSchema: z.object({ name: noteName.optional() }),
      outputSchema: z.object({ notes: z.number(), words: z.number(), longest: z.string().optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    inRoot(async ({ name }) => {
      const notes = name ? [await notebook.note(name)] : await notebook.notes();
      const counts = notes.map(note => countWords(note.text));
      const longest = notes[counts.indexOf(Math.max(...counts))]?.name;
      return structured({ notes: notes.length, words: counts.reduce((sum, n) => sum + n, 0), longest });
    }),
  );

  server.registerTool(
    'add_note',
    {
      title: 'Add a note',
      description: 'Writes a new note in markdown. Never overwrites one.',
      inputSchema: z.object({ name: noteName, text: z.string().min(1).max(100_000).describe('The note, in markdown') }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    inRoot(async ({ name, text }, ctx) => {
      const note = await notebook.add(name, text);
      await ctx.mcpReq.log('info', `Added ${name}, ${note.size} bytes`, 'notes');
      return { content: [{ type: 'text', text: `Added ${name}.` }, link(note)] };
    }),
  );

  server.registerTool(
    'delete_note',
    {
      title: 'Delete a note',
      description: 'Deletes a note permanently.',
      inputSchema: z.object({ name: noteName }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    inRoot(async ({ name }, ctx) => {
      await notebook.remove(name);
      await ctx.mcpReq.log('notice', `Deleted ${name}`, 'notes');
      return { content: [{ type: 'text', text: `Deleted ${name}.` }] };
    }),
  );
}

/** A result for a program, with the same as text for a client that does not read structured content. */
function structured(content: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content };
}

function link({ name, size }: StoredNote): ResourceLink {
  return { type: 'resource_link', uri: noteUri(name), name, mimeType: 'text/markdown', size };
}

function linesWith({ name, text }: StoredNote, query: string): z.infer<typeof hit>[] {
  return text
    .split('\n')
    .map((line, i) => ({ name, line: i + 1, text: line.trim() }))
    .filter(line => line.text.toLowerCase().includes(query.toLowerCase()));
}
