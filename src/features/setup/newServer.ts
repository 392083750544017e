import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

import vscode = require('vscode');

import { readBounded } from '../../base/files';
import { t, window } from '../../editor/window';
import { findProgram, loginShellPath } from '../../host/launch';
import { runInTerminal } from '../remedies';
import { filledIn, type Language, SCAFFOLDS, type Scaffold, serverNameOf } from './core/scaffold';
import { hasWorkspace, SCOPES, type SettingsWriter } from './settingsWriter';

const MAX_TEMPLATE_BYTES = 100 * 1024;

/**
 * *New Server…*: a small server with a test in an empty folder that the person chooses, and an entry for it that restarts it when
 * its files change. Choosing that is consent to exactly this entry. Nothing is installed.
 */
export async function newServer(writer: SettingsWriter, extensionUri: vscode.Uri): Promise<void> {
  const language = await askLanguage();
  const folder = language && (await askFolder());
  if (!folder) return;
  const scaffold = SCAFFOLDS[language];
  const taken = SCOPES.flatMap(scope => Object.keys(writer.existing(scope).servers));
  const name = serverNameOf(folder.path.split('/').at(-1) ?? '', taken);
  const templates = vscode.Uri.joinPath(extensionUri, 'media', 'newServer');
  for (const [template, file] of Object.entries(scaffold.files)) {
    const text = await readBounded(vscode.Uri.joinPath(templates, template).fsPath, MAX_TEMPLATE_BYTES);
    const target = vscode.Uri.joinPath(folder, file);
    await vscode.workspace.fs.writeFile(target, Buffer.from(filledIn(text, name, scaffold)));
  }
  const within = hasWorkspace() ? vscode.workspace.getWorkspaceFolder(folder) : undefined;
  const isOnly = vscode.workspace.workspaceFolders?.length === 1;
  const relative = within && folder.path.slice(within.uri.path.length);
  const cwd = within && isOnly ? `\${workspaceFolder}${relative}` : folder.fsPath.replaceAll('${', '$${');
  const { command, args, dev } = scaffold;
  const addition = { servers: { [name]: { command, args, cwd, dev } }, inputs: [], values: new Map<string, string>() };
  const scope = within ? 'workspace' : 'user';
  await writer.write(scope, addition, writer.definitionsOf(scope, addition));
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, scaffold.main));
  await tellNextStep(name, folder, scaffold);
}

async function askLanguage(): Promise<Language | undefined> {
  const rows = [
    { label: t('TypeScript'), description: t('with Node.js and npm'), language: 'typescript' as const },
    { label: t('Python'), description: t('with uv'), language: 'python' as const },
  ];
  const placeHolder = t('Select the language of the new server');
  return (await window.showQuickPick(rows, { title: t('New MCP Server'), placeHolder }))?.language;
}

/** Files of the person are not mixed with ours. */
async function askFolder(): Promise<vscode.Uri | undefined> {
  const folder = await (vscode.env.uiKind === vscode.UIKind.Web ? typeFolder() : chooseFolder());
  if (!folder) return undefined;
  await vscode.workspace.fs.createDirectory(folder);
  const inside = await vscode.workspace.fs.readDirectory(folder);
  if (inside.some(([name]) => name !== '.git'))
    throw new Error(t('{0} is not empty. Select an empty folder.', folder.fsPath));
  return folder;
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: t('Create Here'),
    title: t('Select an empty folder for the new server'),
  });
  return chosen?.[0];
}

/** The dialog that the editor has in a browser cannot create folders. */
async function typeFolder(): Promise<vscode.Uri | undefined> {
  const above = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const value = join(above, 'my-server');
  const path = await window.showInputBox({
    title: t('New MCP Server'),
    prompt: t('The folder for the new server. It is created if it does not exist.'),
    value,
    valueSelection: [above.length + 1, value.length],
    ignoreFocusOut: true,
    validateInput: typed => (isAbsolute(typed.trim()) ? undefined : t('Enter the whole path of a folder.')),
  });
  return path === undefined ? undefined : vscode.Uri.file(path.trim());
}

async function tellNextStep(name: string, folder: vscode.Uri, { install, command }: Scaffold): Promise<void> {
  if (install === undefined) {
    const PATH = (await loginShellPath()) ?? process.env.PATH;
    if (command === 'uv' && findProgram(command, { ...process.env, PATH }, []) === undefined) return tellOfUv(name);
    await window.showInformationMessage(
      t('"{0}" was created. It starts automatically, and restarts whenever its files are saved.', name),
    );
    return;
  }
  const run = t('Run {0}', install);
  const message = t(
    '"{0}" was created. Next: {1}. After that, it starts automatically, and restarts whenever its files are saved.',
    name,
    install,
  );
  if ((await window.showInformationMessage(message, run)) === run) runInTerminal(name, folder, install);
}

async function tellOfUv(name: string): Promise<void> {
  const installUv = t('Install uv');
  const message = t('"{0}" was created. It needs uv, which is not installed. Install uv, then start the server.', name);
  if ((await window.showInformationMessage(message, installUv)) === installUv)
    await vscode.commands.executeCommand('mcpHost.installUv');
}
