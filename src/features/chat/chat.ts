import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Lazy, Owner } from '../../base/events';
import type { CommandHandlers } from '../../editor/commands';
import { textAt } from '../../editor/fileText';
import { openChat } from '../../editor/openChat';
import type { OpenQuestions } from '../../editor/openQuestions';
import { settingValue } from '../../editor/settingValues';
import type { ServerConnection, ServerSet } from '../../host';
import type { ServerId } from '../../host/definition';
import type { Apps, CalledApps } from '../apps';
import { canRunScripts } from '../codeMode/core';
import { type ScalePictures, scalePictures } from '../languageModel';
import type { OfferedTools, ProfileMenu } from '../profiles';
import type { Skills } from '../skills';
import type { EditOnPage, ToolResults } from '../tools';
import type { Trust } from '../trust';
import { CallQuestions } from './answerLines';
import { ChatApproval } from './approval';
import { KeptResults, type ResultFiles } from './core/keptResults';
import { ChatParticipant } from './participant';
import { Scripts } from './scripts';
import { SkillReader } from './skillReader';
import { ToolCaller } from './toolCaller';
import { ToolChoice } from './toolChoice';
import { ToolOffer } from './toolOffer';
import { Turn } from './turn';

import vscode = require('vscode');

/** Of `mcpHost.chat.alwaysOffer`, which a workspace may set: each is compared with each tool. */
const MAX_PATTERNS = 500;

/** What the servers can answer: the demo server its question, others one about themselves. */
const firstQuestion = ({ all }: Pick<ServerSet, 'all'>): string =>
  all.some(server => server.offers('tools').some(({ name }) => name === 'count_words'))
    ? '@mcp how many words are in my notes?'
    : '@mcp what can you do with the tools of my servers?';

interface ChatWindow {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalStorageUri' | 'extensionPath'>;
  readonly servers: ServerSet;
  readonly trust: Pick<Trust, 'calls' | 'flow' | 'forbids' | 'pins' | 'requests'>;
  readonly skills: Lazy<Skills>;
  readonly profiles: ProfileMenu;
  readonly offered: OfferedTools;
  readonly results: ToolResults;
  readonly editOnPage: EditOnPage;
  readonly openQuestions: Pick<OpenQuestions, 'add'>;
  readonly apps: Lazy<Apps>;
  readonly calledApps: CalledApps;
}

/** The limits in the setting `mcpHost.chat.limits`: the default and the former setting of each, which counts for one more release. */
const LIMITS = {
  rounds: [25, 'maxRounds'],
  tokens: [200_000, 'maxTokens'],
  tools: [128, 'maxTools'],
  toolTokens: [8_000, 'toolTokens'],
  resultLength: [32_000, 'maxResultLength'],
} as const;

function limit(name: keyof typeof LIMITS): number {
  const [fallback, former] = LIMITS[name];
  const { [name]: given } = Object(settingValue('chat.limits')) as Record<string, unknown>;
  const value = given ?? vscode.workspace.getConfiguration('mcpHost.chat').inspect(former)?.globalValue;
  return typeof value === 'number' ? value : fallback;
}

/** The chat participant `@mcp`: what a model is offered, how it calls, and what the person is asked in the conversation. */
export class Chat extends Owner {
  readonly participant: ChatParticipant;
  readonly commands;
  readonly scale: ScalePictures;
  readonly #choice: ToolChoice;
  readonly #offer: ToolOffer;

  constructor(window: ChatWindow) {
    super();
    const {
      context,
      servers,
      trust,
      skills: loaded,
      profiles,
      offered,
      results,
      editOnPage,
      openQuestions,
      apps,
      calledApps,
    } = window;
    const { calls, requests, flow, pins } = trust;
    this.scale = scalePictures(join(context.extensionPath, 'dist', 'picture-worker.js'));
    const approval = this.own(new ChatApproval(editOnPage, openQuestions));
    const questions = new CallQuestions();
    const { maxResultLength } = this;
    const skills = new SkillReader(servers, loaded);
    const kept = new KeptResults(this.own(new WindowFiles(context)), maxResultLength);
    const scripts = new Scripts(servers, results, context.extensionPath);
    const caller = new ToolCaller({
      servers,
      calls,
      requests,
      flow,
      approval,
      questions,
      results,
      apps: calledApps,
      skills,
      kept,
      scripts,
      maxResultLength,
    });
    this.#choice = new ToolChoice(servers, context.workspaceState, offered);
    this.#offer = new ToolOffer({ servers, choice: this.#choice, offered, pins });
    const turn = new Turn({
      servers,
      offer: this.#offer,
      caller,
      flow,
      pins,
      skillReader: skills,
      kept,
      scale: this.scale,
      apps: {
        context: () => apps.loaded?.context() ?? [],
        takeContext: () => apps.loaded?.takeContext() ?? [],
      },
      options: () => ({
        alwaysOffer: [settingValue('chat.alwaysOffer')].flat().slice(0, MAX_PATTERNS),
        codeMode: canRunScripts && settingValue('chat.codeMode') === true && !trust.forbids('codeMode'),
        maxRounds: limit('rounds'),
        maxTokens: limit('tokens'),
        maxTools: limit('tools'),
        toolTokens: limit('toolTokens'),
      }),
    });
    const offer = this.#offer;
    this.participant = new ChatParticipant({
      servers,
      turn,
      pins,
      offer,
      offered,
      profiles,
      toolTokens: () => limit('toolTokens'),
      links: choices => questions.links(choices),
      began: () => approval.inputSent(),
    });
    this.commands = {
      // With several answers in progress, the one that has the focus may not be the one that asks.
      allowCall: () => (this.participant.running === 1 ? approval.allowByKey() : undefined),
      answerApproval: (id, answer) => approval.answer(id, answer),
      answerQuestion: (id, answer) => questions.answer(id, answer),
      askInChat: () => openChat({ query: firstQuestion(servers), isPartialQuery: true }, true),
      chooseTools: () => this.#choice.pick(offer.counter()),
      switchProfile: argument => profiles.switch(argument),
    } satisfies Partial<CommandHandlers>;
  }

  /** The most characters of a result that a model gets at once. */
  readonly maxResultLength = (): number => limit('resultLength');

  /** Tokens that the definitions of a server's tools use in each request to a model. */
  cost(server: ServerConnection): ReturnType<ToolOffer['cost']> {
    return this.#offer.cost(server);
  }

  /** Keeps the tools that were left out, under a server's new name. */
  renamed(from: ServerId, to: ServerId): Promise<void> {
    return this.#choice.renamed(from, to);
  }
}

const FOLDER = 'long-results';
/** Twice the limit for all results together. */
const MAX_BYTES = 200_000_000;
/** Age after which files of a window that ended without cleaning up are removed. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** Files of this window in the extension's own storage, which end with it. */
class WindowFiles implements ResultFiles, vscode.Disposable {
  readonly #all: vscode.Uri;
  readonly #own: vscode.Uri;
  #made: Promise<void> | undefined;

  constructor({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>) {
    this.#all = vscode.Uri.joinPath(globalStorageUri, FOLDER);
    this.#own = vscode.Uri.joinPath(this.#all, randomUUID());
  }

  async write(name: string, text: string): Promise<void> {
    this.#made ??= this.#prepare();
    await this.#made.catch(error => {
      // Tried again with the next result.
      this.#made = undefined;
      throw error;
    });
    await vscode.workspace.fs.writeFile(this.#file(name), Buffer.from(text));
  }

  read(name: string): Promise<string | undefined> {
    return textAt(this.#file(name), MAX_BYTES);
  }

  async remove(name: string): Promise<void> {
    await vscode.workspace.fs.delete(this.#file(name));
  }

  dispose(): void {
    if (this.#made !== undefined) void remove(this.#own);
  }

  #file(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#own, name);
  }

  async #prepare(): Promise<void> {
    await vscode.workspace.fs.createDirectory(this.#own);
    for (const [name] of await vscode.workspace.fs.readDirectory(this.#all)) {
      const folder = vscode.Uri.joinPath(this.#all, name);
      const { mtime } = await vscode.workspace.fs.stat(folder);
      if (Date.now() - mtime > STALE_MS) await remove(folder);
    }
  }
}

/** Another window may be removing it too. */
async function remove(folder: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.delete(folder, { recursive: true });
  } catch {
    // Already removed, or left to the next window.
  }
}
