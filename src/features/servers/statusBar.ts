import { Owner } from '../../base/events';
import { type PlainText, plain } from '../../base/text';
import { chatsText } from '../../editor/chats';
import type { OpenQuestions } from '../../editor/openQuestions';
import { isForOtherWindows, stateText, WAITING_ICONS } from '../../editor/stateText';
import { joined, say, t, window } from '../../editor/window';
import type { RunningCalls, ServerConnection, ServerSet, ServerState } from '../../host';

import vscode = require('vscode');

/** How many servers are ready, fail, or wait for a person; a click lists what waits. Hidden while no server is configured. */
export class ServerStatusBar extends Owner {
  readonly #item = this.own(window.createStatusBarItem('mcpHost.status', vscode.StatusBarAlignment.Right, 90));

  constructor(
    private readonly servers: ServerSet,
    private readonly questions: Pick<OpenQuestions, 'all' | 'onDidChange'>,
    private readonly calls: Pick<RunningCalls, 'at' | 'onDidChange'>,
  ) {
    super();
    this.#item.name = t('MCP Servers');
    this.#item.command = 'mcpHost.showWaiting';
    const update = () => this.#update();
    this.own(servers.onDidChange(update));
    this.own(questions.onDidChange(update));
    this.own(calls.onDidChange(update));
    this.#update();
  }

  #update(): void {
    if (this.servers.all.length === 0) {
      this.#item.hide();
      return;
    }
    const { all } = this.servers;
    const running = all.flatMap(({ id }) => this.calls.at(id)).length;
    const { text, tooltip, label, isWarning } = statusOf(all, this.questions.all.length, running);
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.accessibilityInformation = { label };
    this.#item.show();
  }
}

/** The status bar's text about all servers. */
interface Status {
  readonly text: PlainText;
  /** One line for each server. */
  readonly tooltip: PlainText;
  /** The text in words, for a screen reader. */
  readonly label: string;
  /** Something is wrong or waits for a person. */
  readonly isWarning: boolean;
}

/**
 * Counts what is ready, what fails, what runs and what waits for a person, questions included; what is zero is left out, except for ready
 * ones. Programs in a web window are not counted: a folder that is used on the desktop too must not look broken.
 */
export function statusOf(all: readonly ServerConnection[], questions = 0, running = 0): Status {
  const servers = all.filter(({ state }) => !isForOtherWindows(state));
  const count = (...kinds: ReturnType<typeof kindOf>[]) =>
    servers.filter(({ state }) => kinds.includes(kindOf(state))).length;
  const failed = count('failed');
  const waiting = (Object.keys(WAITING_ICONS) as (keyof typeof WAITING_ICONS)[]).map(kind => ({
    kind,
    n: count(kind),
    icon: WAITING_ICONS[kind],
  }));
  const parts = [
    count('starting', 'reconnecting') > 0 ? say`$(loading~spin) ${count('ready')}` : say`$(plug) ${count('ready')}`,
    running > 0 && say`$(pulse) ${running}`,
    failed > 0 && say`$(error) ${failed}`,
    ...waiting.map(({ n, icon }) => n > 0 && say`$(${icon}) ${n}`),
    questions > 0 && say`$(question) ${questions}`,
  ];
  const label = [
    t('MCP servers: {0} ready, {1} failed', count('ready'), failed),
    running > 0 && t('calls running: {0}', running),
    ...waiting.map(({ kind, n }) => (n > 0 ? waitingText(kind, n) : '')),
    questions === 1 ? t('1 question for you') : questions > 1 && t('{0} questions for you', questions),
  ]
    .filter(Boolean)
    .join(', ');
  return {
    text: joined(parts),
    tooltip: plain([label, ...servers.map(server => `${server.id}: ${stateText(server)}`), chatsText()].join('\n')),
    label,
    isWarning: failed + questions > 0 || waiting.some(({ n }) => n > 0),
  };
}

/** One that is down for a while counts as failed. */
const kindOf = (state: ServerState) => (state.kind === 'reconnecting' && state.isDown ? 'failed' : state.kind);

function waitingText(kind: keyof typeof WAITING_ICONS, n: number): string {
  return {
    needsTrust: t('{0} waiting for approval to start', n),
    needsInput: t('{0} waiting for input', n),
    needsAuth: t('{0} waiting for sign-in', n),
  }[kind];
}
