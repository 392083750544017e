import { homedir, release } from 'node:os';
import { Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { visible } from '../../base/text';
import { serverOf } from '../../editor/pickServer';
import { remedyTitle } from '../../editor/remedyTexts';
import { tabIcon, WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import { isRunning, type ServerConnection, type ServerSet } from '../../host';
import { ProcessMeter } from '../../host/launch';
import { diagnosticsReport } from './core/diagnosticsReport';
import { type FromHealthPage, fromHealthPage, type HealthAction, type HealthPage } from './core/healthMessages';
import { describeHealth, healthRemedies, type ToolCost } from './healthCards';

import vscode = require('vscode');

/** How servers are doing, for people and for bug reports. */
export class HealthCommands extends Owner {
  readonly #panel: HealthPanel;

  constructor(
    private readonly servers: ServerSet,
    private readonly context: vscode.ExtensionContext,
    panel: ConstructorParameters<typeof HealthPanel>[2],
  ) {
    super();
    this.#panel = this.own(new HealthPanel(servers, context.extensionUri, panel));
  }

  /** From the palette, shows the server that was shown last, or the first; the page has a list of all. */
  show(argument: unknown): void {
    this.#panel.open(serverOf(argument));
  }

  /** Copies the report about one server, or, from the palette, about all. */
  async copyDiagnostics(argument: unknown): Promise<void> {
    const server = serverOf(argument);
    const report = this.report(server ? [server] : this.servers.all);
    await vscode.env.clipboard.writeText(report);
    void window.showInformationMessage(
      t(
        'Copied the diagnostics. Values that may be secret and your folders are masked, but read the text before you share it.',
      ),
    );
  }

  /** A report on servers for finding a fault. See `diagnosticsReport`. */
  report(servers: readonly ServerConnection[], logOf?: (server: ServerConnection) => readonly string[]): string {
    const surroundings = {
      facts: this.#facts(),
      homeFolder: homedir(),
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    };
    return diagnosticsReport(servers, surroundings, logOf);
  }

  #facts(): string[] {
    const { appName, appHost, remoteName, uiKind, language } = vscode.env;
    const ui = uiKind === vscode.UIKind.Web ? 'web' : 'desktop';
    return [
      `Extension: ${this.context.extension.packageJSON.version}`,
      `Editor: ${appName} ${vscode.version} (${ui}, ${appHost}${remoteName ? `, remote ${remoteName}` : ''}, ${language})`,
      `System: ${process.platform} ${process.arch} ${release()}`,
      `Node.js: ${process.versions.node}`,
      `Workspace: ${vscode.workspace.workspaceFolders?.length ?? 0} folders, ${vscode.workspace.isTrusted ? 'trusted' : 'not trusted'}`,
    ];
  }
}

/** How often numbers are updated while the page is visible. */
const REFRESH_MS = 2_000;

const COMMANDS: Record<Exclude<HealthAction, 'openWebsite'>, string> = {
  start: 'mcpHost.startServer',
  restart: 'mcpHost.restartServer',
  stop: 'mcpHost.stopServer',
  showLog: 'mcpHost.showServerLog',
  showTrace: 'mcpHost.showTrace',
  openSettings: 'mcpHost.openServerSettings',
  copyDiagnostics: 'mcpHost.copyDiagnostics',
};

interface PanelPorts {
  /** Asks whether the page that a server calls its website may be opened. */
  readonly openWebsite: (server: ServerConnection, url: string) => Promise<void>;
  readonly toolCost: ToolCost;
  /** More lines on a server. */
  readonly notes: (server: ServerConnection) => readonly string[];
}

/** The health of one server at a time, in an editor. It polls nothing while it is hidden. */
class HealthPanel implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  #page: WebviewPage<HealthPage, FromHealthPage> | undefined;
  #chosen: string | undefined;
  #meter = new ProcessMeter();
  #timer: NodeJS.Timeout | undefined;
  readonly #refresh = new Coalescer(() => void this.#show(), { quietMs: 50, maxMs: 300 });

  constructor(
    private readonly servers: ServerSet,
    private readonly extension: vscode.Uri,
    private readonly ports: PanelPorts,
  ) {}

  /** Shows a server, or the one that was shown last. */
  open(server: ServerConnection | undefined): void {
    if (server) this.#chosen = server.id;
    if (this.#panel) {
      this.#panel.reveal();
      this.#refresh.trigger();
    } else {
      this.#create();
    }
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #create(): void {
    const title = t('MCP Server Health');
    const panel = window.createWebviewPanel('mcpHost.health', title, vscode.ViewColumn.Active);
    this.#panel = panel;
    panel.iconPath = tabIcon(this.extension, 'health');
    const changes = this.servers.onDidChange(change => {
      if (!change || change.server.id === this.#chosen) this.#refresh.trigger();
    });
    panel.onDidChangeViewState(() => this.#watch());
    panel.onDidDispose(() => {
      changes.dispose();
      this.#refresh.cancel();
      this.#page?.dispose();
      this.#panel = this.#page = undefined;
      this.#watch();
    });
    this.#page = new WebviewPage(panel, {
      extension: this.extension,
      title,
      script: 'health-view.js',
      styles: ['page.css', 'health.css'],
      read: fromHealthPage,
      receive: message => this.#receive(message),
    });
    this.#watch();
  }

  /** Polls the server as long as the page is visible. */
  #watch(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#panel?.visible) return;
    this.#timer = setInterval(() => void this.#show(), REFRESH_MS);
    this.#refresh.trigger();
  }

  async #receive(message: FromHealthPage): Promise<void> {
    if (message.type === 'ready') return this.#show();
    if (message.type === 'choose') {
      this.#chosen = message.id;
      this.#meter = new ProcessMeter();
      return this.#show();
    }
    const server = this.#server;
    if (message.type === 'mend') {
      const remedy = server && healthRemedies(server).find(each => remedyTitle(each, server) === message.title);
      if (remedy) await vscode.commands.executeCommand('mcpHost.applyRemedy', server.id, remedy);
    } else if (message.action !== 'openWebsite') {
      await vscode.commands.executeCommand(COMMANDS[message.action], server && { server });
    } else {
      const url = server?.info?.implementation?.websiteUrl;
      if (url) await this.ports.openWebsite(server, url);
    }
  }

  /** The chosen server, or the first if that is gone. */
  get #server(): ServerConnection | undefined {
    return this.servers.all.find(({ id }) => id === this.#chosen) ?? this.servers.all[0];
  }

  async #show(): Promise<void> {
    if (!this.#page?.isReady) return;
    const server = this.#server;
    this.#chosen = server?.id;
    const pid = server?.state.kind === 'ready' ? server.state.pid : undefined;
    const usage = pid === undefined ? undefined : await this.#meter.look(pid);
    // Another server was chosen, or the page was closed, while the system was queried.
    if (server?.id === this.#chosen) this.#page?.post(this.#content(server, usage));
  }

  #content(server: ServerConnection | undefined, usage: Parameters<typeof describeHealth>[1]): HealthPage {
    const servers = this.servers.all.map(({ id }) => ({ id, label: visible(id) }));
    const chooser = { label: t('Server'), chosen: server?.id ?? '', servers };
    if (server)
      return {
        chooser,
        actions: actionsOf(server),
        ...describeHealth(server, usage, this.ports.toolCost(server), this.ports.notes(server)),
      };
    return {
      chooser,
      actions: [{ action: 'openSettings', label: t('Open Settings'), isMain: true }],
      state: { kind: 'stopped', text: t('No MCP servers are configured.'), about: '', details: [] },
      problem: undefined,
      bar: { label: '', stretches: [], legend: [] },
      cards: [],
      tables: [],
    };
  }
}

function actionsOf({ state: { kind }, info }: ServerConnection): HealthPage['actions'] {
  const runs = isRunning(kind);
  const others: HealthPage['actions'] = [
    { action: 'showLog', label: t('Show Log'), isMain: false },
    { action: 'showTrace', label: t('Show Messages'), isMain: false },
    { action: 'openSettings', label: t('Open Settings'), isMain: false },
    { action: 'copyDiagnostics', label: t('Copy Diagnostics'), isMain: false },
    ...(info?.implementation?.websiteUrl
      ? [{ action: 'openWebsite', label: t('Open Website…'), isMain: false } as const]
      : []),
  ];
  if (!runs) return [{ action: 'start', label: t('Start'), isMain: true }, ...others];
  return [
    { action: 'restart', label: t('Restart'), isMain: false },
    { action: 'stop', label: t('Stop'), isMain: false },
    ...others,
  ];
}
