import { randomUUID } from 'node:crypto';

import vscode = require('vscode');

import { isObject } from '../../base/json';
import { visible } from '../../base/text';
import type { PlainState } from '../../editor/storage';
import { t, window } from '../../editor/window';

const KEY = 'chat.unfinished';
const MAX_PROMPT = 2_000;
const MAX_KEPT = 5;

/** How long a stopped question is remembered, in milliseconds: a reload stops it too, and ends this process before that. */
const STOPPED_MS = 3_000;

interface UnfinishedTurn {
  readonly id: string;
  /** As a person would type it. */
  readonly query: string;
}

/** Answers a question, and remembers it meanwhile: the editor tells nobody that a reload has cut an answer off. */
export async function answering<T>(
  state: PlainState,
  { command, prompt }: Pick<vscode.ChatRequest, 'command' | 'prompt'>,
  token: vscode.CancellationToken,
  answer: () => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  const query = `@mcp ${command ? `/${command} ` : ''}${prompt}`;
  if (query.length <= MAX_PROMPT) void state.update(KEY, [...kept(state), { id, query }].slice(-MAX_KEPT));
  const forget = () =>
    void state.update(
      KEY,
      kept(state).filter(one => one.id !== id),
    );
  try {
    return await answer();
  } finally {
    if (token.isCancellationRequested) setTimeout(forget, STOPPED_MS);
    else forget();
  }
}

/** Names the answers that a reload interrupted, and offers to ask again. @param hasTask whether a task goes on. */
export async function tellUnfinished(state: PlainState, hasTask: boolean): Promise<void> {
  const last = kept(state).at(-1);
  if (!last) return;
  void state.update(KEY, undefined);
  const again = t('Ask Again');
  const asked = visible(last.query, 100);
  const told = hasTask
    ? t('Interrupted by a reload: the answer to "{0}". Its task goes on, with a row under "{1}".', asked, t('Running'))
    : t(
        'Interrupted by a reload: the answer to "{0}". A tool that it was calling may have been run all the same, so check before you ask again.',
        asked,
      );
  const chosen = await window.showInformationMessage(told, again);
  if (chosen === again) await vscode.commands.executeCommand('workbench.action.chat.open', { query: last.query });
}

const kept = (state: PlainState): readonly UnfinishedTurn[] => {
  const found = state.get<unknown>(KEY);
  return Array.isArray(found) ? found.filter(one => isObject(one) && typeof one.query === 'string') : [];
};
