import vscode = require('vscode');

/** What the manifest of an extension says. */
type Contributes = { readonly notebooks?: unknown; readonly languages?: unknown } | undefined;

/** Extensions come and go, and a list may have thousands of paths. */
const READ_AGAIN_MS = 1_000;
let read: { readonly at: number; readonly notebooks: readonly string[]; readonly json: readonly string[] } | undefined;

/** Whether an extension opens what is at a path as a notebook, so that the editor runs what that has as its output. */
export const opensAsNotebook = (path: string): boolean => endsAs(path, endings().notebooks);

/**
 * Whether the editor fetches the schema that is named in what is at a path, from any address. Later editors ask about hosts that they do not
 * know.
 */
export const opensAsLinkedJson = (path: string): boolean => endsAs(path, endings().json);

/** A name for a document of a server. One that would open as such JSON is JSON lines: coloured, and without a schema. */
export const nameToOpen = (name: string): string => (opensAsLinkedJson(name) ? `${name}.jsonl` : name);

function endsAs(path: string, known: readonly string[]): boolean {
  const name = path.split('/').findLast(segment => segment !== '' && segment !== '.') ?? '';
  return known.some(ending => name.toLowerCase().endsWith(ending));
}

function endings(): NonNullable<typeof read> {
  if (read && performance.now() - read.at < READ_AGAIN_MS) return read;
  const all = vscode.extensions.all.map(({ packageJSON }) => Object(packageJSON).contributes as Contributes);
  read = {
    at: performance.now(),
    notebooks: all.flatMap(notebooksIn).flatMap(endingsOf),
    json: fetchesSchemas() ? all.flatMap(jsonIn).flatMap(endingsOf) : [],
  };
  return read;
}

function fetchesSchemas(): boolean {
  const { contributes } = Object(vscode.extensions.getExtension('vscode.json-language-features')?.packageJSON) as {
    contributes?: { configuration?: { properties?: object } };
  };
  return (
    contributes !== undefined &&
    !('json.schemaDownload.trustedDomains' in (contributes.configuration?.properties ?? {}))
  );
}

/** The file name patterns of an extension's notebooks. */
const notebooksIn = (contributes: Contributes): string[] =>
  textsIn(
    listIn(contributes, 'notebooks').flatMap(notebook => listIn(notebook, 'selector')),
    'filenamePattern',
  );

/** The endings, names and patterns of files that an extension opens as JSON. */
const jsonIn = (contributes: Contributes): string[] =>
  listIn(contributes, 'languages')
    .filter(language => ['json', 'jsonc', 'snippets'].includes((Object(language) as { id: string }).id))
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
