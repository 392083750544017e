import vscode = require('vscode');

import { isObject, parsedJson } from '../base/json';
import { matches } from '../base/text';

/** Languages whose texts may name a schema. */
const JSON_LANGUAGES = ['json', 'jsonc', 'snippets'];
/** Languages that the editor reads and draws as markdown. */
const MARKDOWN_LANGUAGES = ['markdown', 'skill'];
/** Languages of markdown for agents: the editor also looks whether each file is there that such a text names. */
const PROMPT_LANGUAGES = ['prompt', 'instructions', 'chatagent'];

/** What an extension contributes, as its `package.json` has it. */
type Contributes =
  | { readonly notebooks?: unknown; readonly customEditors?: unknown; readonly languages?: unknown }
  | undefined;

/** Extensions come and go, and a list may have thousands of paths. */
const READ_AGAIN_MS = 1_000;
let patterns: Readonly<Record<'others' | 'chosen' | 'json' | 'markdown' | 'prompts', readonly string[]>> | undefined;
let readAt = Number.NEGATIVE_INFINITY;

/** Characters of markdown, which the editor reads in the process of all extensions, in a time that may grow with their square. */
const MAX_MARKDOWN = 50_000;

/** A text of a server. */
interface ServersText {
  /** The id of the server which may have named it. */
  readonly server?: string | undefined;
  /** Absent: it is not known yet. */
  readonly text?: (() => string) | undefined;
}

/** Servers that are confined: the editor is not to fetch what their texts name. */
const confined = new Set<string>();

/** To be called for each server that is confined. */
export const noteConfined = (server: string): void => void confined.add(server);

const isConfined = ({ server }: ServersText): boolean => server !== undefined && confined.has(server);

/** What the editor's own previews show, or one that the person has installed for it. */
const MEDIA =
  /\.(png|jpe?g|jpe|gif|webp|bmp|ico|avif|tiff|mp3|wav|og[agv]|opus|flac|aac|m4a|weba|mp4|m4v|webm|mpeg|mov|pdf|svg)$/i;

/**
 * Whether an extension opens what is at a path as a notebook, whose output the editor runs, or in an editor of its own, which reads it as it
 * likes, in the process of all extensions, or the workspace chooses an editor. Pages of the editor in a browser draw SVG in that of the
 * window.
 */
const opensElsewhere = (path: string): boolean =>
  isNamed(path, known().chosen) ||
  (isNamed(path, known().others) && !MEDIA.test(path)) ||
  (vscode.env.uiKind === vscode.UIKind.Web && /\.svg$/i.test(path));

/**
 * Whether a text at a path opens as JSON, which extensions of the editor read by its name (`package.json`) and by what it names: they fetch
 * schemas, ask registries about packages and run scripts. Of a document that we name, only what it says counts.
 */
const opensAsBadJson = (path: string, { server, text }: ServersText): boolean =>
  isNamed(path, known().json) && (server !== undefined || (text !== undefined && namesSchema(text())));

/** As a member of the root; of what is no JSON, as the editor may read it otherwise, in any place, spelling and encoding. */
function namesSchema(text: string): boolean {
  const root = parsedJson(text.replace(/^\ufeff/, ''));
  if (root !== undefined) return isObject(root) && '$schema' in root;
  const unescaped = text
    .replaceAll('\0', '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return unescaped.includes('$schema');
}

/** Whether a text at a path opens as markdown that is too long for that, whose pictures are not to be fetched, or which is for agents. */
const opensAsBadMarkdown = (path: string, of: ServersText): boolean =>
  isNamed(path, known().prompts) ||
  (isNamed(path, known().markdown) && (isConfined(of) || (of.text?.().length ?? 0) > MAX_MARKDOWN));

/** Whether the editor does more than show a text at a path. */
export const isActedOn = (path: string, of: ServersText): boolean =>
  opensElsewhere(path) || opensAsBadJson(path, of) || opensAsBadMarkdown(path, of);

/** A name for a text of a server, which the editor only shows. Markdown has another one until it is known. */
export const nameToOpen = (name: string, of: ServersText): string =>
  !isActedOn(name, of) && !(of.text === undefined && isNamed(name, known().markdown))
    ? name
    : `${name}${opensAsBadJson(name, of) ? '.jsonl' : '.txt'}`;

/** Patterns with folders are for the whole path. */
function isNamed(path: string, among: readonly string[]): boolean {
  const whole = path.toLowerCase();
  const name = whole.split('/').findLast(segment => segment !== '' && segment !== '.') ?? '';
  return among.some(pattern => {
    if (pattern.includes('/')) return matches(pattern, whole);
    return pattern.lastIndexOf('*') === 0 ? name.endsWith(pattern.slice(1)) : matches(pattern, name);
  });
}

function known(): NonNullable<typeof patterns> {
  if (patterns && performance.now() - readAt < READ_AGAIN_MS) return patterns;
  readAt = performance.now();
  const all = vscode.extensions.all.map(({ packageJSON }) => Object(packageJSON).contributes as Contributes);
  patterns = {
    chosen: chosenByWorkspace().flatMap(namesOf),
    others: all.flatMap(selectedBy).flatMap(namesOf),
    json: filesOf(all, JSON_LANGUAGES),
    markdown: filesOf(all, MARKDOWN_LANGUAGES),
    prompts: filesOf(all, PROMPT_LANGUAGES),
  };
  return patterns;
}

/** The names of files that extensions and settings open in one of these languages. */
const filesOf = (all: readonly Contributes[], languages: readonly string[]): string[] =>
  [...all.flatMap(filesIn(languages)), ...associatedWith(languages)].flatMap(namesOf);

/** The patterns of files that anybody's settings associate with one of these languages. */
const associatedWith = (languages: readonly string[]): string[] =>
  saidIn('files', 'associations').flatMap(([pattern, language]) =>
    languages.includes(language as string) ? [pattern] : [],
  );

/** The patterns of files for which the workspace, and not the person, chooses an editor. */
const chosenByWorkspace = (): string[] =>
  saidIn('workbench', 'editorAssociations', 'workspace').flatMap(([pattern, editor]) =>
    editor === 'default' ? [] : [pattern],
  );

function saidIn(section: string, key: string, by: 'anybody' | 'workspace' = 'anybody'): [string, unknown][] {
  const { globalValue, workspaceValue, workspaceFolderValue } =
    vscode.workspace.getConfiguration(section).inspect(key) ?? {};
  const said = [workspaceValue, workspaceFolderValue, ...(by === 'anybody' ? [globalValue] : [])];
  return said.flatMap(value => Object.entries(Object(value) as object));
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

/** The patterns of files that an extension opens in one of these languages. */
const filesIn = (languages: readonly string[]) => (contributes: Contributes) =>
  listIn(contributes, 'languages')
    .filter(language => languages.includes((Object(language) as { id: string }).id))
    .flatMap(language => [
      ...textsOf(listIn(language, 'extensions')).map(extension => `*${extension}`),
      ...['filenames', 'filenamePatterns'].flatMap(key => textsOf(listIn(language, key))),
    ]);

const textsOf = (items: readonly unknown[]): string[] => items.filter(item => typeof item === 'string');

function listIn(value: unknown, key: string): unknown[] {
  const list = (Object(value) as Record<string, unknown>)[key];
  return Array.isArray(list) ? list : [];
}

/** What a pattern such as `**\/*.{a,b}` stands for, for each alternative, with `*` alone for any characters. */
function namesOf(pattern: string): string[] {
  const [, before = '', alternatives, behind = ''] = /^(.*)\{([^{}]*)\}([^{}]*)$/s.exec(pattern) ?? [];
  if (alternatives !== undefined) return alternatives.split(',').flatMap(one => namesOf(before + one + behind));
  const simple = pattern
    .toLowerCase()
    .replace(/\?|\[[^\]]*\]?/g, '*')
    .replace(/\*+/g, '*');
  // In any folder.
  return [/^\*\/[^/]*$/.test(simple) ? simple.slice(2) : simple];
}
