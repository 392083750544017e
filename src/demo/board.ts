import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
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

/** The resource from which the page reloads the notes. */
const BOARD_NOTES = 'ui://notebook/board/notes.json';

/**
 * The page of the board: notes as cards, which can be read, added, named by a model, deleted, saved and shared with a model. It
 * talks to its host without any library (MCP Apps, spec: ext-apps 2026-01-26), and loads nothing.
 */
const BOARD_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Board of the notes</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 20px 24px 32px; background: var(--color-background-primary, Canvas);
    color: var(--color-text-primary, CanvasText); font: var(--font-text-md-size, 13px)/1.5 var(--font-sans, system-ui); }
  header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 12px; margin-bottom: 16px; }
  h1 { font-size: var(--font-heading-lg-size, 22px); font-weight: 600; margin: 0; }
  .facts, .when { color: var(--color-text-secondary, GrayText); }
  .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 12px; }
  .card { display: flex; flex-direction: column; gap: 6px; padding: 12px 14px; text-align: left; border-radius: var(--border-radius-lg, 6px);
    border: 1px solid var(--color-border-primary, #8884); background: var(--color-background-secondary, transparent); }
  .card.chosen { outline: 2px solid var(--color-ring-primary, Highlight); outline-offset: -1px; }
  .card h2 { font-size: var(--font-text-lg-size, 15px); margin: 0; overflow-wrap: anywhere; }
  .card p { margin: 0; flex: 1; display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; overflow: hidden; white-space: pre-line; }
  .row { display: flex; flex-wrap: wrap; gap: 6px; }
  button, input { font: inherit; color: inherit; border: 1px solid var(--color-border-primary, #8886); border-radius: var(--border-radius-sm, 3px);
    background: transparent; padding: 3px 9px; }
  button { cursor: pointer; }
  button:hover { background: var(--color-background-ghost, #8882); }
  button:focus-visible, input:focus-visible { outline: 2px solid var(--color-ring-primary, Highlight); }
  button.main { background: var(--color-background-inverse, ButtonFace); color: var(--color-text-inverse, ButtonText); border-color: transparent; }
  form { display: flex; flex-wrap: wrap; gap: 8px; margin: 18px 0 0; }
  form input[name=text] { flex: 1; min-width: 160px; }
  [role=status] { min-height: 1.5em; margin-top: 12px; color: var(--color-text-secondary, GrayText); }
  dialog { max-width: 640px; width: 80%; color: inherit; background: var(--color-background-primary, Canvas);
    border: 1px solid var(--color-border-primary, #8886); border-radius: var(--border-radius-lg, 6px); }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: var(--font-text-md-size, 13px)/1.5 var(--font-mono, monospace); }
</style>
</head>
<body>
<header><h1>Board of the notes</h1><span class="facts"></span></header>
<div class="cards"></div>
<form><input name="name" required pattern="[\\w\\-]+" placeholder="Name" aria-label="Name of the note">
<input name="text" required placeholder="What it says" aria-label="Text of the note"><button class="main">Add Note</button>
<button type="button" id="suggest" hidden>Suggest a Name</button>
<button type="button" id="place" hidden></button><button type="button" id="about">About Apps</button></form>
<div role="status"></div>
<dialog><pre></pre><form method="dialog"><button>Close</button></form></dialog>
<script>
const $ = query => document.querySelector(query);
const waiting = new Map();
const chosen = new Set();
let last = 0;
const send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const tell = (method, params = {}) => send({ method, params });
const ask = (method, params = {}) => new Promise((resolve, reject) => {
  const id = ++last;
  waiting.set(id, { resolve, reject });
  send({ id, method, params });
});
const say = text => { $('[role=status]').textContent = text; };
const make = (name, text = '', className = '') => Object.assign(document.createElement(name), { textContent: text, className });

addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;
  if (!data.method) {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    return data.error ? asked?.reject(new Error(data.error.message)) : asked?.resolve(data.result);
  }
  const { method, params, id } = data;
  if (method === 'ui/notifications/tool-result') {
    draw(params.structuredContent?.notes ?? []);
    // They may have changed since that call: a page that is moved, or restored with its window, is loaded again.
    if (canRead) attempt(refresh);
  }
  if (method === 'ui/notifications/tool-input') say('Loading the notes…');
  if (method === 'ui/notifications/tool-cancelled') say('The board was cancelled: ' + params.reason);
  if (method === 'ui/notifications/host-context-changed') dress(params);
  if (id !== undefined) send({ id, result: {} });
});

let modes = [];
let canRead = false;
/** Takes the colours and fonts of the host, and offers the other place that it has. */
function dress({ theme, styles, displayMode, availableDisplayModes }) {
  modes = availableDisplayModes ?? modes;
  if (displayMode) {
    const other = displayMode === 'fullscreen' ? 'inline' : 'fullscreen';
    $('#place').hidden = !modes.includes(other);
    $('#place').textContent = other === 'inline' ? 'Show Inline' : 'Show in Tab';
    $('#place').onclick = () => attempt(() => ask('ui/request-display-mode', { mode: other }));
  }
  if (theme) document.documentElement.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) document.documentElement.style.setProperty(name, value);
}

function draw(notes) {
  say('');
  $('.facts').textContent = notes.length + (notes.length === 1 ? ' note, ' : ' notes, ') + notes.reduce((sum, { words }) => sum + words, 0) + ' words';
  $('.cards').replaceChildren(...notes.map(note => {
    const card = make('article', '', 'card');
    const row = make('div', '', 'row');
    for (const [label, act] of Object.entries({
      Read: () => read(note),
      Choose: () => choose(note, card),
      'Ask @mcp': () => ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'Summarize the note ' + note.name + '.' }] }),
      Save: () => ask('ui/download-file', { contents: [{ type: 'resource_link', uri: note.uri, name: note.name + '.md', mimeType: 'text/markdown' }] }),
      Delete: () => call('delete_note', { name: note.name }),
    })) {
      const button = make('button', label);
      button.setAttribute('aria-label', label + ' ' + note.name);
      button.onclick = () => attempt(act);
      row.append(button);
    }
    card.classList.toggle('chosen', chosen.has(note.name));
    card.append(make('h2', note.name), make('span', note.words + ' words · ' + note.modified.slice(0, 10), 'when'), make('p', note.excerpt), row);
    return card;
  }));
}

async function attempt(act) {
  try {
    const result = await act();
    if (result?.isError) say(result.content?.[0]?.text ?? 'That was not done.');
  } catch (error) {
    say(error.message);
  }
}

async function read({ uri }) {
  const { contents } = await ask('resources/read', { uri });
  $('pre').textContent = contents[0]?.text ?? '';
  $('dialog').showModal();
}

async function refresh() {
  const { contents } = await ask('resources/read', { uri: '${BOARD_NOTES}' });
  draw(JSON.parse(contents[0].text).notes);
}

async function choose({ name }, card) {
  card.classList.toggle('chosen', !chosen.delete(name) && Boolean(chosen.add(name)));
  const text = chosen.size > 0 ? 'On the board of the notes these are chosen: ' + [...chosen].join(', ') : '';
  return ask('ui/update-model-context', { content: text ? [{ type: 'text', text }] : [] });
}

/** Calls a tool that changes the notes, and draws them anew. */
async function call(name, args) {
  const result = await ask('tools/call', { name, arguments: args });
  if (result.isError) return result;
  const { structuredContent } = await ask('tools/call', { name: 'refresh_board', arguments: {} });
  draw(structuredContent.notes);
  say(result.content?.[0]?.text ?? '');
}

$('form').onsubmit = event => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    const result = await call('add_note', { name: form.elements.name.value, text: form.elements.text.value });
    if (!result?.isError) form.reset();
    return result;
  });
};
$('#about').onclick = () => attempt(() => ask('ui/open-link', { url: 'https://modelcontextprotocol.io/extensions/apps/overview' }));

/** Has the host's model find a name for what the new note says. */
$('#suggest').onclick = () => attempt(async () => {
  const { name, text } = $('form').elements;
  const prompt = 'Answer with one lower-case word that names this note: ' + text.value;
  const { content } = await ask('sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 20 });
  name.value = (content.text ?? '').trim().replace(/[^\\w-]+/g, '-').slice(0, 40);
});

(async () => {
  const { hostContext, hostCapabilities } = await ask('ui/initialize', {
    appInfo: { name: 'board', title: 'Board of the notes', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: '2026-01-26',
  });
  dress(hostContext ?? {});
  canRead = Boolean(hostCapabilities?.serverResources);
  $('#suggest').hidden = !hostCapabilities?.sampling;
  tell('ui/notifications/initialized');
  tell('notifications/message', { level: 'info', logger: 'board', data: 'The board is shown.' });
  new ResizeObserver(() => tell('ui/notifications/size-changed', {
    width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight,
  })).observe(document.body);
})();
</script>
</body>
</html>
`;
