import { type Node as JsonNode, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import { messageOf } from '../../../base/errors';
import { jsonError } from '../../../base/jsonErrors';
import { type Phrase, phrase } from '../../../base/phrase';
import { firstNotBefore } from '../../../base/sorted';
import { readYaml as parseYaml } from '../../../base/yamlText';

/** A place in a file, both counted from 0. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Something wrong in a file, at its place. */
export interface PlacedProblem {
  readonly place: TextPlace;
  readonly message: Phrase | string;
}

export type Path = readonly (string | number)[];

/** A JSON or YAML text with the places of its values. */
interface SourceText {
  readonly value: unknown;
  readonly problems: readonly PlacedProblem[];
  /** Where the value at this path begins, or its key; where that is missing, what it should be in. */
  at(path: Path, onKey?: boolean): TextPlace;
}

/** A value of the text, with those in it. `size` counts it and them; an alias counts what it stands for. */
interface PlacedValue {
  readonly value: unknown;
  readonly offset: number;
  readonly keyOffset?: number;
  readonly size: number;
  readonly parts?: ReadonlyMap<string, PlacedValue> | readonly PlacedValue[];
}

/** More problems are not looked for: enough to see what is wrong. */
export const MAX_PROBLEMS = 50;
/** Values in a text, with what its aliases stand for: a few lines of them can stand for a text without end. */
const MAX_VALUES = 50_000;
const START: TextPlace = { line: 0, column: 0 };

/**
 * Reads a text in time proportional to its length, whatever is in it. Never throws: a text that cannot be read has problems, and
 * no value.
 *
 * @param maxValues A text with more values is not read.
 */
export function readSource(text: string, language: 'json' | 'yaml', maxValues = MAX_VALUES): SourceText {
  const placeOf = placesIn(text);
  const problems: PlacedProblem[] = [];
  const report: Report = (offset, why) => {
    if (problems.length < MAX_PROBLEMS)
      problems.push({ place: placeOf(offset), message: phrase('The file cannot be read: {0}', why) });
  };
  let root: PlacedValue | undefined;
  try {
    root = language === 'json' ? readJson(text, report, maxValues) : readYaml(text, report, maxValues);
    if (!root && problems.length === 0) report(0, 'it is empty');
  } catch (error) {
    // Nested deeper than the stack, or too many values.
    report(0, messageOf(error, 200));
  }
  return {
    value: problems.length === 0 ? root?.value : undefined,
    problems,
    at: (path, onKey) => (root ? placeOf(offsetAt(root, path, onKey)) : START),
  };
}

type Report = (offset: number, why: Phrase | string) => void;

function readJson(text: string, report: Report, maxValues: number): PlacedValue | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  for (const { error, offset } of errors.slice(0, MAX_PROBLEMS)) report(offset, jsonError(printParseErrorCode(error)));
  if (!root || errors.length > 0) return undefined;
  const values = new Values(report, maxValues);
  const read = (node: JsonNode): PlacedValue => {
    const { type, offset, children = [] } = node;
    if (type === 'array') return values.list(offset, children.map(read));
    if (type !== 'object') return values.scalar(offset, node.value);
    const members = children.map(({ children: [key, value] = [] }) => ({
      key: String(key!.value),
      keyOffset: key!.offset,
      read: () => read(value!),
    }));
    return values.object(offset, members);
  };
  return read(root);
}

function readYaml(text: string, report: Report, maxValues: number): PlacedValue | undefined {
  // What an alias means, and which key stands twice, is found here.
  const limits = { characters: Number.POSITIVE_INFINITY, twins: true };
  const { mistakes, document } = parseYaml(text, limits);
  for (const { offset, message } of mistakes.slice(0, MAX_PROBLEMS)) report(offset, messageOf(message, 200));
  const contents = document?.contents;
  if (!contents || mistakes.length > 0) return undefined;
  const values = new Values(report, maxValues);
  const anchors = new Map<string, PlacedValue>();
  const read = (node: unknown, outside: number): PlacedValue => {
    const made = readNode(node, outside);
    const anchor = (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor;
    if (anchor) anchors.set(anchor, made);
    return made;
  };
  const readNode = (node: unknown, outside: number): PlacedValue => {
    const offset = (node as { range?: [number, number, number] | null } | null)?.range?.[0] ?? outside;
    if (isAlias(node)) {
      const meant = anchors.get(node.source);
      if (!meant) throw new Error(`Unresolved alias (the anchor must be set before the alias): ${node.source}`);
      return values.alias(offset, meant);
    }
    if (isSeq(node))
      return values.list(
        offset,
        node.items.map(item => read(item, offset)),
      );
    if (!isMap(node)) return values.scalar(offset, isScalar(node) ? node.value : null);
    const members = node.items.map(({ key, value }) => {
      if (!isScalar(key)) throw new Error('A key is a list, an object or an alias');
      const at = key.range?.[0] ?? offset;
      return { key: String(key.value ?? ''), keyOffset: at, read: () => read(value, at) };
    });
    return values.object(offset, members);
  };
  return read(contents, 0);
}

/** A member of an object that is still to be read. */
interface Member {
  readonly key: string;
  readonly keyOffset: number;
  readonly read: () => PlacedValue;
}

/** Makes the values of a text, and counts them. @throws Error when there are too many. */
class Values {
  #count = 0;

  constructor(
    private readonly report: Report,
    private readonly max: number,
  ) {}

  scalar(offset: number, value: unknown): PlacedValue {
    return { value, offset, size: this.#counted(1) };
  }

  list(offset: number, parts: readonly PlacedValue[]): PlacedValue {
    this.#counted(1);
    return { value: parts.map(part => part.value), offset, size: sizeOf(parts), parts };
  }

  object(offset: number, members: readonly Member[]): PlacedValue {
    this.#counted(1);
    const parts = new Map<string, PlacedValue>();
    for (const { key, keyOffset, read } of members) {
      if (parts.has(key)) this.report(keyOffset, 'Keys must be unique');
      parts.set(key, { ...read(), keyOffset });
    }
    const value = Object.fromEntries([...parts].map(([key, part]) => [key, part.value]));
    return { value, offset, size: sizeOf(parts.values()), parts };
  }

  /** Has no parts: their places are where they are written. */
  alias(offset: number, { value, size }: PlacedValue): PlacedValue {
    return { value, offset, size: this.#counted(size, 'aliases that stand for ') };
  }

  #counted(size: number, what = ''): number {
    this.#count += size;
    if (this.#count > this.max) throw new Error(`It has ${what}more than ${this.max} values`);
    return size;
  }
}

function sizeOf(parts: Iterable<PlacedValue>): number {
  let size = 1;
  for (const part of parts) size += part.size;
  return size;
}

function offsetAt(root: PlacedValue, path: Path, onKey = false): number {
  let at = root;
  for (const [index, name] of path.entries()) {
    const { parts } = at;
    const found =
      parts instanceof Map ? parts.get(String(name)) : (parts as readonly PlacedValue[] | undefined)?.[Number(name)];
    if (!found) return at.offset;
    at = found;
    if (onKey && index === path.length - 1) return at.keyOffset ?? at.offset;
  }
  return at.offset;
}

/** Finds the line and column of an offset. */
function placesIn(text: string): (offset: number) => TextPlace {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return offset => {
    const line = Math.max(0, firstNotBefore(starts, start => start <= offset) - 1);
    return { line, column: Math.max(0, offset - starts[line]!) };
  };
}
