import vscode = require('vscode');

import { readBounded } from '../../base/readBounded';
import type { CommandHandlers } from '../../editor/commands';
import { errorText } from '../../editor/errorText';
import { t } from '../../editor/window';
import type { Configuration, SettingsFiles } from '../settings';
import type { Trust } from '../trust';
import { AddServer } from './addServer';
import { textOfLink } from './core/installLink';
import { readPasted } from './core/readText';
import type { ServerDraft } from './core/serverDraft';
import { exportServers } from './exportServers';
import { ImportList } from './importList';
import { ImportServers } from './importServers';
import { newServer } from './newServer';
import { SettingsWriter } from './settingsWriter';
import { shareServers } from './shareServers';
import { type OtherWay, SmartBox } from './smartBox';
import type { TrialPorts } from './tryServer';

/** The services of the window that setting up servers needs. */
interface SetupServices {
  trust: () => Trust;
  configuration: Configuration;
  files: SettingsFiles;
  ports: TrialPorts;
  documents: Parameters<typeof shareServers>[0];
  version: string;
  extensionUri: vscode.Uri;
}

/** A known source of a server: a text, or a file by its URI. */
interface GivenServer {
  text?: string;
  file?: string;
  /** The query of a link from outside the editor: it is shown in the box before anything else. */
  link?: string;
}

/** A web window runs no programs and reads no files of other hosts. */
const IN_BROWSER = String(process.platform) === 'web';
/** Programs that run a script. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
  '.py': 'python',
  '.sh': 'sh',
};
/** Files that are programs themselves. */
const PROGRAMS = new Set(['.exe', '.cmd', '.bat']);
const MAX_FILE_BYTES = 1024 * 1024;

/** Adds, imports and exports servers. In its own bundle. */
export class Setup {
  readonly #writer: SettingsWriter;
  readonly #list: ImportList;
  readonly commands: Pick<
    CommandHandlers,
    'addSelectedServer' | 'addServer' | 'exportServers' | 'importServers' | 'shareServers'
  > = {
    addSelectedServer: () => this.#addSelected(),
    addServer: given => this.#add(given),
    exportServers: () => exportServers(this.services.configuration),
    importServers: () => new ImportServers(this.#list).run(),
    shareServers: () => shareServers(this.services.documents),
  };

  constructor(private readonly services: SetupServices) {
    const { configuration, files, trust } = services;
    this.#writer = new SettingsWriter(configuration, files, trust);
    this.#list = new ImportList(this.#writer);
  }

  async #addSelected(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return this.#add();
    const { document, selections } = editor;
    const text = selections.map(selection => document.getText(selection)).join('\n');
    await this.#add({ text: text.trim() === '' ? document.getText() : text });
  }

  async #add(argument?: unknown): Promise<void> {
    // It may come from a menu or another extension, with anything.
    const { text, file, link } = Object(argument) as { readonly [K in keyof GivenServer]: unknown };
    const given = typeof file === 'string' ? await this.#fromFile(vscode.Uri.parse(file)) : text;
    const shown = typeof link === 'string' ? textOfLink(link) : given;
    const several = (drafts: ServerDraft[]) =>
      this.#list.choose([{ place: { host: t('Pasted'), inWorkspace: false }, path: t('text'), servers: drafts }]);
    const services = { several, others: () => this.#others() };
    const box = new SmartBox(services, typeof shown === 'string' ? shown : '', typeof given === 'string');
    const { ports, trust, version } = this.services;
    const commands = () => trust().inputCommands;
    const adding = new AddServer({ writer: this.#writer, commands, ports, version }, t('Add MCP Server'));
    await adding.run((title, take) => box.ask(title, take));
  }

  /** The text of a file that describes servers; for a script or a program, the command that runs it. */
  async #fromFile(uri: vscode.Uri): Promise<string> {
    const path = uri.fsPath;
    const [extension = ''] = /\.\w+$/.exec(path.toLowerCase()) ?? [];
    const interpreter = INTERPRETERS[extension];
    if (interpreter !== undefined) return `${interpreter} "${path}"`;
    if (PROGRAMS.has(extension)) return `"${path}"`;
    const text = await this.#read(uri).catch(error => {
      throw new Error(t('{0} could not be read: {1}', path, errorText(error, 200)));
    });
    if (readPasted(text).length === 0) throw new Error(t('{0} contains no MCP servers in a known format.', path));
    return text;
  }

  async #read(uri: vscode.Uri): Promise<string> {
    if (uri.scheme === 'file') return readBounded(uri.fsPath, MAX_FILE_BYTES);
    // What another extension serves under a scheme of its own is no file.
    const isThere = vscode.workspace.workspaceFolders?.some(folder => folder.uri.scheme === uri.scheme);
    if (!isThere) return '';
    return (await vscode.workspace.openTextDocument(uri)).getText();
  }

  #others(): OtherWay[] {
    if (IN_BROWSER) return [];
    return [
      {
        iconPath: new vscode.ThemeIcon('cloud-download'),
        label: t('Import from Other Hosts'),
        detail: t('VS Code, Claude, Copilot CLI, Cursor, Windsurf, Zed, Cline, Continue, or a file'),
        run: this.commands.importServers,
      },
      {
        iconPath: new vscode.ThemeIcon('new-file'),
        label: t('New Server'),
        detail: t('Write one yourself: a small server in TypeScript or Python, with a test'),
        run: () => newServer(this.#writer, this.services.extensionUri),
      },
      {
        iconPath: new vscode.ThemeIcon('beaker'),
        label: t('Demo Server'),
        detail: t('A project notebook to explore; nothing needs to be installed'),
        run: () => vscode.commands.executeCommand('mcpHost.addDemoServer'),
      },
    ];
  }
}
