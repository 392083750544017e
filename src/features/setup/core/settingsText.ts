import { type Edit, type Node, type ParseError, parse, parseTree } from 'jsonc-parser';
import { canonicalJson } from '../../../base/fingerprint';
import { indentedJson } from '../../../base/json';
import {
  append,
  difference,
  findEntry,
  findNode,
  findSetting,
  formattingOf,
  isReadable,
  type LocateOptions,
  settingPath,
  setValues,
  spaced,
} from '../../settings/core';
import type { SettingsAddition } from './serverDraft';

const LENIENT = { allowTrailingComma: true, allowEmptyContent: true };

/**
 * How servers and inputs are added to the text of a settings file, or take the place of servers of the same name. Comments and
 * formatting elsewhere stay. Undefined when the text is broken, or a setting of ours is not of its kind: it is for the person to
 * mend.
 */
export function addToSettings(
  text: string,
  { servers, inputs }: Pick<SettingsAddition, 'servers' | 'inputs'>,
  options: LocateOptions = {},
): Edit | undefined {
  if (!isReadable(text)) return undefined;
  const [present, list] = (['servers', 'inputs'] as const).map(setting => findSetting(text, { ...options, setting }));
  if ((present && present.type !== 'object') || (list && list.type !== 'array')) return undefined;
  let changed = text;
  const at = (setting: 'servers' | 'inputs') => settingPath(changed, setting, options);
  for (const input of inputs) changed = append(changed, at('inputs'), undefined, input);
  for (const [name, entry] of Object.entries(servers)) {
    changed = findEntry(changed, name, options)
      ? setValues(changed, [[[...at('servers'), name], entry]])
      : append(changed, at('servers'), name, entry);
  }
  return difference(text, changed);
}

/**
 * Adds a member to the object at `path`, which is made if it is not there, by one insertion: no byte of the text changes, so that
 * it can be taken out again. Written as the text is: on lines of its own, or in the line of the others.
 * @param text JSON with comments, with or without a mark of the byte order.
 */
export function insertMember(text: string, path: readonly string[], key: string, value: unknown): string {
  // A space in place of the mark: nothing moves.
  const plain = text.replace(/^\uFEFF/, ' ');
  const root = parseTree(plain, [], LENIENT);
  const names = [...path, key];
  if (!root) return `${text}${indentedJson(nested(names, value))}\n`;
  const missing = path.findIndex((_, depth) => !findNode(root, path.slice(0, depth + 1)));
  const depth = missing < 0 ? path.length : missing;
  const holder = findNode(root, path.slice(0, depth))!;
  const expected = parse(setValues(plain, [[names, value]]), [], LENIENT);
  for (const { at, added } of waysToInsert(plain, holder, names[depth]!, nested(names.slice(depth + 1), value))) {
    const changed = text.slice(0, at) + added + text.slice(at);
    const errors: ParseError[] = [];
    const now: unknown = parse(changed.replace(/^\uFEFF/, ' '), errors, LENIENT);
    if (errors.length === 0 && canonicalJson(now) === canonicalJson(expected)) return changed;
  }
  throw new Error('The member could not be inserted.');
}

/** A value within objects of these names. */
const nested = (names: readonly string[], value: unknown) =>
  names.reduceRight((inner, name) => ({ [name]: inner }), value);

interface Insertion {
  readonly at: number;
  readonly added: string;
}

/** Those that look best first. A comment in an odd place makes some of them wrong; the last always works. */
function* waysToInsert(text: string, holder: Node, key: string, value: unknown): Generator<Insertion> {
  const { insertSpaces, tabSize, eol } = formattingOf(text);
  const unit = insertSpaces ? ' '.repeat(tabSize) : '\t';
  const open = holder.offset + 1;
  const close = holder.offset + holder.length - 1;
  const inner = text.slice(open, close);
  const lineOf = (offset: number) => text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const outer = /^[^\S\r\n]*/.exec(lineOf(open))?.[0] ?? '';
  const first = holder.children?.[0];
  const last = holder.children?.at(-1);
  const isOnLines = last ? inner.includes('\n') : text.trim().includes('\n');
  const indent = last && /^\s*$/.test(lineOf(last.offset)) ? lineOf(last.offset) : outer + unit;
  const onLines = `${JSON.stringify(key)}: ${JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`)}`;
  const inLine = isTight(text)
    ? `${JSON.stringify(key)}:${JSON.stringify(value)}`
    : `${JSON.stringify(key)}: ${spaced(value)}`;
  if (isOnLines && last) {
    const end = last.offset + last.length;
    const behind = text.slice(end, close);
    if (/^\s*$/.test(behind) && behind.includes('\n')) yield { at: end, added: `,${eol}${indent}${onLines}` };
    // With a comma behind the last, or a comment behind that, a member fits below.
    if (behind.includes('\n')) yield { at: end + behind.trimEnd().length, added: `${eol}${indent}${onLines},` };
    const lineEnd = inner.indexOf('\n') + 1;
    if (first && open + lineEnd <= first.offset) yield { at: open + lineEnd, added: `${indent}${onLines},${eol}` };
  } else if (isOnLines && !inner.includes('\n') && inner.trim() === '') {
    yield { at: open, added: `${eol}${indent}${onLines}${eol}${outer}` };
  } else if (isOnLines && inner.includes('\n')) {
    yield { at: open + inner.indexOf('\n') + 1, added: `${indent}${onLines}${eol}` };
  }
  if (last) yield { at: last.offset + last.length, added: `,${isTight(text) ? '' : ' '}${inLine}` };
  yield { at: open, added: last ? `${inLine},` : inLine };
}

/** Without a space behind the colon of the first member. */
const isTight = (text: string) => /^[^:]*":\S/.test(text);
