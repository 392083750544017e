import { EventEmitter } from 'node:events';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Valid names of notes. They can never be a path, which keeps notes inside their folder: names come from a model, so they are
 * checked, not trusted.
 */
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

/**
 * The notes of one project: markdown files in `.notebook/` of its folder. It is independent of MCP. It fires `change` when a
 * note is added or removed here, and when another folder is opened.
 */
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

/** The number of words in a text. */
export const countWords = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

async function readNote(folder: string, name: string): Promise<StoredNote> {
  const path = join(folder, `${name}.md`);
  const [text, { size, mtime }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
  return { name, text, size, modified: mtime.toISOString() };
}

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
};
