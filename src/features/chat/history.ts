import type * as vscode from 'vscode';
import {
  assistant,
  CALL_TOOL,
  type ModelMessage,
  ownWords,
  READ_SKILL,
  shorten,
  text,
  user,
} from '../languageModel/core';
import { linkingServers, type RecordedCall, recordOf, roundMessages, type TurnRecord } from './core/turnRecord';

type History = vscode.ChatContext['history'];

const MAX_QUESTION = 50_000;
const MAX_ANSWER = 50_000;

/**
 * The earlier turns of a conversation, each as the messages it consists of, oldest first. Turns of declared subcommands
 * (`/tools` and its like) are left out: they concern the editor, not the model.
 */
export function historyTurns(history: History): readonly (readonly ModelMessage[])[] {
  const turns: (readonly ModelMessage[])[] = [];
  history.forEach((turn, index) => {
    if (!isRequest(turn) || turn.command !== undefined) return;
    const next = history[index + 1];
    const answer = next && !isRequest(next) ? next : undefined;
    const record = recordOf(answer?.result?.metadata);
    turns.push([...requestMessages(turn, record), ...answerMessages(answer, record, `turn${index}`)]);
  });
  return turns;
}

/** The metadata of our answers in a conversation, unchecked. */
const metadataIn = (history: History) => history.flatMap(turn => (isRequest(turn) ? [] : [turn.result?.metadata]));

const callsIn = (history: History): readonly RecordedCall[] =>
  metadataIn(history).flatMap(metadata => (recordOf(metadata)?.rounds ?? []).flatMap(({ calls }) => calls));

/** Names for the model of the tools that were called in a conversation, the latest first. */
export const usedTools = (history: History): readonly string[] => [
  ...new Set(callsIn(history).flatMap(calledNames).reverse()),
];

/** The tools that a call is of, also where it was made through the one that calls others, or by a script. */
function calledNames({ name, input, made }: RecordedCall): readonly string[] {
  const { name: inner } = input as { name?: unknown };
  if (made) return made;
  return [name === CALL_TOOL && typeof inner === 'string' ? inner : name];
}

/** The servers whose results have linked to resources in a conversation. */
export const historyLinks = (history: History): readonly string[] => metadataIn(history).flatMap(linkingServers);

/** The names of servers whose skills a model has asked for in a conversation. */
export function historySkills(history: History): readonly string[] {
  return callsIn(history).flatMap(({ name, input }) => {
    const made = input as { name?: unknown; arguments?: { server?: unknown }; server?: unknown };
    const server = name === READ_SKILL ? made.server : made.name === READ_SKILL ? made.arguments?.server : undefined;
    return typeof server === 'string' ? [server] : [];
  });
}

/** Whether an answer was kept without what we say of it: it was stopped, and the editor did not wait. */
export const hasLostAnswer = (history: History): boolean =>
  metadataIn(history).some(metadata => typeof metadata?.chat !== 'string');

/** The reads kept in a conversation's answers, unchecked. */
export function historyReads(history: History): readonly unknown[] {
  return metadataIn(history).flatMap(metadata => {
    const { reads, servers } = metadata ?? {};
    if (Array.isArray(reads)) return reads;
    // Earlier versions only kept the servers.
    return Array.isArray(servers) ? servers.map(server => ({ server })) : [];
  });
}

function requestMessages({ prompt }: vscode.ChatRequestTurn, record: TurnRecord | undefined): readonly ModelMessage[] {
  const kept = record?.request?.filter(message => message.text.trim() !== '') ?? [];
  if (kept.length > 0) return kept.map(message => ({ role: message.role, parts: [text(message.text)] }));
  return [user(ownWords(shorten(prompt, MAX_QUESTION) || '…'))];
}

function answerMessages(
  answer: vscode.ChatResponseTurn | undefined,
  record: TurnRecord | undefined,
  prefix: string,
): readonly ModelMessage[] {
  const messages = record ? roundMessages(record, prefix) : [];
  if (messages.at(-1)?.role === 'assistant') return messages;
  // The model had no last word: the answer is older than our records, failed or was cancelled.
  const shown = record ? '' : shownText(answer);
  return [...messages, assistant(ownWords(shown || '[no answer]'))];
}

/** The answer as the person saw it. */
function shownText(answer: vscode.ChatResponseTurn | undefined): string {
  const shown = (answer?.response ?? []).map(part => {
    const value: unknown = 'value' in part ? part.value : undefined;
    const markdown = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
    return typeof markdown === 'string' ? markdown : '';
  });
  return shorten(shown.join('').trim(), MAX_ANSWER);
}

/** Checks the shape, because unit tests lack the class. */
function isRequest(turn: History[number]): turn is vscode.ChatRequestTurn {
  return 'prompt' in turn;
}
