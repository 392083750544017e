import vscode = require('vscode');

/** Whether an extension opens files of this name as notebooks, so that the editor runs what they have as their output. */
export function opensAsNotebook(fileName: string): boolean {
  const name = fileName.toLowerCase();
  return vscode.extensions.all.some(({ packageJSON }) =>
    patternsIn(packageJSON).some(pattern => endingsOf(pattern).some(ending => name.endsWith(ending))),
  );
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
