import { applyEdits, type Edit, type JSONPath, modify } from 'jsonc-parser';
import { findSetting, type LocateOptions } from './locateSetting';

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
  const indent = /^[^\S\r\n]+(?=")/m.exec(text)?.[0] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The text with these values written at their places, one after the other. Comments and formatting elsewhere stay. */
export function setValues(text: string, values: readonly (readonly [path: JSONPath, value: unknown])[]): string {
  return values.reduce(
    (before, [path, value]) =>
      applyEdits(before, modify(before, path, value, { formattingOptions: formattingOf(before) })),
    text,
  );
}
