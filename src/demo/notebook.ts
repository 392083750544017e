import { EventEmitter } from 'node:events';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resource } from '@modelcontextprotocol/server';

/** Valid names of notes, never paths, so that notes stay inside their folder whatever a model says. */
export const NOTE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** One markdown file of the notebook. */
export interface StoredNote {
  name: string;
  text: string;
  /** In bytes. */
  size: number;
  /** ISO 8601. */
  modified: string;
}

/** The notes of one project, in `.notebook/`. Fires `change` when a note comes or goes, or another folder opens. */
export class Notebook extends EventEmitter<{ change: [] }> {
  /** The events of this session, oldest first. */
  readonly log: string[] = [];

  #root: Promise<string>;
  #isOpened: boolean;

  /** @param isOpened whether it stays in this folder, and need not be told where the project is. */
  constructor(root: string | Promise<string>, isOpened = false) {
    super();
    this.#root = Promise.resolve(root);
    this.#isOpened = isOpened;
  }

  /** Absolute path of the project's folder. A promise, because a client may take a moment to name it. */
  get root(): Promise<string> {
    return this.#root;
  }

  /** Whether somebody has said which project it is about. */
  get isOpened(): boolean {
    return this.#isOpened;
  }

  /** Moves to another project. Everything asked from now on waits until it is known which. */
  open(root: Promise<string>): void {
    const before = this.#root;
    this.#root = root;
    this.#isOpened = true;
    void Promise.all([before, root]).then(([from, to]) => from !== to && this.#record(`opened ${to}`));
  }

  /** All notes, by name. Files with invalid names belong to others, as do symbolic links. */
  async notes(): Promise<StoredNote[]> {
    const folder = await this.#folder();
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries
      .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
      .map(entry => entry.name.slice(0, -'.md'.length))
      .filter(name => NOTE_NAME.test(name));
    // One that cannot be read, or was deleted just now, is left out: it must not take the others down.
    const notes = await Promise.allSettled(names.sort().map(name => readNote(folder, name)));
    return notes.flatMap(note => (note.status === 'fulfilled' ? note.value : []));
  }

  /** The note called `name`; throws an error with a remedy if it does not exist. */
  async note(name: string): Promise<StoredNote> {
    const notes = await this.notes();
    const found = notes.find(note => note.name === name);
    if (found) return found;
    const others = notes.map(note => note.name).join(', ');
    throw new Error(
      `There is no note called "${name}". ${others ? `The notes are: ${others}.` : 'There are none yet.'}`,
    );
  }

  /** Writes a new note. It never overwrites: `wx` fails on anything that is there, a symbolic link included. */
  async add(name: string, text: string): Promise<StoredNote> {
    if (!NOTE_NAME.test(name)) throw new Error(`"${name}" cannot be the name of a note.`);
    const folder = await this.#folder();
    await mkdir(folder).catch(ignore('EEXIST'));
    await writeFile(join(folder, `${name}.md`), text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`There already is a note called "${name}".`) : error;
    });
    this.#record(`added ${name}`);
    return readNote(folder, name);
  }

  async remove(name: string): Promise<void> {
    await this.note(name);
    await unlink(join(await this.#folder(), `${name}.md`));
    this.#record(`deleted ${name}`);
  }

  /** A `.notebook` that is a link would take the notes out of the project, so it is refused. */
  async #folder(): Promise<string> {
    const folder = join(await this.#root, '.notebook');
    const found = await lstat(folder).catch(ignore('ENOENT'));
    if (found && !found.isDirectory()) throw new Error(`${folder} is not a folder, so it holds no notes.`);
    return folder;
  }

  #record(what: string): void {
    this.log.push(`${new Date().toISOString()} ${what}`);
    this.emit('change');
  }
}

/** Puts notes into a folder that has none yet: all of them or none, also if this process ends meanwhile. @returns the folder. */
export async function withNotes(folder: string, notes: Readonly<Record<string, string>>): Promise<string> {
  const place = join(folder, '.notebook');
  // They may be there already, perhaps changed by the person.
  if (await lstat(place).catch(() => undefined)) return folder;
  try {
    const draft = await mkdtemp(`${place}-`);
    for (const [name, text] of Object.entries(notes)) await writeFile(join(draft, `${name}.md`), text);
    await rename(draft, place).catch(() => rm(draft, { recursive: true, force: true }));
  } catch {
    // In a folder that cannot be written to, there are none.
  }
  return folder;
}

export const countWords = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

async function readNote(folder: string, name: string): Promise<StoredNote> {
  const path = join(folder, `${name}.md`);
  const [text, { size, mtime }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
  return { name, text, size, modified: mtime.toISOString() };
}

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
};

/** From January 2024 to January 2026, so that the last year shows that a month depends on its year. */
const FIRST_YEAR = 2024;
const MONTHS = 25;
const ENTRIES_A_MONTH = 40;
const TOPICS = [
  [
    'a sketch of the parser',
    'It reads a recipe line by line: amount, unit, leaf. Two spoons of anything are still one line too many.',
  ],
  [
    'what the tests told us',
    'Nineteen of twenty pots poured without a drop. The twentieth had its spout on the inside.',
  ],
  [
    'a letter from a user',
    'She makes tea for forty guests and asks for a pot that says when it is empty, before they do.',
  ],
  [
    'the week in numbers',
    'Four bugs closed, two opened, 118 refills counted, one kettle lost to an experiment with soda.',
  ],
] as const;

const twoDigits = (n: number) => String(n).padStart(2, '0');

const monthsOfArchive = Array.from({ length: MONTHS }, (_, i) => ({
  year: String(FIRST_YEAR + Math.floor(i / 12)),
  month: twoDigits((i % 12) + 1),
}));

/** One page of the archive: invented, but always the same. */
interface ArchiveEntry {
  uri: string;
  /** The last part of the URI. */
  name: string;
  title: string;
  /** `YYYY-MM-DD`. */
  date: string;
  text: string;
}

export const years = (): string[] => [...new Set(monthsOfArchive.map(({ year }) => year))];

/** The months there are in `year`, or in any year where none is given. */
export const months = (year?: string): string[] => [
  ...new Set(monthsOfArchive.filter(at => year === undefined || at.year === year).map(({ month }) => month)),
];

export function entries(year: string, month: string): ArchiveEntry[] {
  if (!monthsOfArchive.some(at => at.year === year && at.month === month)) return [];
  return Array.from({ length: ENTRIES_A_MONTH }, (_, i) => {
    const date = `${year}-${month}-${twoDigits(1 + Math.floor((i * 28) / ENTRIES_A_MONTH))}`;
    const [topic, story] = TOPICS[i % TOPICS.length]!;
    const title = `${date}: ${topic}`;
    const name = `entry-${String(i + 1).padStart(4, '0')}.md`;
    const uri = `notebook:///archive/${year}/${month}/${name}`;
    return {
      uri,
      name,
      title,
      date,
      text: `# ${title}\n\n${story}\n\nEntry ${i + 1} of ${ENTRIES_A_MONTH} of ${year}-${month}.\n`,
    };
  });
}

/** All 1,000 entries as resources, newest month first. */
export function archiveResources(): Resource[] {
  return monthsOfArchive.toReversed().flatMap(({ year, month }) =>
    entries(year, month).map(({ uri, name, title, date, text }) => ({
      uri,
      name,
      title,
      mimeType: 'text/markdown',
      size: Buffer.byteLength(text),
      annotations: { audience: ['user'], priority: 0.1, lastModified: `${date}T12:00:00Z` },
    })),
  );
}

/** Notes of an invented project, so that there is something to search, count, summarize and review. */
export const SAMPLE_NOTES: Readonly<Record<string, string>> = {
  'release-plan': `# Release 1.4 of the teapot

## What is in it

- The lid no longer rattles above 80 °C (reported by three users).
- Refilling is counted, and the count survives a restart.
- The handle has a setting for left-handed people.

## What has to happen

1. Anna finishes the lid tests by Tuesday.
2. Ben writes the change log and asks two users to try the handle.
3. We freeze on Thursday and release on Friday, if no test fails.

## Risks

The new counter writes to disk after every refill. Nobody has measured what that costs on old kettles.
`,
  'meeting-monday': `# Meeting on Monday

Present: Anna, Ben, Chiara.

## Decisions

- The release stays on Friday. Chiara wanted a week more for the counter; Anna and Ben prefer to ship it switched off.
- Support answers questions about the old lid until March.

## Open questions

- Who tells the translators about the eleven new texts?
- Is the counter private data? Ben asks the lawyer.
`,
  'bug-rattling-lid': `# Bug: the lid rattles

## What users see

Above 80 °C the lid rattles so loudly that two users thought the teapot was broken.

## Cause

The seal was made for lids without a hole. Steam escapes on one side and lifts the lid a little, eleven times a second.

## Fix

A second hole on the other side. Anna measured no rattling up to 100 °C in twenty trials. What is missing is a trial with hard
water.
`,
  ideas: `# Ideas

- A whistle that can be switched off at night.
- A scale inside that shows how much tea is left without opening the lid.
- Let the counter remind people to descale after two hundred refills.
- A teapot for one cup. Ben thinks that nobody would buy it; Chiara would buy two.
`,
  onboarding: `# First week in the project

## Day one

Read the release plan, then make a pot of tea with each of the three prototypes and write down what annoyed you.

## Day two to four

Fix one small bug. Good ones are marked in the list of bugs. Ask Anna about lids, Ben about handles and Chiara about everything
that counts.

## Day five

Tell the team what was harder than it should be. The last three changes of this page came from that.
`,
};
