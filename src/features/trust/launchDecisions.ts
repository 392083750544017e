import { Owner } from '../../base/events';
import { phrase } from '../../base/phrase';
import { Coalescer } from '../../base/queue';
import { type PlainText, plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { Consents, LaunchReview } from './core/consent';

import vscode = require('vscode');

/** Carries out decisions about launches: starts what was allowed or is now trusted, stops what was revoked. */
export function carryOutDecisions(servers: ServerSet, consents: Consents): vscode.Disposable {
  /** Decided about while they were starting: what was checked before that start may be older than the answer. */
  const decidedMeanwhile = new WeakSet<ServerConnection>();
  return vscode.Disposable.from(
    consents.onDidDecide(({ server: id, scope, what }) => {
      const server = servers.get(id);
      if (!server || consents.review(server.definition)?.scope !== scope) return;
      if (what === 'revoked') void server.restart(phrase('its consent was revoked'));
      // A denied server is started too, which is refused, so that its row says why.
      else if (server.state.kind === 'needsTrust') void server.start(phrase('you reviewed it'));
      else if (server.state.kind === 'starting') decidedMeanwhile.add(server);
    }),
    servers.onDidChange(change => {
      if (change?.what !== 'state' || change.server.state.kind === 'starting') return;
      const wasMissed = decidedMeanwhile.delete(change.server) && change.server.state.kind === 'needsTrust';
      if (wasMissed) void change.server.start(phrase('you reviewed it'));
    }),
    // Servers in user settings that waited for trust. Those of the workspace come with its settings.
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      for (const server of servers.all) {
        if (server.state.kind === 'needsTrust') void server.start(phrase('the workspace is trusted now'));
      }
    }),
  );
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

interface WaitingFor<T> {
  readonly state: 'needsTrust' | 'needsInput';
  /** Servers that are configured together share one notification. */
  readonly soon: ConstructorParameters<typeof Coalescer>[1];
  waiting(): readonly T[];
  keyOf(one: T): string;
  /** @param all also those that were named before. */
  message(fresh: readonly [T, ...T[]], all: readonly T[]): PlainText;
  readonly button: PlainText;
  readonly command: string;
}

/** Shows one notification for all servers that wait for something, and names each once. It can be ignored. */
export class WaitingNotice<T> extends Owner {
  readonly #told = new Set<string>();
  readonly #soon: Coalescer;

  constructor(
    servers: ServerSet,
    private readonly asked: WaitingFor<T>,
  ) {
    super();
    this.#soon = this.own(new Coalescer(() => void this.#tell(), asked.soon));
    this.own(
      servers.onDidChange(change => {
        if (change?.server.state.kind === asked.state) this.look();
      }),
    );
  }

  /** Looks for servers that wait. To be called when settings change, too: they may share more roots than agreed. */
  look(): void {
    this.#soon.trigger();
  }

  async #tell(): Promise<void> {
    const { keyOf, button, command } = this.asked;
    const all = this.asked.waiting();
    const [first, ...others] = all.filter(one => !this.#told.has(keyOf(one)));
    if (first === undefined) return;
    for (const one of [first, ...others]) this.#told.add(keyOf(one));
    const message = this.asked.message([first, ...others], all);
    if ((await window.showInformationMessage(message, button)) === button)
      await vscode.commands.executeCommand(command);
  }
}

export const consentNotice = (servers: ServerSet, consents: Consents) =>
  new WaitingNotice(servers, {
    state: 'needsTrust',
    soon: { quietMs: 300, maxMs: 1_500 },
    waiting: () => waitingReviews(servers, consents),
    keyOf: ({ definition, fingerprint, roots }) => [definition.id, fingerprint, ...roots].join('\n'),
    message: ([{ definition }], { length }) => {
      if (length > 1) return t('{0} MCP servers need your approval to start.', length);
      return servers.get(definition.id)?.state.kind === 'ready'
        ? t('Settings share more folders with MCP server "{0}" than you allowed.', plain(definition.id))
        : t('MCP server "{0}" needs your approval to start.', plain(definition.id));
    },
    button: t('Review'),
    command: 'mcpHost.reviewServer',
  });

export const inputsNotice = (servers: ServerSet) =>
  new WaitingNotice(servers, {
    state: 'needsInput',
    soon: { quietMs: 500, maxMs: 3_000 },
    waiting: () => servers.all.filter(({ state }) => state.kind === 'needsInput'),
    keyOf: ({ id, definition }) => `${id} ${definition.fingerprint}`,
    message: fresh => {
      const names = plain(fresh.map(({ name }) => visible(name, 60)).join(', '));
      return fresh.length === 1
        ? t('MCP server {0} needs inputs before it can start.', names)
        : t('{0} MCP servers need inputs before they can start: {1}.', fresh.length, names);
    },
    button: t('Enter Inputs'),
    command: 'mcpHost.enterInputs',
  });
