import * as vscode from 'vscode';
import { loadFixes } from '../loadFixes';
import { HealthLoader } from '../loadHealth';
import type { HostModule } from '../loadHost';
import { ChatApproval } from './chat/approval';
import { CallQuestions } from './chat/callQuestions';
import { ChatParticipant } from './chat/participant';
import { ToolCaller } from './chat/toolCaller';
import { ToolChoice } from './chat/toolChoice';
import { ToolOffer } from './chat/toolOffer';
import { Turn } from './chat/turn';
import type { CommandHandlers } from './commands';
import type { Configuration } from './configuration';
import { InputCommands } from './inputs/inputCommands';
import { moveToInput } from './inputs/moveToInput';
import { LanguageModelTools } from './languageModelTools/languageModelTools';
import { PromptCommands } from './prompts/runPrompt';
import { addToChat } from './resources/addToChat';
import { ResourceCommands } from './resources/commands';
import { compareResource } from './resources/compare';
import { ResourceDrop } from './resources/drop';
import { findResourceCommand } from './resources/find/findResource';
import { copyLink } from './resources/link';
import { readResourceCommand } from './resources/readResource';
import type { Resources } from './resources/resources';
import { sortResourcesCommand } from './resources/sortResources';
import { targetOf } from './resources/target';
import { openTemplateCommand } from './resources/templates/openTemplate';
import { changeRoots } from './roots/changeRoots';
import { openCallResult } from './running/openCallResult';
import { addDemoServer } from './servers/demo';
import type { ServerSet } from './servers/serverSet';
import type { SettingsFiles } from './settings/settingsFiles';
import { chooseTool, toolOfRow } from './tools/chooseTool';
import { RawJson } from './tools/rawJson';
import { ToolResults } from './tools/resultDocument';
import { ToolCommands } from './tools/runTool';
import { ApprovalChanges } from './trust/approvalChanges';
import { AuditDocument } from './trust/auditDocument';
import { manageApprovals } from './trust/manageApprovals';
import { manageConsents } from './trust/manageConsents';
import { ReviewChanges } from './trust/reviewChanges';
import { ReviewDialog } from './trust/reviewDialog';
import { ReviewDocuments } from './trust/reviewDocuments';
import { ReviewServers } from './trust/reviewServers';
import { setApproval } from './trust/setApproval';
import type { Trust } from './trust/trust';

const { t } = vscode.l10n;

export { Elicitation } from './elicitation/elicitation';
export { ResourcesTree } from './resources/tree';

export interface InteractionServices {
  servers: ServerSet;
  trust: () => Trust;
  /** The host bundle, loaded on first use. */
  host: () => HostModule;
  configuration: Configuration;
  files: SettingsFiles;
  context: vscode.ExtensionContext;
  resources: Pick<Resources, 'editors' | 'order' | 'reader' | 'templateMemory'>;
}

/** What people do with prompts and tools, in chat and without it. A bundle of its own: see `loadInteraction.ts`. */
export class Interaction implements vscode.Disposable {
  readonly chat: ChatParticipant;
  readonly drop: ResourceDrop;
  readonly languageModelTools: LanguageModelTools;
  readonly commands;
  readonly #disposables: vscode.Disposable[];

  constructor({
    servers,
    trust: loadTrust,
    host,
    configuration,
    files: settings,
    context,
    resources,
  }: InteractionServices) {
    const trust = loadTrust();
    const { consents, inputs } = trust;
    const setting = <T>(key: string, fallback: T): T => vscode.workspace.getConfiguration('mcpHost').get(key, fallback);
    const schemaProblem = (schema: Record<string, unknown>, value: unknown) => host().schemaProblem(schema, value);
    const results = new ToolResults();
    const rawJson = new RawJson(schemaProblem);
    const documents = new ReviewDocuments();
    const approval = new ChatApproval(rawJson.editArguments);
    const questions = new CallQuestions();
    const maxResultLength = () => setting('chat.maxResultLength', 32_000);
    const caller = new ToolCaller(servers, trust.calls, approval, questions, results, schemaProblem, maxResultLength);
    const choice = new ToolChoice(servers, context.workspaceState);
    const turn = new Turn(servers, new ToolOffer(servers, choice, trust.pins), caller, trust.pins, () => ({
      maxRounds: setting('chat.maxRounds', 25),
      maxTokens: setting('chat.maxTokens', 200_000),
      maxTools: setting('chat.maxTools', 128),
    }));
    const files = new ResourceCommands(servers, resources.reader, resources.editors);
    this.drop = new ResourceDrop(servers);
    this.languageModelTools = new LanguageModelTools({ servers, trust, schemaProblem, maxResultLength });
    this.chat = new ChatParticipant(servers, turn, trust.pins);
    const prompts = new PromptCommands(servers, trust.pins);
    const tools = new ToolCommands({
      servers,
      calls: trust.calls,
      ask: trust.askForCall,
      schemaProblem,
      results,
      rawJson,
    });
    const changes = new ReviewChanges(servers, trust);
    const approvals = new ApprovalChanges(servers, trust);
    const audit = new AuditDocument(trust.audit);
    const inputCommands = new InputCommands(servers, inputs);
    const health = new HealthLoader(servers, context);
    const reviews = new ReviewServers(servers, consents, new ReviewDialog(documents, settings));
    this.commands = {
      ...health.commands,
      acceptChange: () => changes.answer(true),
      addResourceToChat: argument => addToChat(targetOf(servers, argument)),
      addDemoServer: () => addDemoServer(context.extensionPath, configuration, consents, host),
      answerApproval: (id, answer) => approval.answer(id, answer),
      answerQuestion: (id, answer) => questions.answer(id, answer),
      changeRoots: argument => changeRoots({ servers, files: settings }, argument),
      chooseTools: () => choice.pick(),
      clearInputs: () => inputCommands.clear(),
      compareResource: argument => compareResource(servers, targetOf(servers, argument)),
      copyResourceLink: argument => copyLink(targetOf(servers, argument)),
      copyResourceUri: argument => files.copyUri(argument),
      copyToolCall: argument => tools.copyCall(argument),
      exportAuditLog: () => audit.export(),
      installUv: () => loadFixes().installUv(),
      keepBlocked: () => changes.answer(false),
      manageApprovals: () => manageApprovals(() => trust.policy.rules, approvals),
      enterInputs: argument => inputCommands.enter(argument),
      loadMoreResources: argument => files.loadMore(argument),
      manageConsents: () => manageConsents(consents),
      moveToInput: (uri, place) => moveToInput(host(), inputs, uri, place),
      findResource: () => findResourceCommand(servers),
      openCallResult: argument => openCallResult(results, argument),
      openResource: argument => files.open(argument),
      openTemplate: argument => openTemplateCommand(servers, resources.templateMemory, argument),
      readResource: argument => readResourceCommand(servers, argument),
      refreshResources: argument => files.refresh(argument),
      rerunTool: argument => tools.rerun(argument),
      reviewChanges: argument => changes.review(argument),
      reviewServer: argument => reviews.run(argument),
      runPrompt: argument => prompts.run(argument),
      runTool: argument => tools.run(argument),
      saveResourceAs: argument => files.saveAs(argument),
      saveAndStart: (uri, argument) => loadFixes().saveAndStart(uri, argument),
      setApproval: async argument => {
        const target =
          toolOfRow(argument) ?? (await chooseTool(servers, argument, t('Approval of which tool?'), t('Approval')));
        if (target) await setApproval(target, trust.policy.rules, approvals, tools.lastArguments(target));
      },
      showAuditLog: () => audit.show(),
      sortResources: () => sortResourcesCommand(resources.order),
    } satisfies Partial<CommandHandlers>;
    this.#disposables = [results, rawJson, prompts, tools, changes, audit, documents, health];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
