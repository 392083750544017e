import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Document, isMap, LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import { messageOf } from '../../../base/errors';
import { type Phrase, phrase } from '../../../base/phrase';

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

/** What a JSON or YAML text says, and where it says it. */
interface SourceText {
  readonly value: unknown;
  readonly problems: readonly PlacedProblem[];
  /** Where the value at this path begins, or its key; where that is missing, what it should be in. */
  at(path: Path, onKey?: boolean): TextPlace;
}

/** A few lines of aliases can stand for a text without end. */
const MAX_ALIASES = 50;
const START: TextPlace = { line: 0, column: 0 };

/** Never throws: a text that cannot be read has problems, and no value. */
export function readSource(text: string, language: 'json' | 'yaml'): SourceText {
  try {
    return language === 'json' ? readJson(text) : readYaml(text);
  } catch (error) {
    // Nested deeper than the stack, or too many aliases.
    return {
      value: undefined,
      problems: [{ place: START, message: unreadable(messageOf(error, 200)) }],
      at: () => START,
    };
  }
}

const unreadable = (why: string) => phrase('The file cannot be read: {0}', why);

function readJson(text: string): SourceText {
  const errors: ParseError[] = [];
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const placeOf = (offset: number): TextPlace => {
    const line = Math.max(
      0,
      lineStarts.findLastIndex(start => start <= offset),
    );
    return { line, column: offset - lineStarts[line]! };
  };
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const problems = errors.map(({ error, offset }) => ({
    place: placeOf(offset),
    message: unreadable(printParseErrorCode(error)),
  }));
  if (!root && problems.length === 0) problems.push({ place: START, message: unreadable('it is empty') });
  return {
    value: root && problems.length === 0 ? getNodeValue(root) : undefined,
    problems,
    at: (path, onKey) => {
      for (let length = path.length; root && length >= 0; length--) {
        const node: Node | undefined = findNodeAtLocation(root, [...path.slice(0, length)]);
        const key = node?.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
        if (node) return placeOf((onKey && length === path.length && key ? key : node).offset);
      }
      return START;
    },
  };
}

function readYaml(text: string): SourceText {
  const lines = new LineCounter();
  const placeOf = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(0, line - 1), column: Math.max(0, col - 1) };
  };
  const document = parseDocument(text, {
    schema: 'core',
    uniqueKeys: true,
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: lines,
  });
  const problems = document.errors.map(({ pos: [offset], message }) => ({
    place: placeOf(offset),
    message: unreadable(messageOf(message, 200)),
  }));
  if (!document.contents && problems.length === 0) problems.push({ place: START, message: unreadable('it is empty') });
  return {
    value: problems.length === 0 ? document.toJS({ maxAliasCount: MAX_ALIASES }) : undefined,
    problems,
    at: (path, onKey) => {
      for (let length = path.length; length >= 0; length--) {
        const offset = offsetAt(document, path.slice(0, length), onKey === true && length === path.length);
        if (offset !== undefined) return placeOf(offset);
      }
      return START;
    },
  };
}

function offsetAt(document: Document.Parsed, path: Path, onKey: boolean): number | undefined {
  if (onKey && path.length > 0) {
    const holder = document.getIn(path.slice(0, -1), true);
    const pairs = isMap(holder) ? holder.items : [];
    const pair = pairs.find(({ key }) => String(key) === String(path.at(-1)));
    return (pair?.key as YamlNode | undefined)?.range?.[0];
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return (node as YamlNode | undefined)?.range?.[0];
}
