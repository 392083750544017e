import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  inputRequired,
  inputResponse,
  type LoggingLevel,
  type McpServer,
  type ResourceLink,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { countWords, NOTE_NAME, type Notebook, type StoredNote } from './notebook';
import { COVER_ICON } from './picture';
import { declaredCapabilities, type InRoot } from './roots';

/** Where a note is to be read as a resource. */
export const noteUri = (name: string): string => `notebook:///notes/${name}`;

/** An argument that names a note. The description and the pattern are what a model gets to see of it. */
const noteName = z.string().regex(NOTE_NAME).describe('Name of a note: letters, digits, "-" and "_"');

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

export const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** The form of `plan_release`: one field of each kind that a form may have. */
const releasePlan = z.object({
  version: z.string().min(1).max(20).meta({ title: 'Version', description: 'For example 1.4.0' }),
  date: z.iso.date().meta({ title: 'Date' }),
  channel: z.enum(['stable', 'beta', 'nightly']).default('beta').meta({ title: 'Channel' }),
  checks: z.array(z.enum(['tests', 'changelog', 'documentation'])).meta({ title: 'To be checked first' }),
  confidence: z.number().min(0).max(100).meta({ title: 'Confidence', description: 'In percent' }),
  contact: z.email().optional().meta({ title: 'Whom to ask', description: 'An e-mail address' }),
  freeze: z.boolean().default(false).meta({ title: 'No other changes until then' }),
});

/**
 * The tools that talk to the client while they run: progress, log, its model, its user. Where they need an answer they
 * *return* what they want to know, and run again from the start when it has come. The SDK turns that into a
 * request to a client of an earlier era.
 */
export function registerClientTools(server: McpServer, notebook: Notebook, inRoot: InRoot): void {
  server.registerTool(
    'reindex',
    {
      title: 'Rebuild the index',
      description: 'Reads all notes again, slowly: reports its progress and can be cancelled.',
      inputSchema: z.object({
        steps: z.number().int().min(1).max(1000).default(5).describe('How many steps to take'),
        delayMs: z.number().int().min(0).max(60_000).default(300).describe('How long a step takes, in milliseconds'),
      }),
      outputSchema: z.object({ steps: z.number(), words: z.number() }),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    inRoot(async ({ steps, delayMs }, ctx) => {
      const { signal, notify, _meta } = ctx.mcpReq;
      signal.addEventListener('abort', () => console.error(`[notebook] reindex was stopped: ${signal.reason}`));
      for (let step = 1; step <= steps; step++) {
        await delay(delayMs, undefined, { signal }); // throws when the client cancels or goes away
        if (_meta?.progressToken === undefined) continue;
        const params = { progressToken: _meta.progressToken, progress: step, total: steps, message: `Step ${step}` };
        await notify({ method: 'notifications/progress', params });
      }
      const words = (await notebook.notes()).reduce((sum, note) => sum + countWords(note.text), 0);
      return { ...say(`Counted ${words} words in ${steps} steps.`), structuredContent: { steps, words } };
    }),
  );

  server.registerTool(
    'summarize_note',
    {
      title: 'Summarize a note',
      description: 'Summarizes a note in a few sentences, using the language model of the client.',
      inputSchema: z.object({ name: noteName, sentences: z.number().int().min(1).max(10).default(2) }),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    inRoot(async ({ name, sentences }, ctx) => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'summary');
      if (answer.kind === 'sampling') {
        const blocks = [answer.result.content].flat();
        return say(blocks.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'));
      }
      if (!declaredCapabilities(server, ctx).sampling) {
        return fail('Summarizing needs a language model, but this client does not support sampling.');
      }
      const { text } = await notebook.note(name);
      const summary = inputRequired.createMessage({
        systemPrompt: 'You summarize notes of a software project. Answer with the summary alone.',
        messages: [{ role: 'user', content: { type: 'text', text: `In ${sentences} sentences:\n\n${text}` } }],
        modelPreferences: { hints: [{ name: 'mini' }], speedPriority: 0.8, intelligencePriority: 0.2 },
        maxTokens: 400,
      });
      return inputRequired({ inputRequests: { summary } });
    }),
  );

  server.registerTool(
    'plan_release',
    {
      title: 'Plan a release',
      description: 'Asks the user about the next release in a form, and writes the answers into a new note.',
      inputSchema: z.object({}),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    inRoot(async (_args, ctx) => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'plan');
      if (answer.kind === 'elicit' && answer.action !== 'accept') return say('Nothing was planned.');
      const plan = acceptedContent(ctx.mcpReq.inputResponses, 'plan', releasePlan);
      if (plan) {
        const name = `release-${plan.version.replace(/[^A-Za-z0-9_-]/g, '-')}`;
        const facts = Object.entries(plan).map(([key, value]) => `- ${key}: ${[value].flat().join(', ')}`);
        await notebook.add(name, `# Release ${plan.version}\n\n${facts.join('\n')}\n`);
        return say(`Wrote the plan into the note ${name}.`);
      }
      if (answer.kind === 'elicit') return fail('The answers do not match the form.');
      if (!declaredCapabilities(server, ctx).elicitation) {
        return fail('Planning needs a form, but this client does not support elicitation.');
      }
      const form = inputRequired.elicit({ message: 'What is the next release?', requestedSchema: releasePlan });
      return inputRequired({ inputRequests: { plan: form } });
    }),
  );

  server.registerTool(
    'log_all_levels',
    {
      title: 'Log at all levels',
      description: 'Sends one log message at each of the eight levels, to try out how a client shows them.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ctx => {
      for (const level of LEVELS) {
        await ctx.mcpReq.log(level, { message: `This is a message of level ${level}`, level }, 'demo');
      }
      return say(`Sent one message at each of the ${LEVELS.length} levels.`);
    },
  );
}

const say = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** An error that the model reads and can act on; a thrown one would arrive just the same, as its message. */
const fail = (text: string): CallToolResult => ({ ...say(text), isError: true });
