import vscode = require('vscode');

import type { PlainText } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { type PlainRow, t } from '../../editor/window';
import type { HostModule } from '../../host/loadHost';
import type { Configuration, SettingsFiles } from '../settings';
import type { Trust } from '../trust';
import { AddServer } from './addServer';
import type { ServerDraft } from './core/draft';
import { exportServers } from './exportServers';
import { ImportList } from './importList';
import { ImportServers } from './importServers';
import { chooseFromRegistry, registryUrl } from './registrySearch';
import { SettingsWriter } from './settingsWriter';
import type { TrialPorts } from './tryServer';
import { byAddress, byCommand, byJson, byNpm, byPython, type Way } from './ways';
import { BACK, pickOne } from './wizard';

/** What setting up servers needs from the window. */
export interface SetupServices {
  trust: () => Trust;
  host: () => HostModule;
  configuration: Configuration;
  files: SettingsFiles;
  ports: TrialPorts;
  version: string;
}

type KindRow = PlainRow & { way?: () => Way; run?: () => unknown; title?: string };

/** A web window runs no programs and reads no files of other hosts. */
const IN_BROWSER = String(process.platform) === 'web';

/** Adds, imports and exports servers. In its own bundle. */
export class Setup {
  readonly #writer: SettingsWriter;
  readonly #list: ImportList;
  readonly commands: Pick<CommandHandlers, 'addServer' | 'exportServers' | 'importServers'> = {
    addServer: () => this.#add(),
    exportServers: () => exportServers(this.services.configuration, this.services.host()),
    importServers: () => new ImportServers(this.#list).run(),
  };

  constructor(private readonly services: SetupServices) {
    const { configuration, files, trust, host } = services;
    this.#writer = new SettingsWriter(configuration, files, trust, host);
    this.#list = new ImportList(this.#writer, host);
  }

  async #add(): Promise<void> {
    for (;;) {
      const title = t('Add MCP Server');
      const kind = await pickOne({ title, placeholder: t('What kind of server is it?'), items: this.#kinds() });
      if (kind === BACK || !kind) return;
      if (kind.run) return void (await kind.run());
      const { host, ports, trust, version } = this.services;
      const adding = new AddServer(
        {
          writer: this.#writer,
          host,
          commands: () => trust().inputCommands,
          ports,
          version,
        },
        kind.title!,
      );
      if ((await adding.run(kind.way!())) !== 'back') return;
    }
  }

  #kinds(): KindRow[] {
    const several = (drafts: ServerDraft[]) =>
      this.#list.choose([{ place: { host: t('Pasted'), inWorkspace: false }, path: t('text'), servers: drafts }]);
    const registry = registryUrl();
    const kind = (icon: string, label: PlainText, detail: PlainText, way: () => Way): KindRow => ({
      iconPath: new vscode.ThemeIcon(icon),
      label,
      detail,
      way,
      title: t('Add MCP Server: {0}', label),
    });
    const search = kind(
      'search',
      t('MCP Registry'),
      t('Search published servers by name'),
      () =>
        (...step) =>
          chooseFromRegistry(registry!, ...step),
    );
    const programs = [
      kind(
        'terminal',
        t('Command Line'),
        t('A program on this machine, as you would start it in a terminal'),
        byCommand,
      ),
      kind('package', t('npm Package'), t('Run by npx, which comes with Node.js'), byNpm),
      kind('package', t('Python Package'), t('Run by uvx, which comes with uv'), byPython),
    ];
    const others: KindRow[] = [
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      {
        iconPath: new vscode.ThemeIcon('cloud-download'),
        label: t('Import from Other Hosts'),
        detail: t('VS Code, Claude, Cursor, Windsurf, Zed, Cline, Continue, or a file'),
        run: this.commands.importServers,
      },
      {
        iconPath: new vscode.ThemeIcon('beaker'),
        label: t('Demo Server'),
        detail: t('A project notebook to explore; nothing needs to be installed'),
        run: () => vscode.commands.executeCommand('mcpHost.addDemoServer'),
      },
    ];
    return [
      ...(registry ? [search] : []),
      ...(IN_BROWSER ? [] : programs),
      kind('globe', t('URL'), t('A remote server, over HTTP'), byAddress),
      kind('json', t('JSON from a README'), t('In the format of any host, from the clipboard or typed in'), () =>
        byJson(several),
      ),
      ...(IN_BROWSER ? [] : others),
    ];
  }
}
