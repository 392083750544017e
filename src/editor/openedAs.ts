import vscode = require('vscode');

import { isObject, parsedJson } from '../base/json';

/** Languages whose texts may name a schema. */
const JSON_LANGUAGES = ['json', 'jsonc', 'snippets'];
/** Languages that the editor reads and draws as markdown. */
const MARKDOWN_LANGUAGES = ['markdown', 'prompt', 'instructions', 'chatagent', 'skill'];

/** What the manifest of an extension says. */
type Contributes =
  | { readonly notebooks?: unknown; readonly customEditors?: unknown; readonly languages?: unknown }
  | undefined;

/** Extensions come and go, and a list may have thousands of paths. */
const READ_AGAIN_MS = 1_000;
let read: Readonly<Record<'others' | 'chosen' | 'json' | 'markdown', readonly string[]>> | undefined;
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
export const opensElsewhere = (path: string): boolean =>
  endsAs(path, endings().chosen) ||
  (endsAs(path, endings().others) && !MEDIA.test(path)) ||
  (vscode.env.uiKind === vscode.UIKind.Web && /\.svg$/i.test(path));

/**
 * Whether a text at a path opens as JSON, which extensions of the editor read by its name (`package.json`) and by what it names: they fetch
 * schemas, ask registries about packages and run scripts. Of a document that we name, only what it says counts.
 */
export const opensAsBadJson = (path: string, { server, text }: ServersText): boolean =>
  endsAs(path, endings().json) && (server !== undefined || (text !== undefined && namesSchema(text())));

/** As a member of the root; of what is no JSON, as the editor may read it otherwise, in any place, spelling and encoding. */
function namesSchema(text: string): boolean {
  const root = parsedJson(text.replace(/^\ufeff/, ''));
  if (root !== undefined) return isObject(root) && '$schema' in root;
  const unescaped = text
    .replaceAll('\0', '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return unescaped.includes('$schema');
}

/** Whether a text at a path opens as markdown that is too long for that, or whose pictures are not to be fetched. */
export const opensAsBadMarkdown = (path: string, of: ServersText): boolean =>
  endsAs(path, endings().markdown) && (isConfined(of) || (of.text?.().length ?? 0) > MAX_MARKDOWN);

/** Whether the editor does more than show a text at a path. */
export const isActedOn = (path: string, of: ServersText): boolean =>
  opensElsewhere(path) || opensAsBadJson(path, of) || opensAsBadMarkdown(path, of);

/** A name for a text of a server, which the editor only shows. */
export const nameToOpen = (name: string, of: ServersText): string =>
  !isActedOn(name, of) ? name : `${name}${opensAsBadJson(name, of) ? '.jsonl' : '.txt'}`;

function endsAs(path: string, known: readonly string[]): boolean {
  const name = path.split('/').findLast(segment => segment !== '' && segment !== '.') ?? '';
  return known.some(ending => name.toLowerCase().endsWith(ending));
}

function endings(): NonNullable<typeof read> {
  if (read && performance.now() - readAt < READ_AGAIN_MS) return read;
  readAt = performance.now();
  const all = vscode.extensions.all.map(({ packageJSON }) => Object(packageJSON).contributes as Contributes);
  read = {
    chosen: chosenByWorkspace().flatMap(endingsOf),
    others: all.flatMap(contributes => [...notebooksIn(contributes), ...editorsIn(contributes)]).flatMap(endingsOf),
    json: [...all.flatMap(filesIn(JSON_LANGUAGES)), ...associatedWith(JSON_LANGUAGES)].flatMap(endingsOf),
    markdown: [...all.flatMap(filesIn(MARKDOWN_LANGUAGES)), ...associatedWith(MARKDOWN_LANGUAGES)].flatMap(endingsOf),
  };
  return read;
}

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

/** The file name patterns of an extension's notebooks. */
const notebooksIn = (contributes: Contributes): string[] =>
  textsIn(
    listIn(contributes, 'notebooks').flatMap(notebook => listIn(notebook, 'selector')),
    'filenamePattern',
  );

/** By its priority, which may differ for texts and their differences. */
const opensByItself = (priority: unknown): boolean =>
  typeof priority === 'object' && priority !== null
    ? Object.values(priority).some(opensByItself)
    : ![null, 'option', 'explicit'].includes(priority as string);

/** Those of the files that an extension opens in an editor of its own, unless the person chooses it. */
const editorsIn = (contributes: Contributes): string[] =>
  textsIn(
    listIn(contributes, 'customEditors')
      .filter(editor => opensByItself((Object(editor) as { priority?: unknown }).priority))
      .flatMap(editor => listIn(editor, 'selector')),
    'filenamePattern',
  );

/** The endings, names and patterns of files that an extension opens in one of these languages. */
const filesIn = (languages: readonly string[]) => (contributes: Contributes) =>
  listIn(contributes, 'languages')
    .filter(language => languages.includes((Object(language) as { id: string }).id))
    .flatMap(language => ['extensions', 'filenames', 'filenamePatterns'].flatMap(key => listIn(language, key)))
    .filter(text => typeof text === 'string');

const textsIn = (items: readonly unknown[], key: string): string[] =>
  items.map(item => (Object(item) as Record<string, unknown>)[key]).filter(text => typeof text === 'string');

function listIn(value: unknown, key: string): unknown[] {
  const list = (Object(value) as Record<string, unknown>)[key];
  return Array.isArray(list) ? list : [];
}

/** What a pattern such as `*.{a,b}` has behind its last wildcard, for each alternative. */
function endingsOf(pattern: string): string[] {
  const [, before = '', alternatives, behind = ''] = /^(.*)\{([^{}]*)\}([^{}]*)$/s.exec(pattern) ?? [];
  if (alternatives !== undefined) return alternatives.split(',').flatMap(one => endingsOf(before + one + behind));
  const start = Math.max(...['*', '?', ']', '/'].map(mark => pattern.lastIndexOf(mark))) + 1;
  return [pattern.slice(start).toLowerCase()];
}
