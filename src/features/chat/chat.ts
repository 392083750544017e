import { join } from 'node:path';

import vscode = require('vscode');

import { type Disposable, DisposableStore, type Lazy } from '../../base/events';
import type { CommandHandlers } from '../../editor/commands';
import type { ServerConnection, ServerSet } from '../../host';
import type { ServerId } from '../../host/definition';
import type { Apps, CalledApps } from '../apps';
import { canRunScripts } from '../codeMode';
import { type ScalePictures, scalePictures } from '../languageModel';
import type { OfferedTools, ProfileMenu } from '../profiles';
import type { Skills } from '../skills';
import type { RawJson, ToolResults } from '../tools';
import type { Trust } from '../trust';
import { ChatApproval } from './approval';
import { CallQuestions } from './chatQuestions';
import { KeptResults } from './core/keptResults';
import { ChatParticipant } from './participant';
import { WindowFiles } from './resultFiles';
import { Scripts } from './scripts';
import { SkillReader } from './skillReader';
import { ToolCaller } from './toolCaller';
import { ToolChoice } from './toolChoice';
import { ToolOffer } from './toolOffer';
import { Turn } from './turn';

interface ChatWindow {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalStorageUri' | 'extensionPath'>;
  readonly servers: ServerSet;
  readonly trust: Pick<Trust, 'calls' | 'flow' | 'forbids' | 'pins' | 'requests'>;
  readonly skills: Lazy<Skills>;
  readonly profiles: ProfileMenu;
  readonly offered: OfferedTools;
  readonly results: ToolResults;
  readonly rawJson: RawJson;
  readonly apps: Lazy<Apps>;
  readonly calledApps: CalledApps;
}

const setting = <T>(key: string, fallback: T): T =>
  vscode.workspace.getConfiguration('mcpHost.chat').get(key, fallback);

/** The chat participant `@mcp`: what a model is offered, how it calls, and what the person is asked in the conversation. */
export class Chat implements Disposable {
  readonly participant: ChatParticipant;
  readonly commands;
  /** For other ways to models, too. */
  readonly scale: ScalePictures;
  readonly #disposables = new DisposableStore();
  readonly #choice: ToolChoice;
  readonly #offer: ToolOffer;

  constructor(window: ChatWindow) {
    const { context, servers, trust, skills: loaded, profiles, offered, results, rawJson, apps, calledApps } = window;
    const { calls, requests, flow, pins } = trust;
    this.scale = scalePictures(join(context.extensionPath, 'dist', 'picture-worker.js'));
    const approval = new ChatApproval(rawJson.editArguments);
    const questions = new CallQuestions();
    const { maxResultLength } = this;
    const skills = new SkillReader(servers, loaded);
    const kept = new KeptResults(this.#disposables.add(new WindowFiles(context)), maxResultLength);
    const scripts = new Scripts(servers, results, context.extensionPath);
    const caller = new ToolCaller({
      ...{ servers, calls, requests, flow, approval, questions, results },
      ...{ apps: calledApps, skills, kept, scripts, maxResultLength },
    });
    this.#choice = new ToolChoice(servers, context.workspaceState, offered);
    this.#offer = new ToolOffer({ servers, choice: this.#choice, offered, pins });
    const toolTokens = () => setting('toolTokens', 8_000);
    const turn = new Turn({
      ...{ servers, offer: this.#offer, caller, flow, pins, skillReader: skills, kept },
      scale: this.scale,
      apps: {
        context: () => apps.loaded?.context() ?? [],
        takeContext: () => apps.loaded?.takeContext() ?? [],
      },
      options: () => ({
        alwaysOffer: setting<readonly unknown[]>('alwaysOffer', []),
        codeMode: canRunScripts && setting<unknown>('codeMode', false) === true && !trust.forbids('codeMode'),
        maxRounds: setting('maxRounds', 25),
        maxTokens: setting('maxTokens', 200_000),
        maxTools: setting('maxTools', 128),
        toolTokens: toolTokens(),
      }),
    });
    const offer = this.#offer;
    this.participant = new ChatParticipant({
      ...{ servers, turn, pins, offer, offered, profiles, toolTokens },
      links: choices => questions.links(choices),
    });
    this.commands = {
      answerApproval: (id, answer) => approval.answer(id, answer),
      answerQuestion: (id, answer) => questions.answer(id, answer),
      chooseTools: () => this.#choice.pick((...tool) => offer.tokens(...tool)),
      switchProfile: argument => profiles.switch(argument),
    } satisfies Partial<CommandHandlers>;
  }

  /** The most characters of a result that a model gets at once. */
  readonly maxResultLength = (): number => setting('maxResultLength', 32_000);

  /** Tokens that the definitions of a server's tools use in each request to a model. */
  cost(server: ServerConnection): ReturnType<ToolOffer['cost']> {
    return this.#offer.cost(server);
  }

  /** Keeps the tools that were left out, under a server's new name. */
  renamed(from: ServerId, to: ServerId): Promise<void> {
    return this.#choice.renamed(from, to);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
