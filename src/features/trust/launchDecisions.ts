import { homedir } from 'node:os';
import * as path from 'node:path';
import { readBounded } from '../../base/files';
import { type Phrase, phrase } from '../../base/phrase';
import { Coalescer } from '../../base/queue';
import { plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { Admission, LaunchCheck, ServerDefinition } from '../../host/definition';
import { partInWorkspace } from '../../host/launch';
import type { Consents, LaunchReview } from './core/consent';

import vscode = require('vscode');

type Entry = NonNullable<ServerDefinition['entry']>;

const MAX_ENV_FILE_BYTES = 1024 * 1024;

/**
 * In an untrusted workspace, nothing starts that the workspace has a part in: see `partInWorkspace`. Checked twice, because
 * values that a person or the secret storage fills in may lead into it too.
 */
export class UntrustedWorkspace implements LaunchCheck {
  async admit(definition: ServerDefinition, entry: Entry): Promise<Admission> {
    if (vscode.workspace.isTrusted) return { entry };
    const folders = foldersOfWorkspace();
    // The file itself is not read before it is clear that it is not in the workspace.
    const reason = partInWorkspace(definition, entry, folders) ?? (await partOfEnvFile(definition, entry, folders));
    if (reason === undefined) return { entry };
    const remedy = phrase('Trust the workspace if you trust the authors of its files.');
    return { needs: 'needsTrust', reason, remedy };
  }
}

async function partOfEnvFile(
  definition: ServerDefinition,
  entry: Entry,
  folders: readonly string[],
): Promise<Phrase | undefined> {
  if (entry.type !== 'stdio' || entry.envFile === undefined || !path.isAbsolute(entry.envFile)) return undefined;
  // If it can't be read now, the launch can't read it either, and says so.
  const text = await readBounded(entry.envFile, MAX_ENV_FILE_BYTES).catch(() => undefined);
  return text === undefined ? undefined : partInWorkspace(definition, entry, folders, { envFile: text });
}

/** Its folders, and the folder of its `.code-workspace` file, unless that is one of the person's own folders. */
function foldersOfWorkspace(): string[] {
  const { workspaceFolders = [], workspaceFile } = vscode.workspace;
  const folders = workspaceFolders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  if (workspaceFile?.scheme !== 'file') return folders;
  const beside = path.dirname(workspaceFile.fsPath);
  const toHome = path.relative(beside, homedir());
  const holdsHome = !toHome.startsWith('..') && !path.isAbsolute(toHome);
  return holdsHome ? folders : [...folders, beside];
}

/** Carries out decisions about launches: starts what was allowed or is now trusted, stops what was revoked. */
export class TrustDecisions implements vscode.Disposable {
  readonly #subscriptions: readonly { dispose(): void }[];
  /** Decided about while they were starting: what was checked before that start may be older than the answer. */
  readonly #decidedMeanwhile = new WeakSet<ServerConnection>();

  constructor(servers: ServerSet, consents: Consents) {
    this.#subscriptions = [
      consents.onDidDecide(({ server: id, scope, what }) => {
        const server = servers.get(id);
        if (!server || consents.review(server.definition)?.scope !== scope) return;
        if (what === 'revoked') void server.restart(phrase('its consent was revoked'));
        // A denied server is started too, which is refused, so that its row says why.
        else if (server.state.kind === 'needsTrust') void server.start(phrase('you reviewed it'));
        else if (server.state.kind === 'starting') this.#decidedMeanwhile.add(server);
      }),
      servers.onDidChange(change => {
        if (change?.what !== 'state' || change.server.state.kind === 'starting') return;
        const wasMissed = this.#decidedMeanwhile.delete(change.server) && change.server.state.kind === 'needsTrust';
        if (wasMissed) void change.server.start(phrase('you reviewed it'));
      }),
      // Servers in user settings that waited for trust. Those of the workspace come with its settings.
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        for (const server of servers.all) {
          if (server.state.kind === 'needsTrust') void server.start(phrase('the workspace is trusted now'));
        }
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

/**
 * The launches that wait for an answer, in the order of the settings, and running servers whose settings share more roots
 * than agreed.
 */
export function waitingReviews(servers: ServerSet, consents: Consents): LaunchReview[] {
  return servers.all
    .filter(({ state }) => state.kind === 'needsTrust' || state.kind === 'ready')
    .map(({ definition }) => consents.review(definition))
    .filter(review => review !== undefined)
    .filter(({ answer }) => answer === undefined);
}

/** Shows one notification for all servers that wait for consent. It can be ignored. */
export class ConsentNotice implements vscode.Disposable {
  /** Servers that are configured together share one notification. */
  readonly #announce = new Coalescer(() => void this.#tell(), { quietMs: 300, maxMs: 1_500 });
  readonly #told = new Set<string>();
  readonly #subscription: { dispose(): void };

  constructor(
    private readonly servers: ServerSet,
    private readonly consents: Consents,
  ) {
    this.#subscription = servers.onDidChange(change => {
      if (change?.server.state.kind === 'needsTrust') this.#announce.trigger();
    });
  }

  /** To be called when settings have changed: they may share more roots than agreed. */
  look(): void {
    this.#announce.trigger();
  }

  dispose(): void {
    this.#announce.cancel();
    this.#subscription.dispose();
  }

  #unheard(): LaunchReview[] {
    return waitingReviews(this.servers, this.consents).filter(review => !this.#told.has(keyOf(review)));
  }

  async #tell(): Promise<void> {
    const unheard = this.#unheard();
    const [first] = unheard;
    if (!first) return;
    for (const review of unheard) this.#told.add(keyOf(review));
    const { servers } = this;
    const count = waitingReviews(servers, this.consents).length;
    const message =
      count === 1 && servers.get(first.definition.id)?.state.kind === 'ready'
        ? t('Settings share more folders with MCP server "{0}" than you allowed.', plain(first.definition.id))
        : count === 1
          ? t('MCP server "{0}" needs your approval to start.', plain(first.definition.id))
          : t('{0} MCP servers need your approval to start.', count);
    const review = t('Review');
    if ((await window.showInformationMessage(message, review)) !== review) return;
    await vscode.commands.executeCommand('mcpHost.reviewServer');
  }
}

const keyOf = ({ definition, fingerprint, roots }: LaunchReview) => [definition.id, fingerprint, ...roots].join('\n');

/** Shows one notification for all servers that wait for inputs. Does not ask for them itself. */
export class InputsNotice implements vscode.Disposable {
  /** Servers that were named already, each with its configuration at that time. */
  readonly #told = new Set<string>();
  readonly #soon = new Coalescer(() => void this.#tell(), { quietMs: 500, maxMs: 3_000 });
  readonly #subscription: vscode.Disposable;

  constructor(private readonly servers: ServerSet) {
    this.#subscription = servers.onDidChange(change => {
      if (change?.what === 'state' && change.server.state.kind === 'needsInput') this.#soon.trigger();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#soon.cancel();
  }

  async #tell(): Promise<void> {
    const fresh = this.servers.all.filter(({ state, id, definition }) => {
      return state.kind === 'needsInput' && !this.#told.has(`${id} ${definition.fingerprint}`);
    });
    if (fresh.length === 0) return;
    for (const { id, definition } of fresh) this.#told.add(`${id} ${definition.fingerprint}`);
    const names = plain(fresh.map(({ name }) => visible(name, 60)).join(', '));
    const message =
      fresh.length === 1
        ? t('MCP server {0} needs inputs before it can start.', names)
        : t('{0} MCP servers need inputs before they can start: {1}.', fresh.length, names);
    const enter = t('Enter Inputs');
    if ((await window.showInformationMessage(message, enter)) === enter)
      await vscode.commands.executeCommand('mcpHost.enterInputs');
  }
}
