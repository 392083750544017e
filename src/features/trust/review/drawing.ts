import vscode = require('vscode');

/** Editor settings that do not affect how a text looks. */
const HARMLESS =
  /^(tabSize|indentSize|insertSpaces|detectIndentation|trimAutoWhitespace|rulers|guides|format\w*|codeAction\w*|defaultFormatter|quickSuggestions\w*|suggest\w*|snippet\w*|tabCompletion|acceptSuggestion\w*|linkedEditing|inlayHints|codeLens|minimap|bracketPairColorization|stickyScroll|inlineSuggest)$/;
/** Colours of the parts around the editor, which many repositories set. */
const HARMLESS_COLOURS = /^(activityBar|titleBar|statusBar|sash|commandCenter|tab|editorGroup)/;

/** Whether a workspace changes how an editor draws text, which could put part of it out of sight. */
export function isDrawnByWorkspace(uri: vscode.Uri): boolean {
  const settings = vscode.workspace.getConfiguration(undefined, { uri, languageId: 'json' });
  const ofWorkspace = (key: string) => {
    const found = settings.inspect(key);
    return [
      found?.workspaceValue,
      found?.workspaceFolderValue,
      found?.workspaceLanguageValue,
      found?.workspaceFolderLanguageValue,
    ].filter(value => value !== undefined);
  };
  const names = (key: string) => ofWorkspace(key).flatMap(value => leaves(value));
  return (
    names('editor').some(name => !HARMLESS.test(name)) ||
    names('workbench.colorCustomizations').some(name => !HARMLESS_COLOURS.test(name)) ||
    ['files.associations', 'workbench.editorAssociations', 'workbench.editor.customLabels'].some(
      key => ofWorkspace(key).length > 0,
    )
  );
}

/** The names of the settings in a section; those for a single theme are in a nested object. */
function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name.startsWith('[') ? leaves(inner) : [name]));
}
