import { applyEdits } from 'jsonc-parser';

import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import { localized, remedyText, summaryText } from '../../editor/errorText';
import { remedyTitle } from '../../editor/remedyTexts';
import { t, window } from '../../editor/window';
import type { Remedy } from '../../host';
import type { DefinitionSource, ServerDefinition } from '../../host/definition';
import { parseServers } from '../../host/settings';
import { askValue, mendEntry, mendsEntry, openInstallPage } from '../remedies';
import { askInput, type CommandConsents } from '../trust';
import { askPairs } from './askPairs';
import { secretsToInputs } from './core/missingValues';
import {
  type DraftInput,
  pairsOf,
  placementOf,
  planAddition,
  type ServerDraft,
  type SettingsAddition,
  withPairs,
} from './core/serverDraft';
import { askAboutLaunch, countsOf, launchText } from './launchText';
import { hasWorkspace, type SettingsWriter, scopeName, type TargetScope } from './settingsWriter';
import { type Trial, type TrialPorts, tryServer } from './tryServer';
import { askText, BACK, pickOne, runSteps, type StepEnd } from './wizard';

interface AddServices {
  writer: SettingsWriter;
  commands: () => CommandConsents;
  ports: TrialPorts;
  version: string;
}

/** "Edit" goes back to what was typed first, "Change…" to the first of the details. */
const EDIT = 0;
const CHANGE = 1;
const SCOPES = ['user', 'workspace'] as const;

/** The draft shown to the person: exactly this is tested and written. */
interface Reviewed {
  addition: SettingsAddition;
  definition: ServerDefinition;
  isToBeTested: boolean;
}

/**
 * Adds one server: has all of it reviewed, with a name and a target that fit it; the person may change these, and its
 * environment, from there. Only after that are inputs asked for, their commands run, and the server tested and written.
 */
export class AddServer {
  #base: ServerDraft | undefined;
  #name = '';
  #scope: TargetScope = 'user';
  /** The person wants to see the details: not only what is missing is asked. */
  #isChanging = false;
  readonly #pairs = new Map<string, string>();
  readonly #values = new Map<string, string>();
  #reviewed: Reviewed | undefined;

  constructor(
    private readonly services: AddServices,
    private readonly title: string,
  ) {}

  /**
   * Asks for everything that is needed, and writes the server.
   * @param how asks what is run or reached, and reports it with `take`.
   */
  run(how: (title: string, take: (draft: ServerDraft) => void) => Promise<StepEnd>): Promise<StepEnd> {
    return runSteps(
      [
        () => how(this.title, draft => this.#take(draft)),
        () => this.#onChange(() => this.#askName()),
        () => this.#onChange(() => this.#askScope()),
        () => this.#onChange(() => askPairs(this.title, this.#base!.entry, this.#pairs)),
        () => this.#review(),
        () => this.#askValues(),
        () => this.#finish(),
      ],
      true,
    );
  }

  #take(draft: ServerDraft): void {
    const textOf = (of: ServerDraft | undefined) => JSON.stringify([of?.entry, of?.inputs]);
    const isAnother = textOf(draft) !== textOf(this.#base);
    this.#base = draft;
    if (!isAnother) return;
    this.#isChanging = false;
    this.#name = '';
    // What names the open folder is of use only there.
    this.#scope = hasWorkspace() && /\$\{workspaceFolder\b/.test(JSON.stringify(draft.entry)) ? 'workspace' : 'user';
    this.#pairs.clear();
    this.#values.clear();
    for (const [id, value] of draft.answers ?? []) this.#values.set(id, value);
    for (const [name, value] of pairsOf(draft.entry)) this.#pairs.set(name, value);
  }

  async #onChange(ask: () => Promise<StepEnd>): Promise<StepEnd> {
    return this.#isChanging ? ask() : 'skip';
  }

  /** Gives it a name that no other server has. Returns the one under which it is in settings already, if it is. */
  async #findName(): Promise<string | undefined> {
    const { writer } = this.services;
    const draft = secretsToInputs(this.#base!, { byName: true });
    for (const scope of SCOPES) {
      const { kind, name } = placementOf(draft, await writer.existingWithValues(scope));
      if (kind !== 'there') continue;
      this.#scope = scope;
      return name;
    }
    const existing = SCOPES.map(scope => writer.existing(scope).servers);
    this.#name = placementOf(draft, { servers: Object.assign({}, ...existing) }).name;
    return undefined;
  }

  async #askName(): Promise<StepEnd> {
    const answer = await askText({
      title: this.title,
      prompt: t('Name of the server. It is shown wherever the server is, and its slash commands start with it.'),
      value: this.#name,
      canGoBack: true,
      problem: value => {
        const [parsed] = parseServers({ [value.trim()]: { command: 'x' } }).servers;
        const wrong = parsed?.problems.find(({ severity }) => severity === 'error');
        if (wrong) return localized(wrong.message);
        return SCOPES.filter(scope => Object.hasOwn(this.services.writer.existing(scope).servers, value.trim())).map(
          scope => t('Your {0} already contain a server with this name. Choose another name.', scopeName(scope)),
        )[0];
      },
    });
    if (answer === BACK) return 'back';
    if (answer === undefined) return undefined;
    this.#name = answer.trim();
    return 'next';
  }

  async #askScope(): Promise<StepEnd> {
    if (!hasWorkspace()) return 'skip';
    const items = [
      {
        label: t('Workspace Settings'),
        detail: t('In this workspace only, for everyone who shares this folder'),
        scope: 'workspace' as const,
      },
      { label: t('User Settings'), detail: t('Available in all windows'), scope: 'user' as const },
    ];
    const picked = await pickOne({
      title: this.title,
      placeholder: t('Save to'),
      items,
      canGoBack: true,
    });
    if (picked === BACK) return 'back';
    if (!picked) return undefined;
    this.#scope = picked.scope;
    return 'next';
  }

  /** Asks for inputs that have no value yet, such as those of a registry. */
  async #askValues(): Promise<StepEnd> {
    const { addition, definition } = this.#reviewed!;
    const asked = definition.inputs?.definitions.filter(({ id }) => !addition.values.has(id)) ?? [];
    const source: DefinitionSource = { scope: this.#scope };
    const brought = new Set(addition.inputs.map(({ id }) => id));
    for (const [index, input] of asked.entries()) {
      const step = { step: index + 1, totalSteps: asked.length };
      const isNew = brought.has(input.id);
      const value = await askInput({ input, source, isNew, servers: [this.#name], ...step }, this.services.commands());
      if (value === undefined) return undefined;
      this.#values.set(input.id, value);
      // An input that is in settings already keeps its value.
      addition.values.set(input.id, value);
    }
    return asked.length > 0 ? 'next' : 'skip';
  }

  /** Shows, before anything is asked for or run, everything in the entry and its inputs that would be. */
  async #review(): Promise<StepEnd> {
    const known = this.#name === '' ? await this.#findName() : undefined;
    if (known !== undefined) {
      const what = t('This server is already in your {0}, as "{1}".', scopeName(this.#scope), visible(known, 60));
      void window.showInformationMessage(what);
      return undefined;
    }
    const { addition, definition, brought } = this.#planned();
    const problem = definition?.problems.find(({ severity }) => severity === 'error');
    if (!definition?.entry) {
      const edit = t('Edit');
      const message = t('"{0}" cannot be added.', visible(this.#name, 60));
      const detail = localized(problem?.message ?? '');
      return (await window.showErrorMessage(message, { modal: true, detail }, edit)) === edit ? EDIT : undefined;
    }
    const [test, untested, change] = [t('Test and Add'), t('Add without Testing'), t('Change…')];
    const text = launchText([definition], scopeName(this.#scope), brought, addition.inputs);
    const question = t('Add the MCP server "{0}" and allow it to start?', visible(this.#name, 60));
    const answer = await askAboutLaunch(question, text, [test, untested], change);
    if (answer === change) {
      this.#isChanging = true;
      return CHANGE;
    }
    if (answer !== test && answer !== untested) return undefined;
    this.#reviewed = { addition, definition, isToBeTested: answer === test };
    return 'next';
  }

  async #finish(): Promise<StepEnd> {
    if (!this.#reviewed!.isToBeTested) return this.#add();
    for (;;) {
      const { addition, definition } = this.#reviewed!;
      const { ports, version } = this.services;
      const trial = await tryServer(definition, addition.values, ports, version);
      if (trial.kind === 'cancelled') return undefined;
      if (trial.kind === 'ready') return this.#add(t('The server responded and offers {0}.', countsOf(trial)));
      const next = await this.#askAboutFailure(trial);
      if (next === 'add') return this.#add();
      if (next !== 'again') return next === 'edit' ? EDIT : undefined;
    }
  }

  async #askAboutFailure(trial: Extract<Trial, { error: unknown }>): Promise<'again' | 'edit' | 'add' | undefined> {
    const { error, kind, remedies } = trial;
    const [again, edit, add] = [t('Try Again'), t('Edit'), t('Add Anyway')];
    const name = visible(this.#name, 60);
    const needsAuth = kind === 'needsAuth';
    const message = needsAuth ? t('"{0}" requires you to sign in.', name) : t('"{0}" could not be started.', name);
    // A trial has no log that the person could read.
    const isFree = !remedies.some(one => one.kind === 'runUnconfined');
    const remedy = error.code === 'EXITED' && isFree ? t('Check its arguments and environment.') : remedyText(error);
    const last = error.stderr(6);
    const detail = [
      needsAuth
        ? t('Add it, then choose "Sign In" on its row, or give it credentials in a header.')
        : summaryText(error),
      ...(!needsAuth && remedy ? [remedy] : []),
      ...(last.length > 0 ? [`${t('Last output:')}\n${last.map(line => visible(line, 160)).join('\n')}`] : []),
    ].join('\n\n');
    const wanted = remedies.find(one => mendsEntry(one) || one.kind === 'install' || one.kind === 'installUv');
    const mend = wanted && plain(remedyTitle(wanted, { name }));
    const others = needsAuth ? [add, edit, again] : [again, edit, add];
    const isFirst = wanted !== undefined && remedies[0] === wanted;
    const buttons = mend ? (isFirst ? [mend, ...others] : [others[0]!, mend, ...others.slice(1)]) : others;
    const answer = await window.showWarningMessage(message, { modal: true, detail }, ...buttons);
    if (wanted && answer === mend) {
      if (!mendsEntry(wanted)) return (await installed(wanted)) ? 'again' : undefined;
      return (await this.#mend(wanted)) ? 'again' : this.#askAboutFailure(trial);
    }
    return answer === again ? 'again' : answer === edit ? 'edit' : answer === add ? 'add' : undefined;
  }

  /** Does what mends the server, which is to be tested again then. What the button says is all that changes. */
  async #mend(remedy: Remedy): Promise<boolean> {
    const value = await askValue({ name: this.#name }, remedy);
    if (value === undefined) return false;
    const { addition, definition, isToBeTested } = this.#reviewed!;
    const { writer } = this.services;
    const before = writer.existing(this.#scope).inputs;
    const inputs = [...before, ...addition.inputs];
    const text = JSON.stringify({ 'mcpHost.servers': addition.servers, 'mcpHost.inputs': inputs });
    const mended = mendEntry(text, definition, { remedy, value }, {});
    if (!mended) return false;
    const after = JSON.parse(applyEdits(text, [mended.edit])) as {
      'mcpHost.servers': SettingsAddition['servers'];
      'mcpHost.inputs': DraftInput[];
    };
    const values = new Map(addition.values);
    if (mended.input && mended.value !== undefined) values.set(mended.input.id, mended.value);
    const changed: SettingsAddition = {
      servers: after['mcpHost.servers'],
      inputs: after['mcpHost.inputs'].slice(before.length),
      values,
    };
    const [next] = writer.definitionsOf(this.#scope, changed);
    if (!next?.entry) return false;
    this.#reviewed = { addition: changed, definition: next, isToBeTested };
    return true;
  }

  async #add(tested = ''): Promise<StepEnd> {
    const { addition, definition } = this.#reviewed!;
    await this.services.writer.write(this.#scope, addition, [definition]);
    await vscode.commands.executeCommand('mcpHost.servers.focus');
    const what = t('"{0}" was added to your {1}.', visible(this.#name, 60), scopeName(this.#scope));
    void window.showInformationMessage(plain(`${what} ${tested}`.trim()));
    return 'next';
  }

  /** The server with all answers so far. */
  #planned() {
    const { writer } = this.services;
    const base = this.#base!;
    const entry = withPairs(base.entry, this.#pairs);
    const draft = secretsToInputs({ ...base, name: this.#name, entry }, { byName: true });
    const existing = writer.existing(this.#scope);
    const addition = planAddition([draft], existing);
    // What the person entered remains a reference in what is shown.
    const brought = new Map(addition.values);
    // A second round can reuse the answers of the first.
    for (const { id } of addition.inputs) {
      const value = this.#values.get(id);
      if (value !== undefined) addition.values.set(id, value);
    }
    const [definition] = writer.definitionsOf(this.#scope, addition);
    return { addition, definition, brought };
  }
}

/** Shows how what the server needs is installed. Not a dialog, as the person goes there; resolves with whether to try again. */
async function installed(remedy: Remedy): Promise<boolean> {
  if (remedy.kind === 'install') await openInstallPage(remedy.runtime);
  else await vscode.commands.executeCommand('mcpHost.installUv');
  const again = t('Try Again');
  return (await window.showInformationMessage(t('When it is installed, try again.'), again)) === again;
}
