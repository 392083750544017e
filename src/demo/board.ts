import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { BOARD_NOTES, BOARD_PAGE } from './boardPage';
import { countWords, type Notebook } from './notebook';
import { noteUri } from './noteTools';
import type { InRoot } from './roots';

const BOARD = 'ui://notebook/board';
const MIME_TYPE = 'text/html;profile=mcp-app';
/** The length of a note's excerpt, in characters. */
const EXCERPT = 280;

const card = z.object({
  name: z.string(),
  uri: z.string(),
  words: z.number(),
  modified: z.string(),
  excerpt: z.string(),
});

/**
 * The board of the notes: a tool with an app, one that only the app may call, and the page of the app (MCP Apps, spec: ext-apps
 * 2026-01-26). A client that draws no apps gets the same as text.
 */
export function registerBoard(server: McpServer, notebook: Notebook, inRoot: InRoot): void {
  const shared = {
    inputSchema: z.object({}),
    outputSchema: z.object({ notes: z.array(card) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  const cards = async () =>
    (await notebook.notes()).map(({ name, text, modified }) => {
      const excerpt = text.replace(/^#+ .*\n+/, '').slice(0, EXCERPT);
      return { name, uri: noteUri(name), words: countWords(text), modified, excerpt };
    });
  const board = async (): Promise<CallToolResult> => {
    const notes = await cards();
    const lines = notes.map(({ name, words }) => `- ${name}: ${words} words`);
    return {
      content: [{ type: 'text', text: lines.join('\n') || 'There are no notes.' }],
      structuredContent: { notes },
    };
  };
  server.registerTool(
    'show_board',
    {
      ...shared,
      title: 'Show the board',
      description: 'Shows the notes of the project as cards, in an app where clients draw apps.',
      _meta: { ui: { resourceUri: BOARD } },
    },
    inRoot(board),
  );
  server.registerTool(
    'refresh_board',
    {
      ...shared,
      title: 'Refresh the board',
      description: 'Gives the board its notes again.',
      _meta: { ui: { resourceUri: BOARD, visibility: ['app'] } },
    },
    inRoot(board),
  );
  // Neither is in the list of resources: the tool names the page, and the page what it reads.
  server.registerResource('board', BOARD, { mimeType: MIME_TYPE }, async uri => ({
    contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: BOARD_PAGE, _meta: { ui: { prefersBorder: false } } }],
  }));
  server.registerResource(
    'board-notes',
    BOARD_NOTES,
    { mimeType: 'application/json' },
    inRoot(async uri => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ notes: await cards() }) }],
    })),
  );
}
