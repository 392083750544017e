import vscode = require('vscode');

import type { Lazy } from './base/lazy';
import type { CommandHandlers } from './editor/commands';
import type { Apps } from './features/apps/apps';
import type { CalledApps } from './features/apps/calledApps';
import { ChatApproval } from './features/chat/approval';
import { CallQuestions } from './features/chat/chatQuestions';
import { KeptResults } from './features/chat/core/keptResults';
import { ChatParticipant } from './features/chat/participant';
import { WindowFiles } from './features/chat/resultFiles';
import { Scripts } from './features/chat/scripts';
import { SkillReader } from './features/chat/skillReader';
import { ToolCaller } from './features/chat/toolCaller';
import { ToolChoice } from './features/chat/toolChoice';
import { ToolOffer } from './features/chat/toolOffer';
import { type ChatApps, Turn } from './features/chat/turn';
import { canRunScripts } from './features/codeMode';
import { ProfileMenu } from './features/profiles/profileMenu';
import type { RawJson } from './features/tools/rawJson';
import type { ToolResults } from './features/tools/resultDocument';
import type { ServerConnection, ServerSet } from './host';

import type { Started } from './startServers';

interface ChatWindow {
  readonly context: Pick<
    vscode.ExtensionContext,
    'subscriptions' | 'workspaceState' | 'globalStorageUri' | 'extensionPath'
  >;
  readonly servers: ServerSet;
  readonly started: Pick<ReturnType<Started>, 'trust' | 'logs' | 'skills' | 'profiles' | 'offered'>;
  readonly results: ToolResults;
  readonly rawJson: RawJson;
  readonly apps: Lazy<Apps>;
  readonly calledApps: CalledApps;
}

/** What `@mcp` is made of: what a model is offered, how it calls, and what the person is asked in the conversation. */
export function startChat(window: ChatWindow) {
  const { context, servers, results, rawJson, apps, calledApps } = window;
  const { trust, logs, skills, profiles, offered } = window.started;
  const setting = <T>(key: string, fallback: T): T => vscode.workspace.getConfiguration('mcpHost').get(key, fallback);
  const approval = new ChatApproval(rawJson.editArguments);
  const questions = new CallQuestions();
  const maxResultLength = () => setting('chat.maxResultLength', 32_000);
  const skillReader = new SkillReader(servers, skills);
  const files = new WindowFiles(context);
  context.subscriptions.push(files);
  const kept = new KeptResults(files, maxResultLength);
  const scripts = new Scripts(servers, results, context.extensionPath);
  const caller = new ToolCaller(
    servers,
    trust.calls,
    trust.flow,
    trust.pins,
    approval,
    questions,
    results,
    calledApps,
    skillReader,
    kept,
    scripts,
    maxResultLength,
  );
  const choice = new ToolChoice(servers, context.workspaceState, offered, (...tool) => offer.tokens(...tool));
  const offer: ToolOffer = new ToolOffer(servers, choice, offered, trust.pins, logs);
  const profileMenu = new ProfileMenu(servers, profiles, offered);
  const toolTokens = () => setting('chat.toolTokens', 8_000);
  const chatApps: ChatApps = {
    context: () => apps.loaded?.context() ?? [],
    takeContext: () => apps.loaded?.takeContext() ?? [],
  };
  const turn = new Turn(servers, offer, caller, trust.flow, trust.pins, skillReader, kept, chatApps, () => ({
    alwaysOffer: setting<readonly unknown[]>('chat.alwaysOffer', []),
    codeMode: canRunScripts && setting<unknown>('chat.codeMode', false) === true,
    maxRounds: setting('chat.maxRounds', 25),
    maxTokens: setting('chat.maxTokens', 200_000),
    maxTools: setting('chat.maxTools', 128),
    toolTokens: toolTokens(),
  }));
  const participant = new ChatParticipant(servers, turn, trust.pins, offer, offered, profileMenu, toolTokens);
  const commands = {
    answerApproval: (id, answer) => approval.answer(id, answer),
    answerQuestion: (id, answer) => questions.answer(id, answer),
    chooseTools: () => choice.pick(),
    switchProfile: argument => profileMenu.switch(argument),
  } satisfies Partial<CommandHandlers>;
  return {
    participant,
    commands,
    /** What definitions of a server cost in a conversation. */
    cost: (server: ServerConnection) => offer.cost(server),
    /** A tool that was chosen or left out stays so. */
    renamed: (from: string, to: string) => choice.renamed(from, to),
    maxResultLength,
  };
}
