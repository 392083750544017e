import vscode = require('vscode');

import { Emitter, lazy } from './base/events';
import { plain } from './base/text';
import { loadAuthors, loadExtras, loadPages, loadSetup } from './doors';
import { asksLess, chatsText } from './editor/chats';
import type { CommandHandlers } from './editor/commands';
import { openPage } from './editor/openPage';
import { pickServer, serverOf } from './editor/pickServer';
import type { DetailNode, ServerNode } from './editor/serverRows';
import { t } from './editor/window';
import { CalledApps } from './features/apps/calledApps';
import { SignInDialogs } from './features/auth/signInDialogs';
import { canTest } from './features/authors';
import type { TestWindow } from './features/authors/testAccess';
import type { TestExplorer } from './features/authors/testExplorer';
import { BUNDLES, bundleOf } from './features/bundles/core/bundleFolders';
import { Chat } from './features/chat/chat';
import { clientAnswers, ExtensionApi, rememberedClients } from './features/clients';
import { Elicitation, openExactly } from './features/elicitation/elicitation';
import { askAppLink, askWebsite } from './features/elicitation/urlDialog';
import { isEventRow } from './features/events';
import { HealthCommands } from './features/health/healthPanel';
import { LanguageModelTools } from './features/languageModelTools/languageModelTools';
import { CheckServer } from './features/lint/checkServer';
import { saveMockServer } from './features/mock/saveMockServer';
import { rulesForNew } from './features/organization/core/organizationRules';
import { demandOf, organizationCommands } from './features/organization/organizationCommands';
import { ProfileMenu } from './features/profiles/profileMenu';
import { PromptCommands } from './features/prompts/runPrompt';
import { ApplyRemedy, installUv } from './features/remedies/applyRemedy';
import { ExplainInChat } from './features/remedies/explainInChat';
import { templatesFor } from './features/resources/openTemplate';
import { ResourceBrowsing } from './features/resources/resourceCommands';
import { ResourceDrop } from './features/resources/resourceDrop';
import { ReviewDocuments } from './features/review';
import { changeRoots } from './features/roots/changeRoots';
import { Sampling } from './features/sampling/sampling';
import { changeSandbox } from './features/sandbox/changeSandbox';
import { revealServer } from './features/servers/revealServer';
import { ManageServers, serverCommands } from './features/servers/serverCommands';
import { showWaiting } from './features/servers/waiting';
import { lensesOf } from './features/settings/lenses';
import { fixesOf } from './features/settings/quickFixes';
import type { ShownProblem } from './features/settings/settingsDiagnostics';
import { type EditOnPage, formOf, type JsonSchema } from './features/tools';
import type { PageRow } from './features/tools/pageSubject';
import { openCallResult, ToolResults } from './features/tools/resultDocument';
import { requestOfCall, ToolCommands } from './features/tools/runTool';
import { Trace } from './features/trace/trace';
import { AuditDocument } from './features/trust/auditDocument';
import { CallQuestion } from './features/trust/callQuestion';
import { flowText } from './features/trust/dataFlow';
import { InputCommands } from './features/trust/inputQuestions';
import { manageTrust } from './features/trust/manageTrust';
import { keepAnswers } from './features/trust/renameServer';
import { ReviewChanges } from './features/trust/reviewChanges';
import { ReviewDialog, ReviewServers } from './features/trust/reviewServers';
import type { GatewayTrust } from './gateway';
import type { ServerConnection, ServerSet } from './host';
import type { ServerDefinition } from './host/definition';
import { runsPackage } from './host/launch';
import type { ServerEntry } from './host/settings';
import type { Questions, ServersWindow } from './serversWindow';
import type { StartedServers } from './startServers';

/** The parts that live as long as the window, and the servers with everything that they need. */
interface FeaturesWindow extends Omit<ServersWindow, 'features' | 'servers'> {
  readonly servers: ServerSet;
  readonly started: StartedServers;
  readonly view: vscode.TreeView<ServerNode>;
  /** Made when it is first asked for. */
  readonly tests: () => TestExplorer;
}

export type Features = ReturnType<typeof startFeatures>;

/** Builds everything that people use servers with, in chat and without it. Loaded through `doors/index.ts`. */
export function startFeatures({
  context,
  own,
  configuration,
  servers,
  started: start,
  resources,
  view,
  tests,
}: FeaturesWindow) {
  const parts = start();
  const { trust, organization, ports, files: settings, logs, calls, skills, events } = parts;
  const { confined, live, profiles, offered, openQuestions, dev, diagnostics, tree } = parts;
  const { consents, inputs } = trust;
  const results = own(new ToolResults());
  const editOnPage: EditOnPage = edited => loadPages().editOnPage(context.extensionUri, edited);
  const documents = own(new ReviewDocuments());
  const apps = lazy(() =>
    own(
      new (loadPages().Apps)({
        context,
        servers,
        trust,
        documents,
        log: logs,
        openLink: (server, url, app) => askAppLink(server, url, app, openExactly),
        sampling: ({ definition }) =>
          ports.sampling?.capability(definition) ? ports.sampling.createMessage : undefined,
      }),
    ),
  );
  const calledApps = new CalledApps(servers, apps);
  const chat = own(
    new Chat({
      context,
      servers,
      trust,
      skills,
      profiles: new ProfileMenu(servers, profiles, offered),
      offered,
      results,
      editOnPage,
      openQuestions,
      apps,
      calledApps,
    }),
  );
  const browsing = own(new ResourceBrowsing(servers, { state: context.workspaceState, live: live(), resources }));
  const prompts = own(new PromptCommands(servers, trust.pins));
  const openWebsite = (server: Pick<ServerConnection, 'name'>, url: string) => askWebsite(server, url, openExactly);
  const tools = new ToolCommands(trust.calls, trust.askForCall);
  const itemPages = lazy(() => {
    const { ItemPages } = loadPages();
    const onDidChangeTrust = own(new Emitter<void>());
    own(trust.policy.onDidChange(() => onDidChangeTrust.fire()));
    own(trust.marks.onDidChange(() => onDidChangeTrust.fire()));
    return own(
      new ItemPages({
        extensionUri: context.extensionUri,
        servers,
        questions: openQuestions,
        calls: trust.calls,
        results,
        onDidChangeTrust: onDidChangeTrust.event,
        approve: (target, args) => tools.approve(target, args),
        lastArguments: target => tools.lastArguments(target),
        openWebsite,
        app: calledApps,
        prompts,
        templates: templatesFor(browsing.memory, resources.reader()),
      }),
    );
  });
  /** Notes on a server besides its health. */
  const notes = (server: ServerConnection) => {
    const fetched = runsPackage(server.definition) ? loadExtras().fetchText(server) : undefined;
    const { projectFile } = server.definition.source;
    const chats = server.state.kind === 'ready' ? chatsText(projectFile !== undefined) : undefined;
    return [fetched, chats, flowText(trust.flow(), server)].filter(note => note !== undefined);
  };
  const packageLines = async (entry: ServerEntry) => (runsPackage({ entry }) ? loadExtras().packageLines(entry) : []);
  const changes = own(new ReviewChanges(servers, trust));
  const clients = own(rememberedClients(context, trust.audit));
  const answersToClients = () => clientAnswers(clients, profiles.loaded?.all ?? []);
  const extensionApi = own(
    new ExtensionApi({
      clients,
      own: context.extension,
      servers,
      trust,
      add: (...added) => configuration.add(...added),
      openApp: call => calledApps.openFor(call),
      openResource: (server, uri) => browsing.open({ server, resource: { uri, name: uri } }),
      logsOf: ({ id }) => logs.recent(id),
    }),
  );
  const audit = own(new AuditDocument(trust.audit));
  const inputCommands = new InputCommands(servers, inputs, trust.inputCommands);
  const sandbox = () => demandOf(organization);
  const free = (server: ServerDefinition) => confined().grant(server, { isFree: true });
  const reviews = new ReviewServers(
    servers,
    consents,
    new ReviewDialog({ documents, files: settings, packageLines, sandbox, free }),
  );
  const sampling = own(new Sampling({ servers, trust, calls, context, openQuestions }));
  const elicitation = own(
    new Elicitation({
      servers,
      calls,
      audit: () => trust.audit,
      log: logs,
      openQuestions,
      askForm: form => loadPages().askForm(context.extensionUri, form),
    }),
  );
  const signIns = new SignInDialogs(servers);
  const health = lazy(() =>
    own(new HealthCommands(servers, context, { openWebsite, toolCost: server => chat.cost(server), notes })),
  );
  const remedies = new ApplyRemedy(servers, settings, () => trust);
  const logOf = ({ id }: ServerConnection) => logs.recent(id).map(({ level, text }) => `[${level}] ${text}`);
  const explain = lazy(() => own(new ExplainInChat(servers, server => health().report([server], logOf))));
  const trace = lazy(() => own(new Trace({ servers, trust, editOnPage, extensionUri: context.extensionUri })));
  const snapshots = lazy(() => own(new (loadAuthors().Snapshots)(context.workspaceState)));
  const checks = new CheckServer({
    servers,
    files: settings,
    calls: () => trust.calls,
    requests: () => trust.requests,
    refresh: () => diagnostics.refresh(),
    ...(canTest && {
      conformance: server => loadAuthors().checkConformance(server, ports),
      others: {
        saveSnapshot: server => snapshots().save(server),
        compareSnapshot: server => snapshots().compare(server),
        compareDescriptions: server => loadAuthors().compareDescriptions(snapshots(), server),
      },
    }),
  });
  /** A command on the row of a server. */
  const onServer = (act: (server: ServerConnection) => Promise<void>) => async (argument?: unknown) => {
    const server = serverOf(argument);
    if (server) await act(server);
  };
  const manage = new ManageServers({
    bundles: {
      of: entry => bundleOf(entry, vscode.Uri.joinPath(context.globalStorageUri, BUNDLES).fsPath),
      remove: (folder, former) => setup().bundles.remove(folder, former),
    },
    servers,
    files: settings,
    calls,
    renamed: async (from, to) => {
      await keepAnswers(trust, from, to);
      await sampling.renamed(from, to);
      await chat.renamed(from.id, to.id);
    },
  });
  const setup = lazy(() => {
    const { extension, extensionUri } = context;
    const { Setup } = loadSetup();
    return own(
      new Setup({
        trust: () => trust,
        configuration,
        files: settings,
        ports,
        sharing: { documents, storage: context, mayShare: () => !trust.forbids('shareWithAgents') },
        version: extension.packageJSON.version,
        reveal: id => revealServer({ servers, tree, view }, id),
        extension,
        storage: context.globalStorageUri.fsPath,
        askForm: form => loadPages().askForm(extensionUri, form),
        rules: () => rulesForNew(organization),
        openWebsite,
      }),
    );
  });

  return {
    /** Brings back the tab of an app that an earlier window left. */
    restoreApp: (panel: vscode.WebviewPanel, state: unknown) => apps().restore(panel, state),
    resolveAppView: (view: vscode.WebviewView) => apps().resolveView(view),
    appPage: (...page: Parameters<NonNullable<GatewayTrust['appPage']>>) => apps().agreedRead(...page),
    chat: chat.participant,
    drop: new ResourceDrop(servers),
    languageModelTools: new LanguageModelTools({
      servers,
      trust,
      offered,
      asksLess: () => asksLess(context.workspaceState),
      maxResultLength: chat.maxResultLength,
      scale: chat.scale,
    }),
    /** The services for running tests of servers. */
    tests: (): TestWindow => ({
      servers,
      trust,
      ports,
      storage: context,
      debugger: events => dev().forTests(events),
      reviewOf: uri => {
        const reveal = async () => !!(await vscode.window.showTextDocument(uri));
        return new ReviewDialog({ documents, files: { uriOf: () => uri, reveal }, packageLines, sandbox });
      },
    }),
    toolTokens: (server: ServerConnection) => chat.cost(server).tokens,
    notes,
    findings: (server: ServerConnection) => checks.problems(server),
    askArguments: async (title: string, schema: JsonSchema) =>
      formOf(schema).length > 0 ? editOnPage({ title: plain(title), schema, submit: t('Follow…') }) : {},
    /** Asks the person questions on behalf of servers. */
    questions: { elicitation, sampling, signIn: signIns, askForCall: own(new CallQuestion()).ask } satisfies Questions,
    /** Quick fixes for the problems that we report. */
    fixesOf: (document: vscode.TextDocument, problems: readonly ShownProblem[]) => fixesOf(document, problems, servers),
    lensesOf: (document: vscode.TextDocument) => lensesOf(document, settings, servers),
    resourceRows: browsing.rows,
    /** Who else may use the servers: extensions and agents. */
    clients,
    extensionApi,
    /** Fills a page that was open before a reload. */
    restoreItemPage: (panel: vscode.WebviewPanel, state: unknown) => itemPages().restore(panel, state),
    commands: {
      ...serverCommands(servers, logs, settings),
      ...manage.commands,
      ...sampling.commands,
      ...browsing.commands,
      ...chat.commands,
      ...organizationCommands({ servers, organization, documents }),
      addResourceToChat: argument =>
        isEventRow(argument) ? events().ask(argument) : browsing.commands.addResourceToChat(argument),
      openResource: argument =>
        isEventRow(argument) ? events().open(argument) : browsing.commands.openResource(argument),
      acceptChange: () => changes.answer(true),
      addDemoServer: () => setup().commands.addDemoServer(),
      addSelectedServer: () => setup().commands.addSelectedServer(),
      addServer: given => setup().commands.addServer(given),
      browseServers: () => setup().commands.browseServers(),
      applyRemedy: (id, remedy) => remedies.run(id, remedy),
      approveSkill: argument => skills().approve(argument),
      cancelCall: argument => (argument as DetailNode | undefined)?.call?.cancel(),
      changeRoots: argument => changeRoots({ servers, files: settings, consents }, argument),
      changeSandbox: async argument => {
        const isProgram = ({ definition }: ServerConnection) => definition.entry?.type === 'stdio';
        const placeHolder = t('Change the sandbox of which MCP server?');
        const server = await pickServer(argument, servers, placeHolder, isProgram);
        if (server) await changeSandbox({ confined: confined(), files: settings, documents }, server, argument);
      },
      checkServer: argument => checks.run(argument),
      copyDiagnostics: argument => health().copyDiagnostics(argument),
      debugServer: onServer(server => dev().debug(server)),
      enterInputs: argument => inputCommands.enter(argument),
      explainInChat: argument => explain().run(argument),
      followEvents: argument => events().follow(argument),
      exportAuditLog: () => audit.export(),
      exportServers: () => setup().commands.exportServers(),
      importServers: () => setup().commands.importServers(),
      installBundle: argument => setup().commands.installBundle(argument),
      openWalkthrough: () => setup().commands.openWalkthrough(),
      installUv: () => installUv(),
      keepBlocked: () => changes.answer(false),
      manageTrust: argument =>
        manageTrust(
          {
            servers,
            trust,
            inputs: inputCommands,
            clients: answersToClients,
            sampling: server => sampling.lineOf(server),
            signOut: server => signIns.signOut({ server }),
            lastArguments: target => tools.lastArguments(target),
          },
          argument,
        ),
      moveAppToTab: async () => apps.loaded?.moveToTab(),
      moveAppToView: async () => apps.loaded?.moveToView(),
      moveToInput: place => remedies.moveToInput(place),
      openApp: argument => calledApps.open(argument),
      openCallResult: argument => openCallResult(results, argument),
      openPage: argument => itemPages().open(argument as PageRow),
      openSettings: () =>
        vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
      openSkill: argument => skills().open(argument),
      openTraceFile: argument => trace().openFile(argument),
      pinVersion: argument => loadExtras().pinVersions({ files: settings, ports }, argument),
      recordTest: argument =>
        loadAuthors().recordTest(argument instanceof vscode.Uri ? requestOfCall(results.callOf(argument)) : argument, {
          servers,
          files: () => tests().testFiles(),
        }),
      refreshResources: argument =>
        (argument as Partial<DetailNode> | undefined)?.type === 'detail'
          ? skills().refresh(argument)
          : browsing.commands.refreshResources(argument),
      reviewChanges: argument => changes.review(argument),
      reviewServer: argument => reviews.run(argument),
      runPrompt: argument => openPage(servers, 'prompts', argument),
      runTool: argument => openPage(servers, 'tools', argument),
      saveBundle: onServer(server => setup().bundles.save(server.definition)),
      saveMockServer: argument => saveMockServer(servers, argument),
      shareServers: () => setup().commands.shareServers(),
      showAuditLog: () => audit.show(),
      showHealth: argument => health().show(argument),
      showTrace: argument => trace().show(argument),
      showWaiting: () =>
        showWaiting({
          servers,
          marks: trust.marks,
          questions: openQuestions,
          hasProfiles: () => (profiles.loaded?.all.length ?? 0) > 0,
        }),
      signIn: argument => signIns.signIn(argument),
      signOut: argument => signIns.signOut(argument),
      stopApp: async () => apps.loaded?.stop(),
      stopAppInView: async () => apps.loaded?.stopInView(),
      stopFollowingEvents: argument => events().stop(argument),
    } satisfies CommandHandlers as CommandHandlers,
  };
}
