import { Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { type PlainText, plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Consents } from './core/consent';
import { waitingReviews } from './launchDecisions';

import vscode = require('vscode');

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
        ? t('MCP server "{0}" needs inputs before it can start.', names)
        : t('{0} MCP servers need inputs before they can start: {1}.', fresh.length, names);
    },
    button: t('Enter Inputs'),
    command: 'mcpHost.enterInputs',
  });
