import vscode = require('vscode');

import { lazy } from '../../base/events';
import { readBounded } from '../../base/files';
import { rowText } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { errorText, localized } from '../../editor/errorText';
import { openCurrent } from '../../editor/fileText';
import { settingValue } from '../../editor/settingValues';
import { t, window } from '../../editor/window';
import type { Configuration, SettingsFiles } from '../settings';
import type { AskedForm, FormAnswer } from '../tools';
import type { Trust } from '../trust';
import { type AddServices, addServer } from './addServer';
import { readPasted } from './core/hostDialects';
import type { ServerDraft } from './core/serverDraft';
import { isBundle, textOfLink } from './core/textMeanings';
import { BundleSetup, importHosts, newServer, RUNS_PROGRAMS, shareServers } from './desktop';
import { exportServers } from './exportServers';
import { Gallery } from './gallery';
import type { NewServerRules } from './galleryTexts';
import { addPasted, importServers } from './importServers';
import { SettingsWriter } from './settingsWriter';
import { type BoxRow, SmartBox } from './smartBox';
import type { TrialPorts } from './tryServer';
import { openWalkthrough } from './walkthrough';

interface SetupServices {
  trust: () => Trust;
  configuration: Configuration;
  files: SettingsFiles;
  ports: TrialPorts;
  sharing: Parameters<typeof shareServers>[0];
  version: string;
  reveal: AddServices['reveal'];
  extension: Pick<vscode.Extension<unknown>, 'id' | 'extensionUri'>;
  /** The extension's own storage. */
  storage: string;
  askForm: (form: AskedForm) => Promise<FormAnswer>;
  /** Reads the organization's rules. Undefined: there are none. */
  rules: () => Promise<NewServerRules | undefined>;
  /** Asks whether the page that a server calls its own may be opened. */
  openWebsite: (server: { name: string }, url: string) => Promise<void>;
}

/** A known source of a server: a text, or a file by its URI. */
interface GivenServer {
  text?: string;
  file?: string;
  /** The query of a link from outside the editor: it is shown in the box before anything else. */
  link?: string;
}

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

const DEMO = 'notebook';

export { listRegistry } from './core/registryListing';

/** Adds, imports and exports servers. In its own bundle. */
export class Setup {
  readonly #writer: SettingsWriter;
  readonly #gallery = lazy(
    () =>
      new Gallery({
        ...this.services,
        extensionUri: this.services.extension.extensionUri,
        writer: this.#writer,
        bundles: this.bundles,
        registry: () => this.#registry(),
        add: ask => this.#run(ask),
      }),
  );
  readonly bundles: BundleSetup;
  readonly commands: Pick<
    CommandHandlers,
    | 'addDemoServer'
    | 'addSelectedServer'
    | 'addServer'
    | 'browseServers'
    | 'exportServers'
    | 'importServers'
    | 'installBundle'
    | 'openWalkthrough'
    | 'shareServers'
  > = {
    addDemoServer: () => this.#addDemoServer(),
    addSelectedServer: () => this.#addSelected(),
    addServer: given => this.#add(given),
    browseServers: () => this.#gallery().open(),
    exportServers: () => exportServers(this.services.configuration),
    importServers: () => importServers(this.#adding, () => this.#addFile()),
    installBundle: given => this.#addFile(given),
    openWalkthrough: () => openWalkthrough(this.services.extension),
    shareServers: () => shareServers(this.services.sharing),
  };

  constructor(private readonly services: SetupServices) {
    const { configuration, files, trust, storage, askForm, ports } = services;
    this.#writer = new SettingsWriter(configuration, files, trust);
    this.bundles = new BundleSetup({ storage, askForm, shellPath: () => ports.shellPath() }, this.#writer);
  }

  dispose(): void {
    this.#gallery.loaded?.dispose();
  }

  async #addSelected(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return this.#add();
    const { document, selections } = editor;
    const text = selections.map(selection => document.getText(selection)).join('\n');
    await this.#add({ text: text.trim() === '' ? document.getText() : text });
  }

  /** @param given the file in the Explorer; else the person is asked for one. */
  async #addFile(given?: unknown): Promise<void> {
    const uri =
      given instanceof vscode.Uri ? given : (await vscode.window.showOpenDialog({ title: t('Add MCP Server') }))?.[0];
    if (uri) await this.#add({ file: uri.toString() });
  }

  async #add(argument?: unknown): Promise<void> {
    // It may come from a menu or another extension, with anything.
    const { text, file, link } = Object(argument) as { readonly [K in keyof GivenServer]: unknown };
    const given = typeof file === 'string' ? await this.#fromFile(vscode.Uri.parse(file)) : text;
    const shown = typeof link === 'string' ? textOfLink(link) : given;
    const hasRegistry = (await this.#registry()) !== undefined;
    const adding = { ...this.#adding, isLinked: typeof link === 'string' };
    const services = {
      several: (servers: ServerDraft[]) => addPasted(adding, servers),
      bundles: this.bundles,
      browse: hasRegistry ? (query: string) => this.#gallery().open(query) : undefined,
      others: RUNS_PROGRAMS ? this.#otherWays() : [],
    };
    const box = new SmartBox(services, typeof shown === 'string' ? shown : '', typeof given === 'string');
    await this.#run(() => box.ask(), adding);
  }

  /** The rows of the box that lead out of it: few enough to be seen whole. */
  #otherWays(): BoxRow[] {
    const row = (icon: string, label: BoxRow['label'], detail: BoxRow['detail'], run: () => unknown): BoxRow => ({
      iconPath: new vscode.ThemeIcon(icon),
      label,
      detail,
      act: async () => void (await run()),
    });
    const { addDemoServer, importServers } = this.commands;
    const { extensionUri } = this.services.extension;
    return [
      row(
        'folder-opened',
        t('Choose a File…'),
        t('An MCP bundle (.mcpb, .dxt), a script, or settings of any host'),
        () => this.#addFile(),
      ),
      row('cloud-download', t('Import from Other Hosts'), rowText(importHosts().join(', ')), importServers),
      row(
        'new-file',
        t('New Server'),
        t('Write one yourself: a small server in TypeScript or Python, with a test'),
        () => newServer(this.#writer, extensionUri),
      ),
      row('beaker', t('Demo Server'), t('A project notebook to explore; nothing needs to be installed'), addDemoServer),
    ];
  }

  async #run(ask: () => Promise<ServerDraft | undefined>, adding = this.#adding): Promise<void> {
    let isAdded = false;
    try {
      isAdded = await addServer(adding, ask);
    } finally {
      await this.bundles.tidy(isAdded);
    }
  }

  /**
   * Writes the demo server into the person's settings, where it works in each window, with notes of its own. It runs with the
   * editor's own Node, so nothing needs to be installed. Variables stand for paths that an update of the editor or of this
   * extension changes.
   */
  async #addDemoServer(): Promise<void> {
    if (!RUNS_PROGRAMS) {
      const message = t(
        'The demo server is a program, and web windows cannot run programs. Add it in a desktop window.',
      );
      return void window.showInformationMessage(message);
    }
    const entry = {
      command: '${execPath}',
      args: [`\${extensionInstallFolder:${this.services.extension.id}}/dist/demo-server.js`, '--own-notes'],
      env: { ELECTRON_RUN_AS_NODE: '1' },
    };
    const [definition] = this.#writer.definitionsOf('user', { servers: { [DEMO]: entry }, inputs: [] });
    const rules = await this.services.rules();
    const refusal = definition && rules?.refusalOf(definition);
    if (refusal) {
      const why = t('It would not start: {0}.', localized(refusal.reason));
      throw new Error(`${t('"{0}" cannot be added.', DEMO)} ${why} ${localized(refusal.remedy)}`);
    }
    const { servers } = this.#writer.existing('user');
    const settings = vscode.workspace.getConfiguration('mcpHost');
    await settings.update('servers', { ...servers, [DEMO]: entry }, vscode.ConfigurationTarget.Global);
    if (definition) await this.services.reveal(definition.id);
  }

  get #adding(): AddServices {
    const { ports, reveal, trust, version } = this.services;
    const { bundles } = this;
    const commands = () => trust().inputCommands;
    const takenBack = (name: string, entry: unknown) => bundles.takenBack(name, entry);
    return { writer: this.#writer, commands, ports, version, reveal, takenBack };
  }

  /** The registry that is searched: the organization's, if it names one, else that of settings. Undefined: none. */
  async #registry(): Promise<{ url: string; isRuled: boolean } | undefined> {
    const ruled = (await this.services.rules())?.registry;
    const url: unknown = ruled ?? settingValue('registry.url');
    if (typeof url !== 'string' || url.trim() === '') return undefined;
    return { url: url.trim(), isRuled: ruled !== undefined };
  }

  /** The text of a file that describes servers; for a script or a program, the command that runs it. */
  async #fromFile(uri: vscode.Uri): Promise<string> {
    const path = uri.fsPath;
    if (isBundle(path)) return `"${path}"`;
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
    return (await openCurrent(uri)).getText();
  }
}
