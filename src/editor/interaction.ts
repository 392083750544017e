import * as vscode from 'vscode';
import type { HostModule } from '../loadHost';
import { ChatApproval } from './chat/approval';
import { ChatParticipant } from './chat/participant';
import { ToolCaller } from './chat/toolCaller';
import { ToolChoice } from './chat/toolChoice';
import { ToolOffer } from './chat/toolOffer';
import { Turn } from './chat/turn';
import type { CommandHandlers } from './commands';
import { InputCommands } from './inputs/inputCommands';
import type { InputValues } from './inputs/inputValues';
import { moveToInput } from './inputs/moveToInput';
import { PromptCommands } from './prompts/runPrompt';
import { readResourceCommand } from './resources/readResource';
import type { ServerSet } from './servers/serverSet';
import { RawJson } from './tools/rawJson';
import { ToolResults } from './tools/resultDocument';
import { ToolCommands } from './tools/runTool';
import { AuditDocument } from './trust/auditDocument';
import { manageApprovals } from './trust/manageApprovals';
import { ReviewChanges } from './trust/reviewChanges';
import type { Trust } from './trust/trust';

export interface InteractionServices {
  servers: ServerSet;
  trust: Trust;
  /** The host bundle, loaded on first use. */
  host: () => HostModule;
  context: vscode.ExtensionContext;
  inputs: InputValues;
}

type InteractionCommand =
  | 'acceptChange'
  | 'answerApproval'
  | 'chooseTools'
  | 'clearInputs'
  | 'copyToolCall'
  | 'enterInputs'
  | 'exportAuditLog'
  | 'keepBlocked'
  | 'manageApprovals'
  | 'moveToInput'
  | 'readResource'
  | 'rerunTool'
  | 'reviewChanges'
  | 'runPrompt'
  | 'runTool'
  | 'showAuditLog';

/** What people do with prompts and tools, in chat and without it. A bundle of its own: see `loadInteraction.ts`. */
export class Interaction implements vscode.Disposable {
  readonly chat: ChatParticipant;
  readonly commands: Pick<CommandHandlers, InteractionCommand>;
  readonly #disposables: vscode.Disposable[];

  constructor({ servers, trust, host, context, inputs }: InteractionServices) {
    const setting = <T>(key: string, fallback: T): T => vscode.workspace.getConfiguration('mcpHost').get(key, fallback);
    const schemaProblem = (schema: Record<string, unknown>, value: unknown) => host().schemaProblem(schema, value);
    const results = new ToolResults();
    const rawJson = new RawJson(schemaProblem);
    const approval = new ChatApproval(rawJson.editArguments);
    const maxResultLength = () => setting('chat.maxResultLength', 32_000);
    const caller = new ToolCaller(servers, trust.calls, approval, results, schemaProblem, maxResultLength);
    const choice = new ToolChoice(servers, context.workspaceState);
    const turn = new Turn(servers, new ToolOffer(servers, choice, trust.pins), caller, trust.pins, () => ({
      maxRounds: setting('chat.maxRounds', 25),
      maxTokens: setting('chat.maxTokens', 200_000),
      maxTools: setting('chat.maxTools', 128),
    }));
    this.chat = new ChatParticipant(servers, turn);
    const prompts = new PromptCommands(servers);
    const tools = new ToolCommands({ servers, calls: trust.calls, schemaProblem, results, rawJson });
    const changes = new ReviewChanges(servers, trust);
    const audit = new AuditDocument(trust.audit);
    const inputCommands = new InputCommands(servers, inputs);
    this.commands = {
      acceptChange: () => changes.answer(true),
      answerApproval: (id, answer) => approval.answer(id, answer),
      chooseTools: () => choice.pick(),
      clearInputs: () => inputCommands.clear(),
      copyToolCall: argument => tools.copyCall(argument),
      exportAuditLog: () => audit.export(),
      keepBlocked: () => changes.answer(false),
      manageApprovals: () => manageApprovals(trust.policy),
      enterInputs: argument => inputCommands.enter(argument),
      moveToInput: (uri, place) => moveToInput(host(), inputs, uri, place),
      readResource: argument => readResourceCommand(servers, argument),
      rerunTool: argument => tools.rerun(argument),
      reviewChanges: argument => changes.review(argument),
      runPrompt: argument => prompts.run(argument),
      runTool: argument => tools.run(argument),
      showAuditLog: () => audit.show(),
    };
    this.#disposables = [results, rawJson, prompts, tools, changes, audit];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
