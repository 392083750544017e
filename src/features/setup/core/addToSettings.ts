import {
  applyEdits,
  createScanner,
  type Edit,
  getNodePath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import { difference, findNode, findSetting, formattingOf, type LocateOptions, settingPath } from '../../settings';
import type { SettingsAddition } from './planAddition';

const LENIENT = { allowTrailingComma: true, allowEmptyContent: true };

/**
 * How servers and inputs are added to the text of a settings file. Comments and formatting elsewhere stay. Undefined when
 * the text is broken, or a setting of ours is not of its kind: it is for the person to mend.
 */
export function addToSettings(
  text: string,
  { servers, inputs }: Pick<SettingsAddition, 'servers' | 'inputs'>,
  options: LocateOptions = {},
): Edit | undefined {
  const errors: ParseError[] = [];
  parse(text, errors, LENIENT);
  const [present, list] = (['servers', 'inputs'] as const).map(setting => findSetting(text, { ...options, setting }));
  if (errors.length > 0 || (present && present.type !== 'object') || (list && list.type !== 'array')) return undefined;
  let changed = text;
  const at = (setting: 'servers' | 'inputs') => settingPath(changed, setting, options);
  for (const input of inputs) changed = append(changed, at('inputs'), undefined, input);
  for (const [name, entry] of Object.entries(servers)) changed = append(changed, at('servers'), name, entry);
  return difference(text, changed);
}

/** Adds a member, or without a key an element, as the last one of what stands at `path`; makes that when it is not there. */
export function append(text: string, path: readonly string[], key: string | undefined, value: unknown): string {
  const root = parseTree(text, [], LENIENT);
  const node = root && findNode(root, path);
  if (node) return appendTo(text, node, key, value);
  const holder = root && findNode(root, path.slice(0, -1));
  const made = key === undefined ? [value] : { [key]: value };
  if (holder) return appendTo(text, holder, path.at(-1), made);
  return applyEdits(text, modify(text, [...path], made, { formattingOptions: formattingOf(text) }));
}

/**
 * By hand, where the members stand on lines of their own: the parser's way brings the one before into another shape and
 * moves the comment behind it.
 */
function appendTo(text: string, node: Node, key: string | undefined, value: unknown): string {
  const last = node.children?.at(-1);
  const { insertSpaces, tabSize, eol } = formattingOf(text);
  const close = node.offset + node.length - 1;
  const lineStart = last ? text.lastIndexOf('\n', last.offset) + 1 : 0;
  const indent = last ? text.slice(lineStart, last.offset) : '';
  if (!last || /\S/.test(indent) || !text.slice(last.offset + last.length, close).includes('\n')) {
    const path = [...getNodePath(node), key ?? node.children?.length ?? 0];
    const formattingOptions = { insertSpaces, tabSize, eol };
    return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: key === undefined }));
  }
  const unit = insertSpaces ? ' '.repeat(tabSize) : '\t';
  const json = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  const end = last.offset + last.length;
  const hasComma = nextToken(text, end) === ',';
  const before = text.slice(0, close).trimEnd().length;
  const added = `${eol}${indent}${key === undefined ? '' : `${JSON.stringify(key)}: `}${json}${hasComma ? ',' : ''}`;
  return `${text.slice(0, end)}${hasComma ? '' : ','}${text.slice(end, before)}${added}${text.slice(before)}`;
}

/** The first token behind `offset` that is no comment. */
function nextToken(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
}
