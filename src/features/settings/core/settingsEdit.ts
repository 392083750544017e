import {
  applyEdits,
  createScanner,
  type Edit,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import { isObject, nestsTooDeeply } from '../../../base/json';
import { type InputDefinition, parseInputs } from '../../../host/settings';
import { findEntry, findNode, findSetting, type LocateOptions } from './locateSetting';

/** The one edit that makes `after` of `before`. */
export function difference(before: string, after: string): Edit {
  const shorter = Math.min(before.length, after.length);
  let offset = 0;
  while (offset < shorter && before[offset] === after[offset]) offset++;
  let end = 0;
  while (end < shorter - offset && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { offset, length: before.length - end - offset, content: after.slice(offset, after.length - end) };
}

/** Where a setting of ours belongs in a settings file: beside the other one, in the same way of writing. */
export function settingPath(text: string, setting: 'servers' | 'inputs', options: LocateOptions): string[] {
  if (options.projectFile) return ['mcpServers'];
  const outer = options.codeWorkspace ? ['settings'] : [];
  const key = (of: 'servers' | 'inputs') =>
    findSetting(text, { ...options, setting: of })?.parent?.children?.[0]?.value as unknown;
  const written = key(setting) ?? key(setting === 'inputs' ? 'servers' : 'inputs');
  const isNested = written === 'servers' || written === 'inputs';
  return [...outer, ...(isNested ? ['mcpHost', setting] : [`mcpHost.${setting}`])];
}

/** An id for an input that no other has. */
export function freeId(wanted: string, known: { has(id: string): boolean }): string {
  const base = wanted.replace(/[\s{}$:]+/g, '-').slice(0, 90);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!known.has(id)) return id;
  }
}

/** How the text is indented and its lines end, for what is added to it. */
export function formattingOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Everything on a line is formatted with what is changed in it, piece by piece: for a longer one that takes minutes. */
const MAX_LINE = 20_000;
const hasLongLine = (text: string) => text.split('\n').some(({ length }) => length > MAX_LINE);

/** How the parser writes what it adds. */
const styleOf = (text: string) => (hasLongLine(text) ? {} : { formattingOptions: formattingOf(text) });

/** The text with these values, and comments and formatting elsewhere. The same text if it is too deep to parse. */
export function setValues(text: string, values: readonly (readonly [path: JSONPath, value: unknown])[]): string {
  if (nestsTooDeeply(text)) return text;
  return values.reduce(
    (before, [path, value]) => applyEdits(before, modify(before, path, value, styleOf(before))),
    text,
  );
}

export interface SettingsValues {
  readonly servers: unknown;
  readonly inputs: unknown;
}

/** Reads our settings where they stand with their whole keys. */
export function settingsValues(text: string): SettingsValues {
  const root = nestsTooDeeply(text) ? undefined : parseTree(text, [], { allowTrailingComma: true });
  const read = (key: string) => {
    const node = root && findNode(root, [key]);
    return node && (getNodeValue(node) as unknown);
  };
  return { servers: read('mcpHost.servers'), inputs: read('mcpHost.inputs') };
}

/** Whether the editor, which writes a setting as a whole, would write ours as they stand: no comments, its layout. */
export function isWrittenByEditor(text: string): boolean {
  if (!isReadable(text) || hasLongLine(text)) return false;
  const { servers, inputs } = settingsValues(text);
  const values = Object.entries({ 'mcpHost.servers': servers, 'mcpHost.inputs': inputs });
  return values.every(([key, value]) => value === undefined || setValues(text, [[[key], value]]) === text);
}

/** An input that is not in the settings yet. */
interface NewInput {
  readonly input: InputDefinition;
  /** Adds it to the text, in which other places may have changed. Comments and formatting elsewhere stay. */
  addTo(text: string): string;
}

/** An input for a secret, with an id of its own. Undefined when `mcpHost.inputs` is no list, or missing. */
export function newInput(text: string, server: string, what: string, options: LocateOptions): NewInput | undefined {
  if (options.projectFile) return undefined;
  const node = findSetting(text, { ...options, setting: 'inputs' });
  if (node && node.type !== 'array') return undefined;
  const known = parseInputs(node && getNodeValue(node)).inputs;
  const id = freeId(`${server}-${what}`, known);
  const raw = { type: 'promptString', id, description: `${what} of the MCP server ${server}`, password: true };
  const input = parseInputs([raw]).inputs.get(id);
  if (!input) return undefined;
  return { input, addTo: changed => append(changed, settingPath(changed, 'inputs', options), undefined, raw) };
}

/*
 * How the entry of one server is changed in the text of a settings file. Done by hand, not by the parser's `modify`, which
 * drops the comments around what it removes. Each returns the new text; undefined when the entry is not in this text.
 */

/** Without the entry. Comments around it stay, and so does what is on the lines before and after. */
export function removeEntry(text: string, name: string, options: LocateOptions): string | undefined {
  const property = findEntry(text, name, options)?.parent;
  return property && removeProperty(text, property);
}

/** Under another name; only the key changes. */
export function renameEntry(text: string, name: string, to: string, options: LocateOptions): string | undefined {
  const key = findEntry(text, name, options)?.parent?.children?.[0];
  return key && splice(text, { offset: key.offset, length: key.length, content: JSON.stringify(to) });
}

/** With a second entry behind it, the same to the letter, comments in it included, but disabled. */
export function duplicateEntry(text: string, name: string, copy: string, options: LocateOptions): string | undefined {
  const entry = findEntry(text, name, options);
  const property = entry?.parent;
  const key = property?.children?.[0];
  if (!entry || !property || !key) return undefined;
  const between = text.slice(key.offset + key.length, entry.offset);
  const value = text.slice(entry.offset, entry.offset + entry.length);
  const changed = insertBehind(text, property, `${JSON.stringify(copy)}${between}${value}`);
  return setEnabled(changed, copy, false, options) ?? changed;
}

/** Disabled by a property that is added, and enabled again by removing that, so that the text is then as it was. */
export function setEnabled(text: string, name: string, to: boolean, options: LocateOptions): string | undefined {
  const entry = findEntry(text, name, options);
  if (entry?.type !== 'object') return undefined;
  const [enabled, disabled] = ['enabled', 'disabled'].map(key => findNode(entry, [key])?.parent);
  if (to) {
    const without = enabled ? removeProperty(text, enabled) : text;
    // Of another host; its value says the opposite.
    const other = findNode(findEntry(without, name, options)!, ['disabled'])?.parent;
    return other ? removeProperty(without, other) : without;
  }
  const stated = enabled ?? disabled;
  const value = stated?.children?.[1];
  if (value) {
    return splice(text, { offset: value.offset, length: value.length, content: String(stated === disabled) });
  }
  const last = entry.children?.at(-1);
  if (last) return insertBehind(text, last, '"enabled": false');
  return splice(text, { offset: entry.offset + 1, length: 0, content: ' "enabled": false ' });
}

/** Takes back the change of `before` to `after` in `now`. Undefined: both changes touch, or no file comes of it. */
export function takeBack(before: string, after: string, now: string): string | undefined {
  const back = difference(after, before);
  const later = difference(after, now);
  if (now === after) return before;
  const isBehind = later.offset > back.offset + back.length;
  const isBefore = later.offset + later.length < back.offset;
  if (!isBehind && !isBefore) return undefined;
  const shift = isBefore ? later.content.length - later.length : 0;
  const restored = splice(now, { ...back, offset: back.offset + shift });
  return isReadable(restored) ? restored : undefined;
}

/** Whether the text is JSON with comments, as the editor reads it. */
export function isReadable(text: string): boolean {
  const errors: ParseError[] = [];
  // The parser calls itself for each level.
  if (nestsTooDeeply(text)) return false;
  parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  return errors.length === 0;
}

/** Without a member of an object. Comments around it stay, and so does what is on the lines before and after. */
export function removeProperty(text: string, property: Node): string {
  const end = property.offset + property.length;
  const behind = nextToken(text, end);
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  if (behind.token === ',') {
    const hasComment = text.slice(end, behind.offset).trim() !== '';
    const without = cut(text, hasComment ? behind.offset : property.offset, behind.offset + 1);
    return hasComment ? cut(without, property.offset, end) : without;
  }
  const without = cut(text, property.offset, end);
  const comma = before && nextToken(text, before.offset + before.length);
  return comma?.token === ',' ? splice(without, { offset: comma.offset, length: 1, content: '' }) : without;
}

/** Without what stands there, and without its line or the space before it, as far as nothing else is there. */
function cut(text: string, from: number, to: number): string {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const newline = text.indexOf('\n', to);
  const lineEnd = newline < 0 ? text.length : newline + 1;
  const [before, behind] = [text.slice(lineStart, from), text.slice(to, lineEnd)];
  if (before.trim() !== '') return text.slice(0, lineStart) + before.trimEnd() + text.slice(to);
  if (behind.trim() !== '') return text.slice(0, from) + text.slice(to).trimStart();
  return text.slice(0, lineStart) + text.slice(lineEnd);
}

/** Adds a member, or without a key an element, as the last one of what stands at `path`; makes that when it is not there. */
export function append(text: string, path: readonly string[], key: string | undefined, value: unknown): string {
  if (nestsTooDeeply(text)) return text;
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNode(root, path);
  if (root && !node)
    return append(text, path.slice(0, -1), path.at(-1), key === undefined ? [value] : { [key]: value });
  const last = node?.children?.at(-1);
  const { insertSpaces, tabSize, eol } = formattingOf(text);
  const indent = last && text.slice(text.lastIndexOf('\n', last.offset) + 1, last.offset);
  // By hand: the parser's way brings the one before into another shape and moves the comment behind it.
  if (last && indent?.trim() === '') {
    const json = JSON.stringify(value, null, insertSpaces ? tabSize : '\t').replaceAll('\n', `${eol}${indent}`);
    return insertBehind(text, last, key === undefined ? json : `${JSON.stringify(key)}: ${json}`);
  }
  const at = [...path, key ?? node?.children?.length ?? 0];
  return applyEdits(text, modify(text, at, value, { ...styleOf(text), isArrayInsertion: key === undefined }));
}

/** Nothing but comments up to the end of the line. */
const COMMENTS_TO_END = /^(?:[^\S\r\n]|\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/;

/** Adds a property after an existing one: on its own line if that has one, below the comment at the end of that line. */
function insertBehind(text: string, property: Node, added: string): string {
  const { eol } = formattingOf(text);
  const end = property.offset + property.length;
  const behind = nextToken(text, end);
  const hasComma = behind.token === ',';
  const lineStart = text.lastIndexOf('\n', property.offset) + 1;
  const indent = text.slice(lineStart, property.offset);
  const place = hasComma ? behind.offset + 1 : end;
  const rest = COMMENTS_TO_END.exec(text.slice(place))?.[0];
  if (rest === undefined || indent.trim() !== '') {
    return splice(text, { offset: place, length: 0, content: hasComma ? ` ${added},` : `, ${added}` });
  }
  const line = `${eol}${indent}${added}${hasComma ? ',' : ''}`;
  const withLine = splice(text, { offset: place + rest.length, length: 0, content: line });
  return hasComma ? withLine : splice(withLine, { offset: end, length: 0, content: ',' });
}

/** The first token behind `offset` that is no comment. */
function nextToken(text: string, offset: number): { token: string; offset: number } {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return { token: text.slice(at, at + scanner.getTokenLength()), offset: at };
}

const splice = (text: string, { offset, length, content }: Edit) =>
  text.slice(0, offset) + content + text.slice(offset + length);

/** JSON in one line, as people write it. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
