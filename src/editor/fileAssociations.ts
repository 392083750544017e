import vscode = require('vscode');

import { attempt } from '../base/errors';
import { getOrInsert } from '../base/events';
import { matches } from '../base/text';
import { valuesOfOthers } from './settingValues';

/** What an extension contributes, as its `package.json` has it. */
type Contributes =
  | { readonly notebooks?: unknown; readonly customEditors?: unknown; readonly languages?: unknown }
  | undefined;

/** Extensions come and go, and a list may have thousands of paths. */
const READ_AGAIN_MS = 1_000;
type PatternOfLanguage = readonly [pattern: string, language: string];
/** What extensions and settings say about names of files, as patterns. */
interface FileAssociations {
  /** Names that open in an editor which an extension, or the workspace, has chosen. */
  readonly others: readonly string[];
  readonly chosen: readonly string[];
  /** Names that open as text because of what others say. */
  readonly asText: readonly string[];
  /** The languages of names, by extensions and settings: of a whole name (`/makefile`), of an ending (`.md`), and by other patterns. */
  readonly simple: ReadonlyMap<string, readonly string[]>;
  readonly languages: readonly PatternOfLanguage[];
  /** Of texts whose names have no language. */
  readonly firstLines: readonly RegExp[];
  /** Whether the editor tells us of its own languages: in web windows it does not. */
  readonly isComplete: boolean;
}
let read: FileAssociations | undefined;
let readAt = Number.NEGATIVE_INFINITY;

const nameOf = (path: string): string => path.split('/').findLast(segment => segment !== '' && segment !== '.') ?? '';

/** Whether a pattern is for what is at a path. Patterns with folders are for the whole path. */
export function isNamed(path: string): (pattern: string) => boolean {
  const whole = `/${path.toLowerCase()}`;
  const name = nameOf(whole);
  return pattern => {
    if (pattern.includes('/')) return matches(pattern, whole);
    return pattern.lastIndexOf('*') === 0 ? name.endsWith(pattern.slice(1)) : matches(pattern, name);
  };
}

/** The languages that extensions and settings give a name. */
export function languagesOf(path: string): string[] {
  const { simple, languages } = fileAssociations();
  const name = nameOf(path.toLowerCase());
  const endings = [...name.slice(-MAX_ENDING).matchAll(/\./g)].map(({ index, input }) => input.slice(index));
  const isIts = isNamed(path);
  return [
    ...[`/${name}`, ...endings].flatMap(key => simple.get(key) ?? []),
    ...languages.flatMap(([pattern, language]) => (isIts(pattern) ? [language] : [])),
  ];
}

/** Longer than any ending that has a language. */
const MAX_ENDING = 100;

/** What they say now. */
export function fileAssociations(): FileAssociations {
  if (read && performance.now() - readAt < READ_AGAIN_MS) return read;
  readAt = performance.now();
  const all = vscode.extensions.all.map(({ packageJSON }) => Object(packageJSON).contributes as Contributes);
  const simple = new Map<string, string[]>();
  const languages: PatternOfLanguage[] = [];
  const ofExtensions = [...OWN_NAMES, ...all.flatMap(namedIn)];
  for (const [pattern, language] of [
    ...ofExtensions.flatMap(([name, language]) => namesOf(name).map((one): PatternOfLanguage => [one, language])),
    ...associated(),
  ]) {
    const isEnding = /^\*\.[^*/]*$/.test(pattern);
    if (!isEnding && /[*/]/.test(pattern)) languages.push([pattern, language]);
    else getOrInsert(simple, isEnding ? pattern.slice(1) : `/${pattern}`, () => []).push(language);
  }
  read = {
    chosen: chosenByOthers(false),
    asText: chosenByOthers(true),
    others: all.flatMap(selectedBy).flatMap(namesOf),
    simple,
    languages,
    firstLines: all.flatMap(firstLinesOf),
    isComplete: all.some(one =>
      listIn(one, 'languages').some(language => (Object(language) as { id?: unknown }).id === 'markdown'),
    ),
  };
  return read;
}

/** How texts of a language begin, which the editor looks at where a name has none: `#!`, `<?xml`. */
const firstLinesOf = (contributes: Contributes): RegExp[] =>
  textsOf(listIn(contributes, 'languages').map(language => (Object(language) as { firstLine?: unknown }).firstLine))
    .map(line => attempt(() => new RegExp(line.startsWith('^') ? line : `^${line}`), undefined))
    .filter(pattern => pattern !== undefined);

/** What the editor itself has, also where it does not tell, and names that have no language but what the person has installed. */
const OWN_NAMES: readonly PatternOfLanguage[] = [
  ...['*.txt', '*.csv', '*.tsv', '*.hex'].map(name => [name, 'plaintext'] as const),
  ...['json', 'jsonc', 'jsonl', 'log'].map(language => [`*.${language}`, language] as const),
];

/** The names that anybody's settings associate with a language. */
const associated = (): PatternOfLanguage[] => saidIn('files', 'associations', 'anybody');

/** The names for which somebody else than the person chooses an editor, or the one for texts. Extensions may choose by default. */
const chosenByOthers = (asText: boolean): string[] =>
  ['editorAssociations', 'diffEditorAssociations']
    .flatMap(key => saidIn('workbench', key, 'others'))
    .flatMap(([name, editor]) => ((editor === 'default') === asText ? [name] : []));

/**
 * What settings say about names. A pattern that a workspace sets, and that could be read in more than one way, stands for all names; so do
 * more patterns than we compare.
 */
function saidIn(section: string, key: string, by: 'anybody' | 'others'): PatternOfLanguage[] {
  const found = vscode.workspace.getConfiguration(section).inspect(key);
  const entries = (values: readonly unknown[]) =>
    values
      .flatMap(value => Object.entries(Object(value) as object))
      .map(([name, value]) => [name, String(value)] as const);
  const named = ([pattern, value]: PatternOfLanguage) =>
    namesOf(pattern).map((name): PatternOfLanguage => [name, value]);
  const ofOthers = entries(valuesOfOthers(found))
    .slice(0, MAX_OF_OTHERS + 1)
    .flatMap(([pattern, value]) => named([plainPattern(pattern) ?? '*', value]));
  return [
    ...entries([found?.defaultValue, ...(by === 'anybody' ? [found?.globalValue] : [])]).flatMap(named),
    ...(ofOthers.length > MAX_OF_OTHERS ? [['*', 'too many'] as const] : ofOthers),
  ];
}

/** Patterns of settings that are not the person's: each is compared with each name. */
const MAX_OF_OTHERS = 1_000;
const PLAIN_FOLDERS = /^(?:\*\*\/)?[\p{L}\p{N}_.\-*/ @+#~]*$/u;
const PLAIN_NAME =
  /^[\p{L}\p{N}_.\-* @+#~]{0,200}(?:\{[\p{L}\p{N}_.\-* @+#~,]{0,200}\}[\p{L}\p{N}_.\-* @+#~]{0,200})?$/u;

/**
 * A pattern that matches at least as much as the editor's: that of its name, in any folder. Undefined if that can't be told: the editor ignores
 * empty parts, and what is behind the last one.
 */
function plainPattern(pattern: string): string | undefined {
  const at = pattern.lastIndexOf('/') + 1;
  const [folders, name] = [pattern.slice(0, at), pattern.slice(at)];
  if (!PLAIN_FOLDERS.test(folders) || !PLAIN_NAME.test(name) || pattern.slice(1).includes('**')) return undefined;
  return namesOf(name).every(one => one.trim()) ? name : undefined;
}

/** By its priority, which may differ for texts and their differences. */
const opensByItself = (priority: unknown): boolean =>
  typeof priority === 'object' && priority !== null
    ? Object.values(priority).some(opensByItself)
    : ![null, 'option', 'explicit'].includes(priority as string);

/** The patterns of files that an extension opens as notebooks, or in editors of its own, unless the person chooses that. */
const selectedBy = (contributes: Contributes): string[] =>
  (['notebooks', 'customEditors'] as const)
    .flatMap(key => listIn(contributes, key) as { priority?: unknown }[])
    .filter(editor => opensByItself(editor?.priority))
    .flatMap(editor => listIn(editor, 'selector'))
    .map(selector => (Object(selector) as { filenamePattern?: unknown }).filenamePattern)
    .filter(text => typeof text === 'string');

/** The patterns of files of each language that an extension has. */
const namedIn = (contributes: Contributes): [string, string][] =>
  listIn(contributes, 'languages').flatMap(language => {
    const names = [
      ...textsOf(listIn(language, 'extensions')).map(extension => `*${extension}`),
      ...['filenames', 'filenamePatterns'].flatMap(key => textsOf(listIn(language, key))),
    ];
    return names.map((name): [string, string] => [name, String((Object(language) as { id?: unknown }).id)]);
  });

const textsOf = (items: readonly unknown[]): string[] => items.filter(item => typeof item === 'string');

function listIn(value: unknown, key: string): unknown[] {
  const list = (Object(value) as Record<string, unknown>)[key];
  return Array.isArray(list) ? list : [];
}

/**
 * What a pattern such as `**\/*.{a,b}` stands for, for each alternative, and no less than the editor takes it for: with `*` alone for any
 * characters, without spaces around it.
 */
function namesOf(pattern: string): string[] {
  const [, before = '', alternatives, behind = ''] = /^(.*)\{([^{}]*)\}([^{}]*)$/s.exec(pattern) ?? [];
  if (alternatives !== undefined) return alternatives.split(',').flatMap(one => namesOf(before + one + behind));
  const simple = pattern
    .toLowerCase()
    .replaceAll('**/', '*')
    .replace(/\?|\[[^\]]*\]?/g, '*')
    .replace(/\*+/g, '*');
  const trimmed = pattern.trim();
  const named = simple.includes('/') ? simple.replace(/^[^*/][^/]*|^(?=\/)/, '*') : simple;
  return trimmed === pattern ? [named] : [named, ...namesOf(trimmed)];
}
