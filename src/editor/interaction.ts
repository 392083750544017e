import * as vscode from 'vscode';
import { ApprovalPolicy } from '../host/approvals';
import type { HostModule } from '../loadHost';
import { ChatApproval } from './chat/approval';
import { ChatParticipant } from './chat/participant';
import { ToolCaller } from './chat/toolCaller';
import { ToolChoice } from './chat/toolChoice';
import { ToolOffer } from './chat/toolOffer';
import { Turn } from './chat/turn';
import type { CommandHandlers } from './commands';
import { PromptCommands } from './prompts/runPrompt';
import { readResourceCommand } from './resources/readResource';
import type { ServerSet } from './servers/serverSet';
import { RawJson } from './tools/rawJson';
import { ToolResults } from './tools/resultDocument';
import { ToolCommands } from './tools/runTool';
import { ApprovalStore } from './trust/approvalStore';
import { manageApprovals } from './trust/manageApprovals';

export interface InteractionServices {
  servers: ServerSet;
  /** The host bundle, loaded on first use. */
  host: () => HostModule;
  context: vscode.ExtensionContext;
}

type InteractionCommand =
  | 'answerApproval'
  | 'chooseTools'
  | 'copyToolCall'
  | 'manageApprovals'
  | 'readResource'
  | 'rerunTool'
  | 'runPrompt'
  | 'runTool';

/** What people do with prompts and tools, in chat and without it. A bundle of its own: see `loadInteraction.ts`. */
export class Interaction implements vscode.Disposable {
  readonly chat: ChatParticipant;
  readonly commands: Pick<CommandHandlers, InteractionCommand>;
  readonly #disposables: vscode.Disposable[];

  constructor({ servers, host, context }: InteractionServices) {
    const setting = <T>(key: string, fallback: T): T => vscode.workspace.getConfiguration('mcpHost').get(key, fallback);
    const policy = new ApprovalPolicy(new ApprovalStore(context), () => ({
      skipReadOnly: setting('approvals.skipReadOnly', false),
    }));
    const schemaProblem = (schema: Record<string, unknown>, value: unknown) => host().schemaProblem(schema, value);
    const results = new ToolResults();
    const rawJson = new RawJson(schemaProblem);
    const approval = new ChatApproval(policy, rawJson.editArguments);
    const maxResultLength = () => setting('chat.maxResultLength', 32_000);
    const caller = new ToolCaller(servers, approval, results, schemaProblem, maxResultLength);
    const choice = new ToolChoice(servers, context.workspaceState);
    const turn = new Turn(servers, new ToolOffer(servers, choice), caller, () => ({
      maxRounds: setting('chat.maxRounds', 25),
      maxTokens: setting('chat.maxTokens', 200_000),
      maxTools: setting('chat.maxTools', 128),
    }));
    this.chat = new ChatParticipant(servers, turn);
    const prompts = new PromptCommands(servers);
    const tools = new ToolCommands({ servers, policy, schemaProblem, results, rawJson });
    this.commands = {
      answerApproval: (id, answer) => approval.answer(id, answer),
      chooseTools: () => choice.pick(),
      copyToolCall: argument => tools.copyCall(argument),
      manageApprovals: () => manageApprovals(policy),
      readResource: argument => readResourceCommand(servers, argument),
      rerunTool: argument => tools.rerun(argument),
      runPrompt: argument => prompts.run(argument),
      runTool: argument => tools.run(argument),
    };
    this.#disposables = [results, rawJson, prompts, tools];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
