import { completable, type GetPromptResult, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { entries, months, NOTE_NAME, type Notebook, years } from './notebook';
import { COVER_ICON, drawCover } from './picture';
import type { InRoot } from './roots';

/** So many notes are summarized on a day without changes. */
const LATEST = 3;
const TONES = ['friendly', 'neutral', 'strict'];

/** The prompts. A client offers them to its user, so their titles and descriptions speak to a person. */
export function registerPrompts(server: McpServer, notebook: Notebook, inRoot: InRoot): void {
  server.registerPrompt(
    'daily_summary',
    { title: 'Daily summary', description: 'What changed in the notebook today, and what should happen next.' },
    inRoot(async () => {
      const today = new Date().toISOString().slice(0, 10);
      const all = await notebook.notes();
      const changed = all.filter(note => note.modified.startsWith(today));
      const latest = all.sort((one, other) => other.modified.localeCompare(one.modified)).slice(0, LATEST);
      const notes = changed.length > 0 ? changed : latest;
      const texts = notes.map(note => `## ${note.name}\n\n${note.text}`).join('\n\n') || 'There are no notes yet.';
      const which = changed.length > 0 ? `these notes of ${today}` : 'the latest notes: none was changed today';
      return ask(`Summarize ${which}. Use five lines, then name the next three steps.\n\n${texts}`);
    }),
  );

  server.registerPrompt(
    'review_note',
    {
      title: 'Review a note',
      description: 'A second pair of eyes for a note, or for one section of it.',
      argsSchema: z.object({
        note: completable(z.string().regex(NOTE_NAME).describe('Name of the note'), completeNote(notebook)),
        // The sections to choose from are those of the note: completion gets what has been filled in so far.
        section: completable(z.string().describe('Heading of one section'), completeSection(notebook)).optional(),
        tone: completable(z.string().describe('Tone of the review'), typed =>
          TONES.filter(startingWith(typed)),
        ).optional(),
      }),
    },
    inRoot(async ({ note: name, section, tone = 'neutral' }) => {
      const { text } = await notebook.note(name);
      const part = section ? `only its section "${section}"` : 'all of it';
      return ask(`Review the note below, ${part}. Be ${tone}.\n\n${text}`);
    }),
  );

  server.registerPrompt(
    'recall_month',
    {
      title: 'Recall a month',
      description: 'What the first archive entry of a month was about.',
      argsSchema: z.object({
        year: completable(z.string().describe('Year'), completeYear),
        month: completable(z.string().describe('Month, 01 to 12'), completeMonth),
      }),
    },
    async ({ year, month }) => {
      const entry = entries(year, month)[0];
      if (!entry) throw new Error(`The archive has nothing of ${year}-${month}.`);
      const { uri, text } = entry;
      return {
        description: `From the archive of ${year}-${month}`,
        messages: [
          { role: 'user', content: { type: 'text', text: 'What was this about? Answer in one sentence.' } },
          { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/markdown', text } } },
        ],
      };
    },
  );

  server.registerPrompt(
    'describe_cover',
    {
      title: 'Describe the cover',
      description: 'Shows the picture on the notebook to a model that accepts images.',
      icons: [COVER_ICON],
    },
    async () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: drawCover(256).toString('base64'), mimeType: 'image/png' } },
        { role: 'user', content: { type: 'text', text: 'Describe this picture to somebody who cannot see it.' } },
      ],
    }),
  );
}

const ask = (text: string): GetPromptResult => ({ messages: [{ role: 'user', content: { type: 'text', text } }] });

/** The arguments filled in so far, besides the one being typed. */
type Context = { arguments?: Record<string, string> } | undefined;

/** Whether a suggestion goes on from what was typed. */
const startingWith = (typed: string) => (suggestion: string) =>
  suggestion.toLowerCase().startsWith(typed.toLowerCase());

export const completeNote = (notebook: Notebook) => async (typed: string) =>
  (await notebook.notes()).map(note => note.name).filter(startingWith(typed));

/** Completes a heading of the note that has been chosen as `note`; before one is, there is nothing to suggest. */
const completeSection = (notebook: Notebook) => async (typed: string, context: Context) => {
  const note = (await notebook.notes()).find(({ name }) => name === context?.arguments?.note);
  const headings = note?.text.matchAll(/^#+ +(\S.*)/gm) ?? [];
  return Array.from(headings, match => match[1]!.trim()).filter(startingWith(typed));
};

export const completeYear = (typed: string): string[] => years().filter(startingWith(typed));

/** Completes a month, out of those of the chosen year. */
export const completeMonth = (typed: string, context: Context): string[] =>
  months(context?.arguments?.year).filter(startingWith(typed));

/** Completes the file name of an archive entry, out of those of the chosen month. */
export const completeEntry = (typed: string, context: Context): string[] =>
  entries(context?.arguments?.year ?? '', context?.arguments?.month ?? '')
    .map(entry => entry.name)
    .filter(startingWith(typed));
