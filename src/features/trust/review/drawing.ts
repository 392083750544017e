import vscode = require('vscode');

/** Settings of editors that say nothing of how a text looks. */
const HARMLESS =
  /^(tabSize|indentSize|insertSpaces|detectIndentation|trimAutoWhitespace|rulers|guides|format\w*|codeAction\w*|defaultFormatter|quickSuggestions\w*|suggest\w*|snippet\w*|tabCompletion|acceptSuggestion\w*|linkedEditing|inlayHints|codeLens|minimap|bracketPairColorization|stickyScroll|inlineSuggest)$/;
/** Colours of what surrounds texts: many repositories have such. */
const HARMLESS_COLOURS = /^(activityBar|titleBar|statusBar|sash|commandCenter|tab|editorGroup)/;

/** Whether a workspace changes how an editor draws a text, so that part of it may be out of sight. */
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

/** Names of the settings of a section; those of single themes stand in an object of their own. */
function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name.startsWith('[') ? leaves(inner) : [name]));
}
