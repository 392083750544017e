import { setTimeout as delay } from 'node:timers/promises';
import { applyEdits } from 'jsonc-parser';
import { canonicalJson } from '../../base/fingerprint';
import { visible } from '../../base/text';
import { reasonText } from '../../editor/errorText';
import { remedyTitle } from '../../editor/remedyTexts';
import { t, window } from '../../editor/window';
import { type Remedy, type Runtime, remediesOf, type ServerConnection, type ServerSet, untilSettled } from '../../host';
import type { DefinitionSource } from '../../host/definition';
import type { Problem } from '../../host/settings';
import { changeSettings, type LocateOptions, offerUndo, type SettingsFiles, type Undo } from '../settings';
import type { Trust } from '../trust';
import { type EntryEdit, mendEntry, moveSecretToInput } from './core/mendEntry';

import vscode = require('vscode');

/** Commands that do the whole of it, for the row of a server. */
const COMMANDS: { readonly [K in Remedy['kind']]?: string } = {
  requestApproval: 'requestApproval',
  showRules: 'showOrganizationRules',
  review: 'reviewServer',
  enterInputs: 'enterInputs',
  signIn: 'signIn',
  openSettings: 'openServerSettings',
  start: 'startServer',
  openLog: 'showServerLog',
  showHealth: 'showHealth',
  explain: 'explainInChat',
  installUv: 'installUv',
  runUnconfined: 'changeSandbox',
  allowRead: 'changeSandbox',
};

/** How long changed settings may take to arrive. */
const APPLIED_MS = 5_000;
/** How long a changed server may take to start before the notification comes. */
const SETTLED_MS = 30_000;

/** Carries out what a row, a hover, a notification or a quick fix offers: see `remediesOf`. */
export class ApplyRemedy {
  constructor(
    private readonly servers: ServerSet,
    private readonly files: SettingsFiles,
    private readonly trust: () => Trust,
  ) {}

  /** @param id of the server. @param remedy may be old or made up: only what is still offered is done. */
  async run(id: unknown, remedy: unknown): Promise<void> {
    const server = this.servers.all.find(each => each.id === id);
    const wanted = canonicalJson(remedy);
    const offered = server && [...remediesOf(server), ...unsetVariables(server)];
    const found = offered?.find(each => canonicalJson(each) === wanted);
    if (!server || !found) {
      void window.showInformationMessage(t('This is no longer needed: the server or its settings have changed.'));
      return;
    }
    const command = COMMANDS[found.kind];
    const attempt =
      found.kind === 'allowRead'
        ? { attempt: { kind: 'read', what: found.path }, choice: 'this' }
        : found.kind === 'runUnconfined' && { choice: 'unconfined' };
    if (command !== undefined) await vscode.commands.executeCommand(`mcpHost.${command}`, { server, ...attempt });
    else if (found.kind === 'install') await openInstallPage(found.runtime);
    else if (found.kind === 'installPackages') runInTerminal(server.name, vscode.Uri.file(found.folder), found.command);
    else await this.#mend(server, found);
  }

  /** Moves a secret from a settings file into the secret storage, with an input in its place. */
  async moveToInput(place: unknown): Promise<void> {
    const { source, problem } = place as { source: DefinitionSource; problem: Problem };
    const gone = t('The secret is no longer in the settings. Save the file and try again.');
    await this.#edit(source, gone, (text, options) => moveSecretToInput(text, problem.path, options));
  }

  async #mend(server: ServerConnection, remedy: Remedy): Promise<void> {
    const { definition: before, name } = server;
    const value = await askValue(server, remedy);
    if (value === undefined) return;
    const gone = t('The entry of "{0}" could not be changed: it is not in its settings file as expected.', name);
    const undo = await this.#edit(before.source, gone, (text, options) =>
      mendEntry(text, before, { remedy, value }, options),
    );
    const end = Date.now() + APPLIED_MS;
    while (server.definition === before && Date.now() < end) await delay(50);
    await vscode.commands.executeCommand('mcpHost.startServer', { server });
    void this.#tell(server, remedy, undo);
  }

  /** Says what a remedy has changed, and whether it helped, with a way back. */
  async #tell(server: ServerConnection, remedy: Remedy, undo: Undo): Promise<void> {
    await untilSettled(server, SETTLED_MS, undefined);
    const { name, state, definition } = server;
    const url = remedy.kind === 'appendPath' && definition.entry?.type !== 'stdio' ? definition.entry?.url : undefined;
    const done = url === undefined ? remedyTitle(remedy, server) : visible(server.redact(url), 200);
    const message =
      state.kind === 'failed'
        ? t('The settings of "{0}" were changed ({1}), also without success: {2}.', name, done, reasonText(state.error))
        : t('The settings of "{0}" were changed: {1}.', name, done);
    await offerUndo(message, undo);
  }

  /** Changes a settings file and stores the value of the input that it brings along. @param gone the error if there is no place for it */
  async #edit(
    source: DefinitionSource,
    gone: string,
    mend: (text: string, options: LocateOptions) => EntryEdit | undefined,
  ): Promise<Undo> {
    const { inputs } = this.trust();
    let made: EntryEdit | undefined;
    const rewrite = async (text: string, options: LocateOptions) => {
      made = mend(text, options);
      if (!made) return undefined;
      // Before the settings, so that the server finds it when it starts.
      if (made.input && made.value !== undefined) await inputs.store(source, made.input, made.value);
      return applyEdits(text, [made.edit]);
    };
    try {
      const undo = await changeSettings(this.files, source, rewrite);
      if (!undo) throw new Error(gone);
      return undo;
    } catch (error) {
      if (made?.input) await inputs.forget(new Set([inputs.keyOf(source, made.input.id)]));
      throw error;
    }
  }
}

/** A variable that is not set can become an input whether the server runs or not. */
function unsetVariables({ definition }: ServerConnection): Remedy[] {
  return definition.problems.flatMap(({ code, variable }) =>
    code === 'unsetVariable' && variable !== undefined ? [{ kind: 'makeInput', variable } as const] : [],
  );
}

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
      ? t(
          'The token, before which "Bearer " is added, or a whole header as Name: value. It is kept in secret storage, not in settings.',
        )
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

/** Opens a terminal with the documented command that installs uv, for the person to run. */
export function installUv(): vscode.Terminal {
  const terminal = vscode.window.createTerminal({ name: t('Install uv') });
  const command =
    process.platform === 'win32'
      ? 'powershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"'
      : 'curl -LsSf https://astral.sh/uv/install.sh | sh';
  terminal.sendText(command, false);
  terminal.show();
  return terminal;
}
