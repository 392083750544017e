import vscode = require('vscode');

import { isObject, objectsOf } from '../../base/json';
import { plain, rowText } from '../../base/text';
import { type PlainRow, t, window } from '../../editor/window';
import { MASK } from '../../host/launch';
import { parseInputs, parseServers } from '../../host/settings';
import type { Configuration } from '../settings';
import { type ExportedServer, exportText, type PlainValue, plainValues } from './core/exportText';
import { launchLineOf } from './launchText';

type ExportRow = PlainRow & { server?: ExportedServer };

/** Opens servers as `.mcp.json` or VS Code's `mcp.json`: without secrets, other values only if checked. */
export async function exportServers(configuration: Configuration): Promise<void> {
  const rows = rowsOf(configuration);
  if (rows.length === 0) throw new Error(t('There are no MCP servers to export.'));
  const options = { title: t('Export MCP Servers'), canPickMany: true, ignoreFocusOut: true } as const;
  const chosen = await window.showQuickPick(rows, { ...options, placeHolder: t('Select the servers to export') });
  if (!chosen || chosen.length === 0) return;
  const servers = chosen.flatMap(({ server }) => server ?? []);
  const values = plainValues(servers).map(valueRow);
  const placeHolder = t('Select the values to export. The others become inputs');
  const kept = values.length === 0 ? [] : await window.showQuickPick(values, { ...options, placeHolder });
  if (!kept) return;
  const form = await window.showQuickPick(FORMS(), { title: t('Export MCP Servers'), ignoreFocusOut: true });
  if (!form) return;
  const content = exportText(servers, new Set(kept.map(({ id }) => id)), form.form);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'jsonc', content }));
}

const FORMS = () =>
  [
    {
      label: plain('.mcp.json'),
      detail: t('For a project folder. Claude Code, Copilot and other hosts read it; inputs become variables'),
      form: '.mcp.json',
    },
    { label: plain('mcp.json'), detail: t('As VS Code has it, with inputs'), form: 'mcp.json' },
  ] as const;

function rowsOf({ servers }: Configuration): ExportRow[] {
  return servers.flatMap(({ source, value, inputs }): ExportRow[] => {
    const { inputs: known } = parseInputs(inputs);
    const own = objectsOf(inputs).filter(input => known.has(String(input.id))) as unknown as ExportedServer['inputs'];
    const ofScope = { user: t('User settings'), machine: t('remote settings'), workspace: t('Workspace settings') };
    const label = source.folder?.name ?? ofScope[source.scope as keyof typeof ofScope];
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
