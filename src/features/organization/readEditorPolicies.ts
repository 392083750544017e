import vscode = require('vscode');

import { type EditorPolicies, editorPolicies } from './core/editorPolicies';

/** What the editor's policies say about MCP servers now. Loaded where they say anything. */
export function readEditorPolicies(): EditorPolicies {
  const settings = vscode.workspace.getConfiguration();
  return editorPolicies(name => ({ value: settings.get(name), byDefault: settings.inspect(name)?.defaultValue }));
}
