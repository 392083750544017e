import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { version } from '../../package.json';
import { registerBoard } from './board';
import { registerClientTools } from './clientTools';
import { Notebook, withNotes } from './notebook';
import { EVENTS, registerEvents } from './noteEvents';
import { registerResources } from './noteResources';
import { registerNoteTools } from './noteTools';
import { COVER_ICON } from './picture';
import { registerPrompts } from './prompts';
import { followRoots, type InRoot } from './roots';
import { SAMPLE_NOTES } from './sampleNotes';
import { StrictTransport } from './strictTransport';

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

serveStdio(createNotebookServer, {
  transport: new StrictTransport(),
  onerror: error => console.error(`[notebook] ${error.message}`),
});
console.error(`[notebook] ${version} is ready; ${hasOwnNotes ? '' : 'without roots '}it works in ${process.cwd()}`);
