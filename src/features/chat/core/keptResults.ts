import { messageOf } from '../../../base/errors';
import { PathError, queryJson } from '../../../base/jsonPath';
import { revealed, visible } from '../../../base/text';
import { shorten } from '../../languageModel';
import { resultSummary } from './resultSummary';
import { READ_RESULT } from './toolNames';

/** Stores kept results on disk, out of the window's memory. */
export interface ResultFiles {
  write(name: string, text: string): PromiseLike<void>;
  /** Reads a result; undefined if it is no longer stored. */
  read(name: string): PromiseLike<string | undefined>;
  remove(name: string): PromiseLike<void>;
}

/** A long result of a tool, as the model may ask for parts of it. */
export interface LongResult {
  /** Key of the chat session. */
  readonly chat: string;
  /** All of its text. */
  readonly text: string;
  /** Its structured content, if it has any. */
  readonly structured?: unknown;
  /** Redacts the known secrets of its server, so that none is written. */
  readonly redact: (text: string) => string;
}

interface Kept {
  readonly chat: string;
  readonly handle: string;
  readonly size: number;
}

/** A stored result. */
interface Stored {
  readonly lines: readonly string[];
  readonly data?: unknown;
}

const MAX_KEPT = 50;
const MAX_BYTES = 100 * 1024 * 1024;
/** The most that is stored of one result; longer ones lose their end. */
const MAX_TEXT = 10 * 1024 * 1024;
/** Longer lines are broken, so that every part can be asked for by its line. */
const MAX_LINE = 1_000;
const DEFAULT_LINES = 100;
const MAX_MATCHES = 100;

/**
 * Keeps long results of this window's chats. The model gets the beginning and the end of one, a summary, and a handle to read
 * on, search and query. Bounded: the oldest are removed first.
 */
export class KeptResults {
  readonly #kept = new Map<string, Kept>();
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly files: ResultFiles,
    /** Characters of an answer to the model. */
    private readonly maxAnswer: () => number,
  ) {}

  /** Whether results of a chat are kept. */
  has(chat: string): boolean {
    return [...this.#kept.values()].some(kept => kept.chat === chat);
  }

  /**
   * Keeps a result.
   * @returns what the model gets in its place.
   * @throws when it can't be written.
   */
  async keep({ chat, text: given, structured, redact }: LongResult): Promise<string> {
    const text = redact(given);
    const whole = text.slice(0, MAX_TEXT);
    // Struck out of the text of JSON, in which secrets may be written otherwise.
    const data = structured ? (JSON.parse(redact(JSON.stringify(structured))) as unknown) : parsed(whole);
    const readable = data === undefined ? whole : JSON.stringify(data, null, 2);
    const lines = broken(readable.length > MAX_TEXT ? whole : readable);
    const stored: Stored = { lines, ...(data !== undefined && { data }) };
    const json = JSON.stringify(stored);
    const count = (this.#counts.get(chat) ?? 0) + 1;
    this.#counts.set(chat, count);
    const handle = `result-${count}`;
    const key = keyOf(chat, handle);
    await this.files.write(key, json);
    this.#kept.set(key, { chat, handle, size: json.length });
    await this.#evict(key);
    const cut = text.length > MAX_TEXT ? ` Only its first ${MAX_TEXT} characters are kept.` : '';
    const head = `[This result has ${text.length} characters in ${lines.length} lines, too many to give you at once. ${resultSummary(lines, data)} It is kept as "${handle}".${cut} Read parts of it with ${READ_RESULT}; do not make the call again. Its beginning and its end:]`;
    return `${head}\n\n${revealed(shorten(whole, Math.ceil(this.maxAnswer() / 4)))}`;
  }

  /** Answers a call of the tool that reads kept results. Never rejects. */
  async read(chat: string, input: Record<string, unknown>): Promise<string> {
    const handle = typeof input.handle === 'string' ? input.handle : '';
    const kept = this.#kept.get(keyOf(chat, handle));
    const mine = [...this.#kept.values()].filter(one => one.chat === chat).map(one => one.handle);
    const known = mine.length > 0 ? ` There are: ${mine.join(', ')}` : '';
    if (!kept) return `There is no result "${visible(handle, 60)}" in this chat, or it is no longer kept.${known}`;
    try {
      const text = await this.files.read(keyOf(chat, handle));
      if (text === undefined) return `The result "${handle}" is no longer kept. Make the call again.`;
      return revealed(this.#part(JSON.parse(text) as Stored, input));
    } catch (error) {
      if (error instanceof PathError) return `The path is not understood: ${error.message}.`;
      return `The result could not be read: ${visible(messageOf(error, 300), 300)}`;
    }
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    const keys = [...this.#kept.keys()];
    this.#kept.clear();
    await Promise.allSettled(keys.map(key => this.files.remove(key)));
  }

  #part({ lines, data }: Stored, { path, contains, from, lines: count }: Record<string, unknown>): string {
    if (typeof path === 'string' && path.trim() !== '') {
      if (data === undefined) return 'This result is no JSON: a path leads nowhere in it. Use "contains" or "from".';
      const { found, more } = queryJson(data, path);
      if (found.length === 0) return 'The path leads to nothing.';
      return this.#bounded(
        found.map(value => JSON.stringify(value)),
        more ? 'more values' : undefined,
      );
    }
    if (typeof contains === 'string' && contains !== '') return this.#matches(lines, contains);
    const first = Math.min(Math.max(whole(from, 1), 1), Math.max(lines.length, 1));
    const page = lines.slice(first - 1, first - 1 + Math.max(whole(count, DEFAULT_LINES), 1));
    return this.#bounded(
      page.map((line, at) => `${first + at}: ${line}`),
      undefined,
      `of ${lines.length} lines`,
    );
  }

  #matches(lines: readonly string[], contains: string): string {
    const wanted = contains.toLowerCase();
    const found = lines.flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [`${at + 1}: ${line}`] : []));
    if (found.length === 0) return `No line contains that. There are ${lines.length} lines.`;
    const more = found.length > MAX_MATCHES ? `${found.length - MAX_MATCHES} more matches` : undefined;
    return this.#bounded(found.slice(0, MAX_MATCHES), more);
  }

  #bounded(parts: readonly string[], more?: string, total?: string): string {
    const limit = Math.ceil(this.maxAnswer() / 2);
    const shown: string[] = [];
    let size = 0;
    for (const part of parts) {
      const one = shorten(part, limit);
      size += one.length + 1;
      if (shown.length > 0 && size > limit) break;
      shown.push(one);
    }
    const left = parts.length - shown.length;
    const notes = [left > 0 ? `${left} left out here, ask for less` : undefined, more, total].filter(Boolean);
    return notes.length > 0 ? `${shown.join('\n')}\n[${notes.join(', ')}]` : shown.join('\n');
  }

  async #evict(newest: string): Promise<void> {
    let bytes = [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size }] of this.#kept) {
      if (key === newest || (this.#kept.size <= MAX_KEPT && bytes <= MAX_BYTES)) return;
      this.#kept.delete(key);
      bytes -= size;
      await Promise.allSettled([this.files.remove(key)]);
    }
  }
}

/** The tool with which a model reads kept results. Offered only in chats that have kept results. */
export const readResultTool = {
  name: READ_RESULT,
  description:
    'Reads parts of a long result that is kept: some lines of it, the lines that contain a text, or what a JSONPath leads to. For each call, give "handle" and one of "from", "contains" and "path".',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'As in the result, such as "result-1"' },
      from: { type: 'integer', description: 'The first line to read; the first of all is 1' },
      lines: { type: 'integer', description: `How many lines to read, ${DEFAULT_LINES} if not given` },
      contains: { type: 'string', description: 'Text to find, in upper or lower case; no pattern' },
      path: { type: 'string', description: 'JSONPath, such as $.items[?@.state == "open"].name' },
    },
    required: ['handle'],
  },
} as const;

/** A key that can't be guessed from a handle and is a valid file name. */
const keyOf = (chat: string, handle: string): string =>
  `${encodeURIComponent(chat)}.${encodeURIComponent(handle)}.json`;

function whole(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : fallback;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function broken(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap(line => {
    if (line.length <= MAX_LINE) return [line];
    return Array.from({ length: Math.ceil(line.length / MAX_LINE) }, (_, at) =>
      line.slice(at * MAX_LINE, (at + 1) * MAX_LINE),
    );
  });
}
