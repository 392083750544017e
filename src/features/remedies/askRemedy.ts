import vscode = require('vscode');

import { t, window } from '../../editor/window';
import type { Remedy, Runtime } from '../../host';

/** How the makers say that their program is installed. */
const PAGES: Record<Runtime, readonly [authority: string, path: string]> = {
  'Node.js': ['nodejs.org', '/en/download'],
  uv: ['docs.astral.sh', '/uv/getting-started/installation/'],
  Docker: ['docs.docker.com', '/get-started/get-docker/'],
  Podman: ['podman.io', '/docs/installation'],
  Python: ['www.python.org', '/downloads/'],
  Bun: ['bun.sh', '/docs/installation'],
  Deno: ['docs.deno.com', '/runtime/getting_started/installation/'],
  '.NET': ['dotnet.microsoft.com', '/download'],
  bubblewrap: ['github.com', '/containers/bubblewrap#installation'],
};
/** The value that a remedy needs from the person. Empty: it needs none. Undefined: it was cancelled. */
export async function askValue({ name }: { readonly name: string }, remedy: Remedy): Promise<string | undefined> {
  if (remedy.kind !== 'setHeader' && remedy.kind !== 'makeInput') return '';
  const prompt =
    remedy.kind === 'setHeader'
      ? t('The token, or a whole header as Name: value. It is kept in secret storage, not in settings.')
      : t('The value of {0}. It is kept in secret storage, not in settings.', remedy.variable);
  const value = await window.showInputBox({
    title: t('MCP server "{0}"', name),
    prompt,
    password: true,
    ignoreFocusOut: true,
    validateInput: typed => (typed.trim() === '' ? t('Enter a value, or press Escape to cancel.') : undefined),
  });
  return value?.trim();
}

/** Runs a command in a new terminal, in the folder of a server, where the person sees what it does. */
export function runInTerminal(name: string, cwd: vscode.Uri, command: string): void {
  const terminal = vscode.window.createTerminal({ name, cwd });
  terminal.show();
  terminal.sendText(command);
}

/** Shows how its makers say that it is installed. */
export async function openInstallPage(runtime: Runtime): Promise<void> {
  const [authority, path] = PAGES[runtime];
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.from({ scheme: 'https', authority, path }));
}
