import vscode = require('vscode');

import { lazy } from '../../base/events';
import { readBounded } from '../../base/files';
import type { CommandHandlers } from '../../editor/commands';
import { errorText } from '../../editor/errorText';
import { t } from '../../editor/window';
import type { Configuration, SettingsFiles } from '../settings';
import type { AskedForm, FormAnswer } from '../tools';
import type { Trust } from '../trust';
import { AddServer } from './addServer';
import { readPasted } from './core/hostDialects';
import type { ServerDraft } from './core/serverDraft';
import { isBundle, textOfLink } from './core/textMeanings';
import { BundleSetup, newServer, shareServers } from './desktop';
import { exportServers } from './exportServers';
import { galleryOf } from './gallery';
import type { NewServerRules } from './galleryTexts';
import { ImportList, ImportServers } from './importServers';
import { otherWays } from './otherWays';
import { registryUrl } from './registrySearch';
import { SettingsWriter } from './settingsWriter';
import { SmartBox } from './smartBox';
import type { TrialPorts } from './tryServer';

/** The services of the window that setting up servers needs. */
interface SetupServices {
  trust: () => Trust;
  configuration: Configuration;
  files: SettingsFiles;
  ports: TrialPorts;
  sharing: Parameters<typeof shareServers>[0];
  version: string;
  extensionUri: vscode.Uri;
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

export { listRegistry } from './core/registryServer';

/** Adds, imports and exports servers. In its own bundle. */
export class Setup {
  readonly #writer: SettingsWriter;
  readonly #list: ImportList;
  readonly #gallery = lazy(() =>
    galleryOf({
      ...this.services,
      writer: this.#writer,
      bundles: this.bundles,
      registry: () => this.#registry(),
      add: ask => this.#run(ask),
    }),
  );
  readonly bundles: BundleSetup;
  readonly commands: Pick<
    CommandHandlers,
    | 'addSelectedServer'
    | 'addServer'
    | 'browseServers'
    | 'exportServers'
    | 'importServers'
    | 'installBundle'
    | 'shareServers'
  > = {
    addSelectedServer: () => this.#addSelected(),
    addServer: given => this.#add(given),
    browseServers: () => this.#gallery().open(),
    exportServers: () => exportServers(this.services.configuration),
    importServers: () => new ImportServers(this.#list).run(),
    installBundle: given => this.bundles.install(given, this.#addFile),
    shareServers: () => shareServers(this.services.sharing),
  };

  constructor(private readonly services: SetupServices) {
    const { configuration, files, trust } = services;
    this.#writer = new SettingsWriter(configuration, files, trust);
    this.#list = new ImportList(this.#writer);
    const { storage, askForm, ports } = services;
    const bundles = { storage, askForm, shellPath: () => ports.shellPath() };
    this.bundles = new BundleSetup({ bundles, writer: this.#writer, files, trust });
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

  readonly #addFile = (uri: vscode.Uri) => this.#add({ file: uri.toString() });

  async #add(argument?: unknown): Promise<void> {
    // It may come from a menu or another extension, with anything.
    const { text, file, link } = Object(argument) as { readonly [K in keyof GivenServer]: unknown };
    const given = typeof file === 'string' ? await this.#fromFile(vscode.Uri.parse(file)) : text;
    const shown = typeof link === 'string' ? textOfLink(link) : given;
    const several = (drafts: ServerDraft[]) =>
      this.#list.choose([{ place: { host: t('Pasted'), inWorkspace: false }, path: t('text'), servers: drafts }]);
    const registry = await this.#registry();
    const { bundles } = this;
    const others = () => [
      ...bundles.rows(this.#addFile),
      ...otherWays({ ...this.commands, newServer: () => newServer(this.#writer, this.services.extensionUri) }),
    ];
    const services = { several, bundles, others, registry: registry?.url };
    const box = new SmartBox(services, typeof shown === 'string' ? shown : '', typeof given === 'string');
    await this.#run((title, take) => box.ask(title, take));
  }

  async #run(ask: Parameters<AddServer['run']>[0]): Promise<void> {
    const { ports, trust, version } = this.services;
    const commands = () => trust().inputCommands;
    const adding = new AddServer({ writer: this.#writer, commands, ports, version }, t('Add MCP Server'));
    let isAdded = false;
    try {
      isAdded = (await adding.run(ask)) === 'next';
    } finally {
      await this.bundles.tidy(isAdded);
    }
  }

  /** The registry that is searched: the organization's, if it names one. */
  async #registry(): Promise<{ url: string; isRuled: boolean } | undefined> {
    const ruled = (await this.services.rules())?.registry;
    const url = ruled ?? registryUrl();
    return url === undefined ? undefined : { url, isRuled: ruled !== undefined };
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
    return (await vscode.workspace.openTextDocument(uri)).getText();
  }
}
