import { applyEdits } from 'jsonc-parser';
import { until } from '../../base/events';
import { isObject, mapTexts } from '../../base/json';
import { t, verbatim } from '../../editor/window';

import vscode = require('vscode');

import { resolveDefinitions } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import { parseInputs, parseServers } from '../../host/settings';
import { type Configuration, editSettings, type Rewrite, type SettingsFiles, updateSettings } from '../settings';
import { inputKey, type Trust } from '../trust';
import { type ExistingSettings, inputIdsIn, marked, type SettingsAddition } from './core/serverDraft';
import { addToSettings } from './core/settingsText';

/** The settings to which servers are added. */
export const SCOPES = ['user', 'workspace'] as const;
export type TargetScope = (typeof SCOPES)[number];

/** Whether there are workspace settings to which servers can be added. */
export const hasWorkspace = (): boolean =>
  vscode.workspace.isTrusted && (vscode.workspace.workspaceFolders?.length ?? 0) > 0;

export const scopeName = (scope: TargetScope): string =>
  scope === 'user' ? t('user settings') : t('workspace settings');

/** How long the editor may take to read a file that was saved. */
const READ_MS = 5_000;

/** Adds servers and inputs to settings, keeping the comments and formatting of the file. */
export class SettingsWriter {
  constructor(
    private readonly configuration: Configuration,
    private readonly files: SettingsFiles,
    private readonly trust: () => Trust,
  ) {}

  existing(scope: TargetScope): ExistingSettings {
    const settings = vscode.workspace.getConfiguration('mcpHost');
    const [servers, inputs] = [settings.inspect('servers'), settings.inspect('inputs')].map(found =>
      scope === 'user' ? found?.globalValue : found?.workspaceValue,
    );
    return { servers: isObject(servers) ? servers : {}, inputs: Array.isArray(inputs) ? inputs : [] };
  }

  /** The same, with the values of its inputs. Only for comparing them with what is to be added. */
  async existingWithValues(scope: TargetScope): Promise<ExistingSettings> {
    const existing = this.existing(scope);
    const definitions = this.definitionsOf(scope, { servers: existing.servers, inputs: [] });
    const { inputs } = this.trust();
    const values = await Promise.all(definitions.map(definition => inputs.valuesOf(definition)));
    return { ...existing, values: new Map(values.flatMap(of => [...of])) };
  }

  /** The definitions that an addition leads to, as read from settings. */
  definitionsOf(
    scope: TargetScope,
    { servers, inputs }: Pick<ExistingSettings, 'servers' | 'inputs'>,
  ): readonly ServerDefinition[] {
    const all = [...this.existing(scope).inputs, ...inputs];
    return resolveDefinitions([this.configuration.as(scope, servers, all)]).definitions;
  }

  /** The same for a review: variables that cannot be resolved yet, because a setting has no value, stay as they are. */
  reviewOf(scope: TargetScope, addition: SettingsAddition): readonly ServerDefinition[] {
    const { inputs } = parseInputs([...this.existing(scope).inputs, ...addition.inputs]);
    return this.definitionsOf(scope, addition).map(definition => {
      const [read] = parseServers({ [definition.name]: addition.servers[definition.name] }).servers;
      if (definition.reviewed || !read?.entry) return definition;
      const named = inputIdsIn(read.entry);
      const definitions = [...inputs.values()].filter(({ id }) => named.has(id));
      return { ...definition, reviewed: mapTexts(read.entry, marked), inputs: { definitions, places: [] } };
    });
  }

  /**
   * Writes an addition, after the person has consented to exactly these launches. Rejects if it would be a different one by
   * now, or if the file cannot be changed, and then leaves nothing behind.
   * @param shown what `definitionsOf` or `reviewOf` returned when the person was asked.
   * @param options whether its servers take the place of those of the same names.
   */
  async write(
    scope: TargetScope,
    addition: SettingsAddition,
    shown: readonly ServerDefinition[],
    { replaces = false } = {},
  ): Promise<void> {
    const definitions = this.definitionsOf(scope, addition);
    const { servers } = this.existing(scope);
    const isAsShown = Object.keys(addition.servers).every(name => Object.hasOwn(servers, name) === replaces);
    if (!isAsShown || launchesOf(definitions) !== launchesOf(shown)) {
      throw new Error(t('The settings changed while you were reading. Nothing was written. Try again.'));
    }
    const { consents, inputs } = this.trust();
    const rewrite: Rewrite = async (text, options, file) => {
      const edit = addToSettings(text, addition, options);
      if (!edit) {
        const path = file?.fsPath ?? 'settings.json';
        throw new Error(verbatim('The settings file {0} has errors. Correct them and try again.', path));
      }
      for (const definition of definitions) {
        const review = consents.review(definition);
        if (review) await consents.allow(review);
      }
      // Before the settings, so that the servers find them when they start.
      await this.#store(scope, addition);
      return applyEdits(text, [edit]);
    };
    try {
      const isEdited = (await this.#isInFile(scope)) && (await editSettings(this.files, { scope }, rewrite));
      if (!isEdited) await updateSettings(scope, rewrite);
    } catch (error) {
      await inputs.forget(new Set(addition.inputs.map(({ id }) => inputKey({ scope }, id))));
      throw error;
    }
    const isRead = () => Object.keys(addition.servers).every(name => Object.hasOwn(this.existing(scope).servers, name));
    await until(isRead, [vscode.workspace.onDidChangeConfiguration], { limitMs: READ_MS });
  }

  async #store(scope: TargetScope, { inputs, values }: SettingsAddition): Promise<void> {
    const { inputs: parsed } = parseInputs([...inputs]);
    for (const [id, value] of values) {
      const input = parsed.get(id);
      if (input) await this.trust().inputs.store({ scope }, input, value);
    }
  }

  /** Whether the file of a scope is known and contains something that must be kept. */
  async #isInFile(scope: TargetScope): Promise<boolean> {
    const { servers, inputs } = this.existing(scope);
    // The editor itself adds new entries to the user's settings, and keeps the comments around them.
    if (scope === 'user') return Object.keys(servers).length > 0 || inputs.length > 0;
    const uri = this.files.uriOf({ scope });
    return !uri || vscode.workspace.fs.stat(uri).then(Boolean, () => false);
  }
}

const launchesOf = (definitions: readonly ServerDefinition[]) =>
  JSON.stringify(definitions.map(({ id, fingerprint }) => [id, fingerprint]));
