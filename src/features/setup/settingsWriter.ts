import { applyEdits } from 'jsonc-parser';
import { until } from '../../base/events';
import { isObject, mapTexts } from '../../base/json';
import { type PlainText, plain } from '../../base/text';
import { textAt } from '../../editor/fileText';
import { t, verbatim } from '../../editor/window';

import vscode = require('vscode');

import { resolveDefinitions } from '../../host';
import type { DefinitionSource, ServerDefinition } from '../../host/definition';
import { parseInputs, parseServers } from '../../host/settings';
import {
  type Configuration,
  editSettings,
  type Rewrite,
  type SettingsFiles,
  type Undo,
  updateSettings,
} from '../settings';
import type { Trust } from '../trust';
import { projectEntries, projectServers } from './core/projectServers';
import { type ExistingSettings, inputIdsIn, marked, type SettingsAddition } from './core/serverDraft';
import { addToSettings } from './core/settingsText';

/** The files to which servers are added. `project`: the `.mcp.json` of the first folder. */
export const SCOPES = ['user', 'project', 'workspace'] as const;
export type TargetScope = (typeof SCOPES)[number];

/** Whether there are workspace settings to which servers can be added. */
export const hasWorkspace = (): boolean =>
  vscode.workspace.isTrusted && (vscode.workspace.workspaceFolders?.length ?? 0) > 0;

/** The name of a scope behind "your". */
export const scopeName = (scope: TargetScope): PlainText =>
  ({ user: t('user settings'), project: plain('.mcp.json'), workspace: t('workspace settings') })[scope];

/** How long the editor may take to read a file that was saved. */
const READ_MS = 5_000;

/** Adds servers and inputs to settings, keeping the comments and formatting of the file. */
export class SettingsWriter {
  constructor(
    private readonly configuration: Configuration,
    private readonly files: SettingsFiles,
    private readonly trust: () => Trust,
  ) {}

  /** Whether servers can be added to it here. */
  has(scope: TargetScope): boolean {
    return scope === 'user' || (hasWorkspace() && (scope === 'workspace' || this.configuration.project !== undefined));
  }

  /** Of what stands in it. */
  sourceOf(scope: TargetScope): DefinitionSource {
    if (scope !== 'project') return { scope };
    return this.configuration.asProject(this.#project, {}, []).source;
  }

  existing(scope: TargetScope): ExistingSettings {
    if (scope === 'project') {
      const { value: servers = {}, inputs = [] } = this.configuration.project?.servers ?? {};
      return { servers, inputs };
    }
    const settings = vscode.workspace.getConfiguration('mcpHost');
    const [servers, inputs] = [settings.inspect('servers'), settings.inspect('inputs')].map(found =>
      scope === 'user' ? found?.globalValue : found?.workspaceValue,
    );
    return { servers: isObject(servers) ? servers : {}, inputs: Array.isArray(inputs) ? inputs : [] };
  }

  /** The servers and inputs of a scope, with the values of inputs. Only for comparing them with what is to be added. */
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
    if (scope === 'project') {
      // As the file will be read.
      const { value, inputs } = this.#inProject(servers);
      return resolveDefinitions([this.configuration.asProject(this.#project, value, inputs)]).definitions;
    }
    const all = [...this.existing(scope).inputs, ...inputs];
    return resolveDefinitions([this.configuration.as(scope, servers, all)]).definitions;
  }

  /** Definitions of what is to be added, for a review: variables whose setting has no value yet stay as they are. */
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
   * @returns what takes it back, with the values of its inputs.
   */
  async write(
    scope: TargetScope,
    addition: SettingsAddition,
    shown: readonly ServerDefinition[],
    { replaces = false } = {},
  ): Promise<Undo> {
    const definitions = this.definitionsOf(scope, addition);
    const source = this.sourceOf(scope);
    const { servers } = this.existing(scope);
    const isAsShown = Object.keys(addition.servers).every(name => Object.hasOwn(servers, name) === replaces);
    if (!isAsShown || launchesOf(definitions) !== launchesOf(shown)) {
      throw new Error(t('The settings changed while you were reading. Nothing was written. Try again.'));
    }
    const { consents, inputs } = this.trust();
    const rewrite: Rewrite = async (text, options, file) => {
      const isProject = scope === 'project';
      const written = isProject ? { servers: projectEntries(addition.servers), inputs: [] } : addition;
      const edit = addToSettings(text, written, { ...options, projectFile: isProject });
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
    const forget = () => inputs.forget(new Set(addition.inputs.map(({ id }) => inputs.keyOf(source, id))));
    let undo: Undo | undefined;
    try {
      undo = (await this.#isInFile(scope)) ? await editSettings(this.files, source, rewrite) : undefined;
      undo ??= scope === 'project' ? await this.#create(rewrite) : await updateSettings(scope, rewrite);
    } catch (error) {
      await forget();
      throw error;
    }
    const isRead = () => Object.keys(addition.servers).every(name => Object.hasOwn(this.existing(scope).servers, name));
    await until(isRead, [this.configuration.onDidChange], { limitMs: READ_MS });
    return async () => {
      const isUndone = (await undo?.()) ?? false;
      if (isUndone) await forget();
      return isUndone;
    };
  }

  async #store(scope: TargetScope, { inputs, servers, values }: SettingsAddition): Promise<void> {
    const { inputs: parsed } = parseInputs([...(scope === 'project' ? this.#inProject(servers).inputs : inputs)]);
    for (const [id, value] of values) {
      const input = parsed.get(id);
      if (input) await this.trust().inputs.store(this.sourceOf(scope), input, value);
    }
  }

  get #project() {
    return this.configuration.project ?? failed('There is no folder for a .mcp.json.');
  }

  #inProject(servers: ExistingSettings['servers']) {
    const text = JSON.stringify({ mcpServers: projectEntries(servers as SettingsAddition['servers']) });
    return projectServers(text) ?? failed('What was written could not be read.');
  }

  async #create(rewrite: Rewrite): Promise<Undo | undefined> {
    const { uri } = this.#project;
    const text = await rewrite('{\n  "mcpServers": {}\n}\n', {}, uri);
    if (text === undefined) return undefined;
    const { fs } = vscode.workspace;
    await fs.writeFile(uri, Buffer.from(text));
    return async () => {
      const isAsWritten = (await textAt(uri)) === text;
      if (isAsWritten) await fs.delete(uri);
      return isAsWritten;
    };
  }

  /** Whether the file of a scope is known and contains something that must be kept. */
  async #isInFile(scope: TargetScope): Promise<boolean> {
    const { servers, inputs } = this.existing(scope);
    // The editor itself adds new entries to the user's settings, and keeps the comments around them.
    if (scope === 'user') return Object.keys(servers).length > 0 || inputs.length > 0;
    const uri = this.files.uriOf(this.sourceOf(scope));
    if (scope === 'project' && uri) return vscode.workspace.fs.stat(uri).then(Boolean, () => false);
    return !uri || vscode.workspace.fs.stat(uri).then(Boolean, () => false);
  }
}

const launchesOf = (definitions: readonly ServerDefinition[]) =>
  JSON.stringify(definitions.map(({ id, fingerprint }) => [id, fingerprint]));

function failed(text: string): never {
  throw new Error(text);
}
