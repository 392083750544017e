import vscode = require('vscode');

import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { type BundleSource, Bundles, type ChosenBundle, saveBundle } from '../bundles';
import { draftOf, type ServerDraft, type SettingsAddition } from './core/serverDraft';
import { askAboutLaunch, launchText } from './launchText';
import { type SettingsWriter, scopeName } from './settingsWriter';

/** Adds and updates servers from bundles, and what else people do with these. Web windows have none. */
export class BundleSetup {
  readonly #bundles: Bundles;
  readonly save: (definition: ServerDefinition) => Promise<void> = saveBundle;

  constructor(
    bundles: ConstructorParameters<typeof Bundles>[0],
    private readonly writer: SettingsWriter,
  ) {
    this.#bundles = new Bundles(bundles);
  }

  /** Has a bundle reviewed and unpacked: a draft for the review of any server, or in place of an earlier version. */
  async choose(source: BundleSource): Promise<ServerDraft | undefined> {
    const chosen = await this.#bundles.choose(source, this.writer.existing('user'));
    if (!chosen) return undefined;
    if (chosen.replaces) {
      await this.#replace(chosen, chosen.replaces);
      return undefined;
    }
    const { name, entry, inputs, secrets } = chosen;
    return draftOf({ ...entry }, name, { inputs, answers: secrets });
  }

  /** Removes what was unpacked if no server came of it. */
  tidy(isAdded: boolean): Promise<void> {
    if (isAdded) this.#bundles.keep();
    return this.#bundles.tidy();
  }

  /** Removes the files of a bundle that no server uses any more. */
  remove(folder: string, former: string): Promise<void> {
    return this.#bundles.removeUnused(folder, former);
  }

  /** Removes the files of the bundle that an entry ran, if it ran one: the entry was taken back. */
  async takenBack(name: string, entry: unknown): Promise<void> {
    const folder = this.#bundles.of(entry);
    if (folder !== undefined) await this.remove(folder, name);
  }

  async #replace(chosen: ChosenBundle, earlier: NonNullable<ChosenBundle['replaces']>): Promise<void> {
    const { writer } = this;
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
    if ((await askAboutLaunch({ question, text }, [update])) !== update) return;
    await writer.write('user', addition, shown, { replaces: true });
    this.#bundles.keep();
    // In use until now; on Windows its files may still be.
    if (chosen.folder !== earlier.folder) await this.#bundles.removeUnused(earlier.folder, name).catch(() => undefined);
    await vscode.commands.executeCommand('mcpHost.servers.focus');
    void window.showInformationMessage(t('"{0}" was updated.', visible(name, 60)));
  }
}
