import vscode = require('vscode');

import { applyEdits } from 'jsonc-parser';
import { rowText, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { parseInputs } from '../../host/settings';
import { type BundleSource, Bundles, type ChosenBundle, saveBundle } from '../bundles';
import { editSettings, findEntry, type SettingsFiles, settingPath, setValues } from '../settings';
import type { Trust } from '../trust';
import { fitName, type ServerDraft, type SettingsAddition } from './core/serverDraft';
import { addToSettings } from './core/settingsText';
import { askAboutLaunch, launchText } from './launchText';
import { type SettingsWriter, scopeName } from './settingsWriter';
import type { StepEnd } from './wizard';

interface BundleSetupServices {
  readonly bundles: ConstructorParameters<typeof Bundles>[0];
  readonly writer: SettingsWriter;
  readonly files: SettingsFiles;
  readonly trust: () => Trust;
}

/** Adds servers from bundles, and what else people do with these. Web windows have none. */
export class BundleSetup {
  readonly #bundles: Bundles;
  readonly save: (definition: ServerDefinition) => Promise<void> = saveBundle;

  constructor(private readonly services: BundleSetupServices) {
    this.#bundles = new Bundles(services.bundles);
  }

  /** The row of the box for the path or address of a bundle. */
  readonly row = (place: string) => ({
    iconPath: new vscode.ThemeIcon('archive'),
    label: t('Install an MCP bundle'),
    description: rowText(place, 120),
    detail: t('Nothing of it runs before you have seen what it is'),
  });

  /** Rows of the empty box. */
  rows(add: (uri: vscode.Uri) => Promise<void>) {
    return [
      {
        iconPath: new vscode.ThemeIcon('archive'),
        label: t('MCP Bundle'),
        detail: t('A file that has a server and all that it needs (.mcpb, .dxt)'),
        run: () => this.install(undefined, add),
      },
    ];
  }

  /** @param given the file in the Explorer; else the person is asked for one. */
  async install(given: unknown, add: (uri: vscode.Uri) => Promise<void>): Promise<void> {
    const uri = given instanceof vscode.Uri ? given : await askForBundle(t('Install an MCP bundle'));
    if (uri) await add(uri);
  }

  /** Puts a new version of its bundle in the place of a server of the person. */
  async update({ name }: ServerDefinition): Promise<void> {
    const uri = await askForBundle(t('Update "{0}" from a bundle', visible(name, 60)));
    if (!uri) return;
    try {
      await this.choose({ place: uri.fsPath, updates: name }, () => undefined);
    } finally {
      await this.tidy(false);
    }
  }

  /**
   * Has a bundle reviewed and unpacked. What comes of it is taken as a draft, for the review of any server, or put in the place of
   * an earlier version.
   */
  readonly choose = async (source: BundleSource, take: (draft: ServerDraft) => void): Promise<StepEnd> => {
    const chosen = await this.#bundles.choose(source, this.services.writer.existing('user'));
    if (!chosen) return undefined;
    if (chosen.replaces) {
      await this.#replace(chosen, chosen.replaces);
      return undefined;
    }
    const { name, entry, inputs, secrets } = chosen;
    take({ name: fitName(name), entry: { ...entry }, inputs, values: new Map(), notes: [], answers: secrets });
    return 'next';
  };

  /** Removes what was unpacked if no server came of it. */
  tidy(isAdded: boolean): Promise<void> {
    if (isAdded) this.#bundles.keep();
    return this.#bundles.tidy();
  }

  /** Removes the files of a bundle that no server uses any more. */
  remove(folder: string, former: string): Promise<void> {
    return this.#bundles.removeUnused(folder, former);
  }

  async #replace(chosen: ChosenBundle, earlier: NonNullable<ChosenBundle['replaces']>): Promise<void> {
    const { writer } = this.services;
    const { entry, inputs, secrets } = chosen;
    const { name } = earlier;
    const known = new Set(writer.existing('user').inputs.map(input => String(Object(input).id)));
    // What the person has added to the entry stays, such as its sandbox; what came of the earlier bundle does not.
    const { command: _command, args: _args, env: _env, ...own } = earlier.entry;
    const addition: SettingsAddition = {
      servers: { [name]: { ...entry, ...own } },
      inputs: inputs.filter(({ id }) => !known.has(id)),
      values: new Map(secrets),
    };
    const shown = writer.definitionsOf('user', addition);
    const update = t('Update');
    const question = t('Update the MCP server "{0}" and allow it to start?', visible(name, 60));
    const all = inputs.map(input => ({ ...input }));
    const text = launchText(shown, scopeName('user'), new Map(), all);
    if ((await askAboutLaunch(question, text, [update])) !== update) return;
    await this.#write(name, addition, shown);
    this.#bundles.keep();
    // In use until now; on Windows its files may still be.
    if (chosen.folder !== earlier.folder) await this.#bundles.removeUnused(earlier.folder, name).catch(() => undefined);
    await vscode.commands.executeCommand('mcpHost.servers.focus');
    void window.showInformationMessage(t('"{0}" was updated.', visible(name, 60)));
  }

  /** Puts an entry in the place of the one with its name, which the person has consented to as it was shown. */
  async #write(name: string, addition: SettingsAddition, shown: readonly ServerDefinition[]): Promise<void> {
    const { writer, files, trust } = this.services;
    const [definition] = writer.definitionsOf('user', addition);
    const existing = writer.existing('user');
    if (!Object.hasOwn(existing.servers, name) || definition?.fingerprint !== shown[0]?.fingerprint) {
      throw new Error(t('The settings changed while you were reading. Nothing was written. Try again.'));
    }
    const { consents, inputs } = trust();
    const review = definition && consents.review(definition);
    if (review) await consents.allow(review);
    const { inputs: parsed } = parseInputs([...existing.inputs, ...addition.inputs]);
    for (const [id, value] of addition.values) {
      const input = parsed.get(id);
      if (input) await inputs.store({ scope: 'user' }, input, value);
    }
    const change = await editSettings(files, { scope: 'user' }, (text, options) => {
      const edit = addToSettings(text, { servers: {}, inputs: addition.inputs }, options);
      const withInputs = edit && applyEdits(text, [edit]);
      if (withInputs === undefined || !findEntry(withInputs, name, options)) return undefined;
      const path = [...settingPath(withInputs, 'servers', options), name];
      return setValues(withInputs, [[path, addition.servers[name]]]);
    });
    if (change) return;
    // In a remote window the user's settings are no document.
    const settings = vscode.workspace.getConfiguration('mcpHost');
    const all = [...existing.inputs, ...addition.inputs];
    if (addition.inputs.length > 0) await settings.update('inputs', all, vscode.ConfigurationTarget.Global);
    const servers = { ...existing.servers, ...addition.servers };
    await settings.update('servers', servers, vscode.ConfigurationTarget.Global);
  }
}

async function askForBundle(title: string): Promise<vscode.Uri | undefined> {
  const filters = { [t('MCP bundles')]: ['mcpb', 'dxt'] };
  return (await vscode.window.showOpenDialog({ title, filters }))?.[0];
}
