import { type FoundBytes, isText } from '../../../base/bytesInText';
import { messageOf } from '../../../base/errors';
import { indentedJson, looksLikeJson } from '../../../base/json';
import { PathError, queryJson } from '../../../base/jsonPath';
import { english } from '../../../base/phrase';
import { shallowJson } from '../../../base/shallowJson';
import { revealed, visible } from '../../../base/text';
import { type ContentPart, piecesOf, READ_RESULT, shorten, text } from '../../languageModel/core';
import { resultSummary } from './resultSummary';

export interface ResultFiles {
  write(name: string, text: string): PromiseLike<void>;
  /** Reads a result; undefined if it is no longer stored. */
  read(name: string): PromiseLike<string | undefined>;
  remove(name: string): PromiseLike<void>;
}

/** A long result of a tool, as the model may ask for parts of it. */
export interface LongResult {
  readonly chat: string;
  readonly text: string;
  readonly structured?: unknown;
  /** Bytes that stand in the text as `[bytes 1: …]`, by their place in this list. */
  readonly bytes?: readonly FoundBytes[];
  /** Redacts the known secrets of its server, so that none is written. */
  readonly redact: (text: string) => string;
}

interface StoredResult {
  readonly lines: readonly string[];
  readonly data?: unknown;
  readonly bytes?: readonly StoredBytes[];
}

interface StoredBytes {
  readonly type: string;
  readonly what: string;
  readonly base64: string;
}

const MAX_KEPT = 50;
const MAX_BYTES = 100 * 1024 * 1024;
/** The most that is stored of one result; longer ones lose their end. */
const MAX_TEXT = 10 * 1024 * 1024;
/** Bytes that are text and are searched for secrets, which takes up to a second for each million. */
const MAX_SEARCHED = 2 * 1024 * 1024;
/** Longer lines are broken, so that every part can be asked for by its line. */
const MAX_LINE = 1_000;
const DEFAULT_LINES = 100;
const MAX_MATCHES = 100;
/** Bytes per line where data that is neither text nor a picture is shown in hexadecimal. */
const BYTES_PER_LINE = 16;
const MAX_NUMBERS = 64 * 1024;

/** Keeps long results. The model gets the beginning, the end, a summary and a handle. The oldest are dropped first. */
export class KeptResults {
  readonly #kept = new Map<string, { readonly chat: string; readonly handle: string; readonly size: number }>();
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly files: ResultFiles,
    /** Characters of an answer to the model. */
    private readonly maxAnswer: () => number,
  ) {}

  has(chat: string): boolean {
    return [...this.#kept.values()].some(kept => kept.chat === chat);
  }

  /** Keeps a result that is long or has bytes. @returns what the model gets instead. @throws if it can't be written. */
  async keep({ chat, text: given, structured, bytes = [], redact }: LongResult): Promise<string> {
    // What is not kept is not searched. The mark tells the redactor that a secret may be cut off there.
    const text = redact(given.length > MAX_TEXT ? `${given.slice(0, MAX_TEXT)}…` : given);
    const whole = text.slice(0, MAX_TEXT);
    // Struck out of the text of JSON, in which secrets may be written otherwise.
    const json = structured ? JSON.stringify(structured) : '';
    const isKept = json !== '' && json.length <= MAX_TEXT;
    const data = isKept ? (JSON.parse(redact(json)) as unknown) : parsed(whole);
    const { lines } = readable(whole, data);
    const stored: StoredResult = { lines, ...(data !== undefined && { data }), bytes: storedBytes(bytes, redact) };
    const written = JSON.stringify(stored);
    const count = (this.#counts.get(chat) ?? 0) + 1;
    this.#counts.set(chat, count);
    const handle = `result-${count}`;
    const key = keyOf(chat, handle);
    await this.files.write(key, written);
    this.#kept.set(key, { chat, handle, size: written.length });
    await this.#evict(key);
    const withBytes = bytes.length > 0 ? ` ${HOW_TO_READ_BYTES}` : '';
    if (text.length <= this.maxAnswer())
      return `${revealed(text)}\n\n[This result is kept as "${handle}".${withBytes}]`;
    const cut = given.length > MAX_TEXT ? ` Only its first ${MAX_TEXT} characters are kept.` : '';
    const head = `[This result has ${given.length} characters in ${lines.length} lines, too many to give you at once. ${resultSummary(lines, data)} It is kept as "${handle}".${cut} Read parts of it with ${READ_RESULT}; do not make the call again.${withBytes} Its beginning and its end:]`;
    return `${head}\n\n${revealed(shorten(whole, Math.ceil(this.maxAnswer() / 4)))}`;
  }

  /** Answers a call of the tool that reads kept results. Never rejects. @param images whether the model sees pictures. */
  async read(chat: string, input: Record<string, unknown>, images: boolean): Promise<readonly ContentPart[]> {
    const said = await this.#read(chat, input, images);
    return typeof said === 'string' ? [text(said)] : said;
  }

  async #read(chat: string, input: Record<string, unknown>, images: boolean): Promise<string | readonly ContentPart[]> {
    const handle = typeof input.handle === 'string' ? input.handle : '';
    const kept = this.#kept.get(keyOf(chat, handle));
    const mine = [...this.#kept.values()].filter(one => one.chat === chat).map(one => one.handle);
    const known = mine.length > 0 ? ` There are: ${mine.join(', ')}` : '';
    if (!kept) return `There is no result "${visible(handle, 60)}" in this chat, or it is no longer kept.${known}`;
    try {
      const json = await this.files.read(keyOf(chat, handle));
      if (json === undefined) return `The result "${handle}" is no longer kept. Make the call again.`;
      const stored = JSON.parse(json) as StoredResult;
      const { bytes: wanted } = input;
      return wanted === undefined ? revealed(this.#part(stored, input)) : this.#bytes(stored, input, images);
    } catch (error) {
      if (error instanceof PathError) return `The path is not understood: ${error.message}.`;
      return `The result could not be read: ${visible(messageOf(error, 300), 300)}`;
    }
  }

  /** A picture as such, text by its lines, other bytes as numbers. */
  #bytes(
    { bytes = [] }: StoredResult,
    input: Record<string, unknown>,
    images: boolean,
  ): string | readonly ContentPart[] {
    const wanted = bytes[whole(input.bytes, 0) - 1];
    if (!wanted) return `There are no such bytes in this result, which has ${bytes.length} of them.`;
    const { type, what, base64 } = wanted;
    if (base64 === '') return `These bytes (${what}) are too many to be kept. Ask the tool for less.`;
    if (images && type.startsWith('image/')) {
      return piecesOf({ type: 'image', mimeType: type, data: base64 }, images).map(piece =>
        piece.kind === 'image' ? piece : text(english(piece.text)),
      );
    }
    const data = Buffer.from(base64, 'base64');
    if (!isText(data)) return `${what}, in hexadecimal:\n${this.#part({ lines: numbered(data) }, input)}`;
    const said = data.toString();
    return revealed(this.#part(readable(said, parsed(said)), input));
  }

  #part({ lines, data }: StoredResult, { path, contains, from, lines: count }: Record<string, unknown>): string {
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

const HOW_TO_READ_BYTES = `What stands in it as "[bytes 1: …]" you get with ${READ_RESULT}, "handle" and "bytes".`;

/** The tool with which a model reads kept results. Offered only in chats that have kept results. */
export const readResultTool = {
  name: READ_RESULT,
  description:
    'Reads parts of a result that is kept: some lines of it, the lines that contain a text, what a JSONPath leads to, or a picture or file in it. For each call, give "handle" and one of "from", "contains", "path" and "bytes".',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'As in the result, such as "result-1"' },
      from: { type: 'integer', description: 'The first line to read; the first of all is 1' },
      lines: { type: 'integer', description: `How many lines to read, ${DEFAULT_LINES} if not given` },
      contains: { type: 'string', description: 'Text to find, in upper or lower case; no pattern' },
      bytes: { type: 'integer', description: 'The number of bytes in the result, as in "[bytes 1: image/png …]"' },
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

/** The lines of a text, of JSON with one value on each. */
function readable(whole: string, data: unknown): StoredResult {
  const json = data === undefined ? whole : indentedJson(data);
  return { lines: broken(json.length > MAX_TEXT ? whole : json), ...(data !== undefined && { data }) };
}

/** Bytes up to a limit for all; text without secrets. */
function storedBytes(all: readonly FoundBytes[], redact: (text: string) => string): readonly StoredBytes[] {
  let left = MAX_TEXT;
  let searched = MAX_SEARCHED;
  return all.map(({ bytes, type, what }) => {
    left -= bytes.length;
    const isSearched = isText(bytes);
    if (isSearched) searched -= bytes.length;
    if (left < 0 || searched < 0) return { type, what, base64: '' };
    const clean = isSearched ? Buffer.from(redact(Buffer.from(bytes).toString())) : Buffer.from(bytes);
    return { type, what, base64: clean.toString('base64') };
  });
}

function numbered(bytes: Buffer): readonly string[] {
  const hex = bytes.subarray(0, MAX_NUMBERS).toString('hex');
  return (hex.match(new RegExp(`.{1,${BYTES_PER_LINE * 2}}`, 'g')) ?? []).map(line =>
    line.replace(/../g, '$& ').trim(),
  );
}

/** Only lists and objects: a number or word says the same as text. */
const parsed = (text: string): unknown => (looksLikeJson(text) ? shallowJson(text) : undefined);

function broken(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap(line => {
    if (line.length <= MAX_LINE) return [line];
    return Array.from({ length: Math.ceil(line.length / MAX_LINE) }, (_, at) =>
      line.slice(at * MAX_LINE, (at + 1) * MAX_LINE),
    );
  });
}
