import vscode = require('vscode');

/** Extensions come and go, and a list may have thousands of paths. */
const READ_AGAIN_MS = 1_000;
let endings: readonly string[] = [];
let readAt = Number.NEGATIVE_INFINITY;

/** Whether an extension opens what is at a path as a notebook, so that the editor runs what that has as its output. */
export function opensAsNotebook(path: string): boolean {
  if (performance.now() - readAt > READ_AGAIN_MS) {
    endings = vscode.extensions.all.flatMap(({ packageJSON }) => patternsIn(packageJSON).flatMap(endingsOf));
    readAt = performance.now();
  }
  const name = path.split('/').findLast(segment => segment !== '' && segment !== '.') ?? '';
  return endings.some(ending => name.toLowerCase().endsWith(ending));
}

/** The file name patterns of an extension's notebooks, by what it contributes. */
function patternsIn(manifest: unknown): string[] {
  const { contributes } = Object(manifest) as { contributes?: { notebooks?: unknown } };
  return listIn(contributes, 'notebooks')
    .flatMap(notebook => listIn(notebook, 'selector'))
    .map(selector => (Object(selector) as { filenamePattern?: unknown }).filenamePattern)
    .filter(pattern => typeof pattern === 'string');
}

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
