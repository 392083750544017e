import vscode = require('vscode');

import { attempt } from '../base/errors';
import { getOrInsert, lazy } from '../base/events';
import { isObject, parsedJson } from '../base/json';
import { matches } from '../base/text';
import { valuesOfOthers } from './settingValues';

/**
 * Languages of which an extension does no more than colour them. Ours (`media/languages`) are for texts of servers alone, and have the
 * editor's grammars, of those that stay fast. Markdown has one of ours: the editor's brings those of all languages.
 */
const SHOWN = /^(plaintext|log|jsonl|csv|tsv|mcp-host-.*)$/;
/** Behind a name of which we have the language. */
const OURS = '.mcp';
/** Languages that extensions read by the name of the file (`package.json`) and by what it names: they fetch schemas, and run scripts. */
const JSON_LANGUAGE = /^(json|jsonc|snippets)$/;
/** What an extension contributes, as its `package.json` has it. */
type Contributes =
  | { readonly notebooks?: unknown; readonly customEditors?: unknown; readonly languages?: unknown }
  | undefined;

/** Extensions come and go, and a list may have thousands of paths. */
const READ_AGAIN_MS = 1_000;
type PatternOfLanguage = readonly [pattern: string, language: string];
let patterns:
  | {
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
  | undefined;
let readAt = Number.NEGATIVE_INFINITY;

/** Characters of a line that is coloured, in the page of the window, in a time that may grow with its square. */
const MAX_COLOURED = 300;

/** A text of a server. */
interface ServersText {
  /** The id of the server which may have named it. */
  readonly server?: string | undefined;
  /** Absent: it is not known yet. */
  readonly text?: (() => string) | undefined;
}

/** Stands for a text that is not known: nothing that the editor's grammars colour, and no name without an ending. */
const unknownText = (): string => '';

/** Servers that are confined: the editor is not to fetch what their texts name. */
const confined = new Set<string>();

/** To be called for each server that is confined. */
export const noteConfined = (server: string): void => void confined.add(server);

const isConfined = ({ server }: ServersText): boolean => server !== undefined && confined.has(server);

/** What the editor's own previews show, or one that the person has installed for it. */
const MEDIA =
  /\.(png|jpe?g|jpe|gif|webp|bmp|ico|avif|tiff|mp3|wav|og[agv]|opus|flac|aac|m4a|weba|mp4|m4v|webm|mpeg|mov|pdf|svg)$/i;

/** Of these, what the editor itself has a preview of. */
const PREVIEWED = /\.(png|jpe?g|jpe|gif|webp|bmp|ico|avif|mp3|wav|og[ag]|mp4|webm)$/i;
const isPreviewed = (path: string): boolean =>
  (PREVIEWED.test(path) || (MEDIA.test(path) && known().others.some(isNamed(path)))) &&
  !known().asText.some(isNamed(path));

/**
 * Whether an extension opens what is at a path as a notebook, whose output the editor runs, or in an editor of its own, which reads it as it
 * likes, in the process of all extensions, or the workspace chooses an editor. Pages of the editor in a browser draw SVG in that of the
 * window.
 */
const opensElsewhere = (path: string): boolean =>
  known().chosen.some(isNamed(path)) ||
  (known().others.some(isNamed(path)) && !MEDIA.test(path)) ||
  (vscode.env.uiKind === vscode.UIKind.Web && /\.svg$/i.test(path));

/** Whether the editor does more than show a text at a path. What is not known to be harmless is. */
export function isActedOn(path: string, of: ServersText): boolean {
  if (opensElsewhere(path)) return true;
  const languages = languagesOf(path);
  // A workspace may have what has a preview open as text, in a language that it chooses. SVG is XML.
  if (isPreviewed(path)) return !languages.every(language => SHOWN.test(language) || language === 'xml');
  return languages.length === 0 ? isActedOnUnnamed(path, of) : !languages.every(language => isShown(language, of));
}

/** A name for a text of a server, which the editor only shows. */
export function nameToOpen(name: string, of: ServersText): string {
  const known = { ...of, text: of.text ? lazy(of.text) : unknownText };
  const asLines = languagesOf(name).some(language => JSON_LANGUAGE.test(language)) || /\.ipynb$/i.test(name);
  const names = [
    name,
    ...(asLines ? [`${name}.jsonl`] : []),
    name + OURS,
    `${name}.txt`,
    `_${name}.txt`,
    `_${name}.jsonl`,
  ];
  return names.find(one => !isActedOn(one, known)) ?? `${name}.txt`;
}

/** Of a document that we name, JSON stays JSON, and only what it says counts. */
function isShown(language: string, { server, text }: ServersText): boolean {
  if (JSON_LANGUAGE.test(language)) return server === undefined && (text === undefined || !namesSchema(text()));
  // It has a button for the editor's preview, which fetches pictures. Its grammar is our own.
  if (language === 'mcp-host-markdown') return !isConfined({ server });
  return (
    SHOWN.test(language) && (!language.startsWith('mcp-host-') || (text !== unknownText && !hasLongLine(text?.())))
  );
}

/** Of a confined server, also an ending that says nothing to the editor may say something to an extension. */
const isActedOnUnnamed = (path: string, of: ServersText): boolean =>
  !known().isComplete ||
  path.endsWith(OURS) ||
  of.text === unknownText ||
  (isConfined(of) && path.lastIndexOf('.') > path.lastIndexOf('/') + 1) ||
  known().firstLines.some(pattern => pattern.test(firstLineOf(of.text?.() ?? '')));

/** As much as the editor reads of it. */
const firstLineOf = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/^\ufeff/, '')
    .split(/[\r\n]/, 1)[0]!;

function hasLongLine(text = ''): boolean {
  for (let at = 0; text.length - at > MAX_COLOURED; ) {
    const end = text.lastIndexOf('\n', at + MAX_COLOURED);
    if (end < at) return true;
    at = end + 1;
  }
  return false;
}

/** As a member of the root; of what is no JSON, as the editor may read it otherwise, in any place, spelling and encoding. */
function namesSchema(text: string): boolean {
  const root = parsedJson(text.replace(/^\ufeff/, ''));
  if (root !== undefined) return isObject(root) && '$schema' in root;
  const unescaped = text
    .replaceAll('\0', '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return unescaped.includes('$schema');
}

const nameOf = (path: string): string => path.split('/').findLast(segment => segment !== '' && segment !== '.') ?? '';

/** Patterns with folders are for the whole path. */
function isNamed(path: string): (pattern: string) => boolean {
  const whole = `/${path.toLowerCase()}`;
  const name = nameOf(whole);
  return pattern => {
    if (pattern.includes('/')) return matches(pattern, whole);
    return pattern.lastIndexOf('*') === 0 ? name.endsWith(pattern.slice(1)) : matches(pattern, name);
  };
}

function languagesOf(path: string): string[] {
  const { simple, languages } = known();
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

function known(): NonNullable<typeof patterns> {
  if (patterns && performance.now() - readAt < READ_AGAIN_MS) return patterns;
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
  patterns = {
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
  return patterns;
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
 * What settings say about names. Of what a workspace says, only patterns count as they are that can't be read in two ways; any other, and
 * more than a few, stand for all names.
 */
function saidIn(section: string, key: string, by: 'anybody' | 'others'): PatternOfLanguage[] {
  const found = vscode.workspace.getConfiguration(section).inspect(key);
  const entries = (values: readonly unknown[]) =>
    values
      .flatMap(value => Object.entries(Object(value) as object))
      .map(([name, value]) => [name, String(value)] as const);
  const named = ([pattern, value]: PatternOfLanguage) =>
    namesOf(pattern).map((name): PatternOfLanguage => [name, value]);
  const others = entries(valuesOfOthers(found));
  const ofOthers =
    others.length > MAX_OF_OTHERS
      ? []
      : others.flatMap(([pattern, value]) => named([plainPattern(pattern) ?? '*', value]));
  return [
    ...entries([found?.defaultValue, ...(by === 'anybody' ? [found?.globalValue] : [])]).flatMap(named),
    ...(others.length > MAX_OF_OTHERS || ofOthers.length > MAX_OF_OTHERS ? [['*', 'too many'] as const] : ofOthers),
  ];
}

/** Patterns of settings that are not the person's: each is compared with each name. */
const MAX_OF_OTHERS = 1_000;
const PLAIN_PATTERN =
  /^[\p{L}\p{N}_.\-*/ @+#~]{0,200}(?:\{[\p{L}\p{N}_.\-* @+#~,]{0,200}\}[\p{L}\p{N}_.\-* @+#~]{0,200})?$/u;

/**
 * A pattern that is no narrower than this one. Any folder is understood at the beginning alone, as the editor leaves out empty parts and others
 * at the end; and what stands for the first folder may stand for the scheme. Undefined: it is not understood.
 */
function plainPattern(pattern: string): string | undefined {
  const rest = pattern.replace(/^\*\*\//, '');
  if (!PLAIN_PATTERN.test(rest) || rest.includes('**') || /\/(?:\/|\s|$)/.test(rest)) return undefined;
  return rest.includes('/') ? rest.replace(/^[^/]*/, '*') : rest;
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
