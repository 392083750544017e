import { isObject } from '../../base/json';

import vscode = require('vscode');

import { plain, rowText } from '../../base/text';
import { type PlainRow, t, window } from '../../editor/window';
import { MASK } from '../../host/launch';
import { parseInputs, parseServers } from '../../host/settings';
import type { Configuration } from '../settings';
import { type ExportedServer, exportText, type PlainValue, plainValues } from './core/exportText';
import { launchLineOf } from './launchText';
import { BACK, pickMany, pickOne, runSteps } from './wizard';

type ExportRow = PlainRow & { server?: ExportedServer };

/**
 * Writes servers of the settings in the format of VS Code's `mcp.json`. Secrets are never included, and other values only if
 * the person checks them.
 */
export async function exportServers(configuration: Configuration): Promise<void> {
  const rows = rowsOf(configuration);
  if (rows.length === 0) throw new Error(t('There are no MCP servers to export.'));
  const title = t('Export MCP Servers');
  let servers: ExportedServer[] = [];
  let values: PlainValue[] = [];
  let kept: ReadonlySet<string> = new Set();
  await runSteps([
    async () => {
      const chosen = await pickMany({ title, placeholder: t('Select the servers to export'), items: rows });
      if (chosen === BACK || !chosen || chosen.length === 0) return undefined;
      servers = chosen.flatMap(({ server }) => server ?? []);
      values = plainValues(servers);
      kept = new Set();
      return 'next';
    },
    async canGoBack => {
      if (values.length === 0) return 'skip';
      const placeholder = t('Select the values to export. The others become inputs');
      const chosen = await pickMany({ title, placeholder, items: values.map(valueRow), canGoBack });
      if (chosen === BACK || !chosen) return chosen === BACK ? 'back' : undefined;
      kept = new Set(chosen.map(({ id }) => id));
      return 'next';
    },
    async canGoBack => {
      const text = exportText(servers, kept);
      const document = {
        iconPath: new vscode.ThemeIcon('new-file'),
        label: t('Open as a Document'),
        run: () => show(text),
      };
      const file = { iconPath: new vscode.ThemeIcon('save'), label: t('Save as mcp.json…'), run: () => save(text) };
      const clipboard = {
        iconPath: new vscode.ThemeIcon('clippy'),
        label: t('Copy to the Clipboard'),
        run: () => copy(text),
      };
      const placeholder = t('Where do you want to export to? Secrets are left out; inputs ask for them instead.');
      const picked = await pickOne({ title, placeholder, items: [document, file, clipboard], canGoBack });
      if (picked === BACK) return 'back';
      await picked?.run();
      return 'next';
    },
  ]);
}

function rowsOf({ servers }: Configuration): ExportRow[] {
  return servers.flatMap(({ source, value, inputs }): ExportRow[] => {
    const { inputs: known } = parseInputs(inputs);
    const raw = Array.isArray(inputs) ? inputs.filter(isObject) : [];
    const own = raw.filter(input => known.has(String(input.id))) as unknown as ExportedServer['inputs'];
    const label = source.folder?.name ?? (source.scope === 'user' ? t('User settings') : t('Workspace settings'));
    const found = parseServers(value).servers.flatMap(({ name, path, entry }): ExportRow[] => {
      const written = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
      if (!entry || !isObject(written)) return [];
      const server = { name, entry: written, inputs: own };
      const description = rowText(launchLineOf(entry), 120);
      return [{ label: rowText(name, 100), description, picked: true, server }];
    });
    return found.length > 0 ? [{ label: rowText(label), kind: vscode.QuickPickItemKind.Separator }, ...found] : [];
  });
}

function valueRow({ id, server, name, kind, value, isSecret, isHarmless }: PlainValue) {
  const shown = isSecret ? plain(MASK) : rowText(value, 100);
  const kinds = {
    variable: t('Environment variable for {0}', server),
    header: t('Header for {0}', server),
    argument: t('Argument for {0}', server),
    address: t('Address of {0}', server),
    default: t('Default value of an input for {0}', server),
  };
  return { id, label: rowText(name, 100), description: shown, detail: rowText(kinds[kind], 200), picked: isHarmless };
}

async function show(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'jsonc', content });
  await vscode.window.showTextDocument(document);
}

async function save(content: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder && vscode.Uri.joinPath(folder, '.vscode', 'mcp.json');
  const uri = await vscode.window.showSaveDialog({ ...(defaultUri && { defaultUri }), filters: { JSON: ['json'] } });
  if (!uri) return;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
  await vscode.window.showTextDocument(uri);
}

async function copy(content: string): Promise<void> {
  await vscode.env.clipboard.writeText(content);
  void window.showInformationMessage(t('Copied the servers to the clipboard in mcp.json format.'));
}
