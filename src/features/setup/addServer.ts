import { applyEdits } from 'jsonc-parser';

import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import { localized, remedyText, summaryText } from '../../editor/errorText';
import { remedyTitle } from '../../editor/remedyTexts';
import { t, window } from '../../editor/window';
import type { Remedy } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import { askValue, mendEntry, mendsEntry, openInstallPage } from '../remedies';
import { askInput, type CommandConsents } from '../trust';
import { askChanges, type Changes } from './askChanges';
import { secretsToInputs } from './core/missingValues';
import { hasEnv, withVariableNames } from './core/projectServers';
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
import { hasWorkspace, SCOPES, type SettingsWriter, scopeName } from './settingsWriter';
import { type Trial, type TrialPorts, tryServer } from './tryServer';

interface AddServices {
  writer: SettingsWriter;
  commands: () => CommandConsents;
  ports: TrialPorts;
  version: string;
}

/** The draft shown to the person: exactly this is tested and written. */
interface Reviewed {
  addition: SettingsAddition;
  definition: ServerDefinition;
}

/** `edit`: the person wants to change what they typed. Undefined: cancelled. */
type End = 'added' | 'edit' | undefined;

/**
 * Asks for a server until the person has one to add, and adds it.
 * @returns whether it was added.
 */
export async function addServer(services: AddServices, ask: () => Promise<ServerDraft | undefined>): Promise<boolean> {
  for (;;) {
    const draft = await ask();
    const name = draft && (await freeName(services, draft));
    const end = name === undefined ? undefined : await new Adding(services, draft!, name).review();
    if (end !== 'edit') return end === 'added';
  }
}

/** A free name for the draft; undefined if settings have this server already, which a message then says. */
async function freeName({ writer }: AddServices, brought: ServerDraft): Promise<string | undefined> {
  const draft = secretsToInputs(brought, { byName: true });
  for (const scope of SCOPES) {
    const { kind, name } = placementOf(draft, await writer.existingWithValues(scope));
    if (kind !== 'there') continue;
    const what = t('This server is already in your {0}, as "{1}".', scopeName(scope), visible(name, 60));
    void window.showInformationMessage(what);
    return undefined;
  }
  const existing = SCOPES.map(scope => writer.existing(scope).servers);
  return placementOf(draft, { servers: Object.assign({}, ...existing) }).name;
}

/**
 * Adds one server: has all of it reviewed, with a name and a target that fit it, which the person may change there. Only after
 * that are inputs asked for, their commands run, and the server tested and written.
 */
class Adding {
  #chosen: Changes;

  constructor(
    private readonly services: AddServices,
    private readonly draft: ServerDraft,
    name: string,
  ) {
    // What names the open folder is of use only there.
    const isOfFolder = hasWorkspace() && /\$\{workspace(Folder|Root)\b/.test(JSON.stringify(draft.entry));
    const { writer } = services;
    const hasFile = Object.keys(writer.existing('project').servers).length > 0;
    this.#chosen = {
      name,
      scope: !isOfFolder ? 'user' : hasFile ? 'project' : 'workspace',
      pairs: pairsOf(draft.entry),
    };
  }

  get #shownName(): string {
    return visible(this.#chosen.name, 60);
  }

  /** Shows, before anything is asked for or run, everything in the entry and its inputs that would be. */
  async review(): Promise<End> {
    for (;;) {
      const { addition, definition, brought } = this.#planned();
      if (!definition?.entry) {
        const problem = definition?.problems.find(({ severity }) => severity === 'error');
        const edit = t('Edit');
        const detail = localized(problem?.message ?? '');
        const message = t('"{0}" cannot be added.', this.#shownName);
        return (await window.showErrorMessage(message, { modal: true, detail }, edit)) === edit ? 'edit' : undefined;
      }
      const [test, untested, change] = [t('Test and Add'), t('Add without Testing'), t('Change…')];
      const text = launchText([definition], scopeName(this.#chosen.scope), brought, addition.inputs);
      const question = t('Add the MCP server "{0}" and allow it to start?', this.#shownName);
      const answer = await askAboutLaunch(question, text, [test, untested], change);
      if (answer === change) {
        this.#chosen = await askChanges(this.draft.entry, this.#chosen, this.services.writer);
        continue;
      }
      if (answer !== test && answer !== untested) return undefined;
      const reviewed = { addition, definition };
      if (!(await this.#askValues(reviewed))) return undefined;
      return answer === test ? this.#test(reviewed) : this.#write(reviewed);
    }
  }

  /** The server with what was changed in it. */
  #planned() {
    const { writer } = this.services;
    const { name, scope, pairs } = this.#chosen;
    const entry = withPairs(this.draft.entry, pairs);
    const draft = secretsToInputs({ ...this.draft, name, entry }, { byName: true });
    const existing = writer.existing(scope);
    const planned = planAddition([draft], existing);
    const taken = new Set(existing.inputs.map(input => (input as DraftInput).id));
    const addition = scope === 'project' ? withVariableNames(planned, id => taken.has(id) || hasEnv(id)) : planned;
    // What the person entered remains a reference in what is shown.
    const brought = new Map(addition.values);
    for (const [index, { id }] of addition.inputs.entries()) {
      const value = this.draft.answers?.get(planned.inputs[index]!.id);
      if (value !== undefined) addition.values.set(id, value);
    }
    const [definition] = writer.definitionsOf(scope, addition);
    return { addition, definition, brought };
  }

  /** Asks for inputs that have no value yet, such as those of a registry. False: cancelled. */
  async #askValues({ addition, definition }: Reviewed): Promise<boolean> {
    const asked = definition.inputs?.definitions.filter(({ id }) => !addition.values.has(id)) ?? [];
    const { name, scope } = this.#chosen;
    const brought = new Set(addition.inputs.map(({ id }) => id));
    for (const [index, input] of asked.entries()) {
      const step = { step: index + 1, totalSteps: asked.length };
      const isNew = brought.has(input.id);
      const asking = { input, source: this.services.writer.sourceOf(scope), isNew, servers: [name], ...step };
      const value = await askInput(asking, this.services.commands());
      if (value === undefined) return false;
      // An input that is in settings already keeps its value.
      addition.values.set(input.id, value);
    }
    return true;
  }

  async #test(first: Reviewed): Promise<End> {
    let reviewed = first;
    for (;;) {
      const { ports, version } = this.services;
      const trial = await tryServer(reviewed.definition, reviewed.addition.values, ports, version);
      if (trial.kind === 'cancelled') return undefined;
      if (trial.kind === 'ready')
        return this.#write(reviewed, t('The server responded and offers {0}.', countsOf(trial)));
      const next = await this.#askAboutFailure(trial, reviewed);
      if (next === 'add') return this.#write(reviewed);
      if (typeof next !== 'object') return next;
      reviewed = next;
    }
  }

  /** @returns what is to be tested next, if it is. */
  async #askAboutFailure(
    trial: Extract<Trial, { error: unknown }>,
    reviewed: Reviewed,
  ): Promise<Reviewed | 'add' | 'edit' | undefined> {
    const { error, kind, remedies } = trial;
    const [again, edit, add] = [t('Try Again'), t('Edit'), t('Add Anyway')];
    const name = this.#shownName;
    const needsAuth = kind === 'needsAuth';
    const isProgram = reviewed.definition.entry?.type === 'stdio';
    const message = needsAuth
      ? t('"{0}" requires you to sign in.', name)
      : isProgram
        ? t('"{0}" could not be started.', name)
        : t('Could not connect to "{0}".', name);
    const remedy = remedyText(error);
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
      if (!mendsEntry(wanted)) return (await installed(wanted)) ? reviewed : undefined;
      return (await this.#mended(wanted, reviewed)) ?? this.#askAboutFailure(trial, reviewed);
    }
    return answer === again ? reviewed : answer === edit ? 'edit' : answer === add ? 'add' : undefined;
  }

  /** The server with a remedy applied: what the button says is all that changes. */
  async #mended(remedy: Remedy, { addition, definition }: Reviewed): Promise<Reviewed | undefined> {
    const { name, scope } = this.#chosen;
    const value = await askValue({ name }, remedy);
    if (value === undefined) return undefined;
    const { writer } = this.services;
    const before = writer.existing(scope).inputs;
    const inputs = [...before, ...addition.inputs];
    const text = JSON.stringify({ 'mcpHost.servers': addition.servers, 'mcpHost.inputs': inputs });
    const mended = mendEntry(text, definition, { remedy, value }, {});
    if (!mended) return undefined;
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
    const [next] = writer.definitionsOf(scope, changed);
    return next?.entry && { addition: changed, definition: next };
  }

  async #write({ addition, definition }: Reviewed, tested = ''): Promise<End> {
    const { scope } = this.#chosen;
    await this.services.writer.write(scope, addition, [definition]);
    await vscode.commands.executeCommand('mcpHost.servers.focus');
    const what = t('"{0}" was added to your {1}.', this.#shownName, scopeName(scope));
    void window.showInformationMessage(plain(`${what} ${tested}`.trim()));
    return 'added';
  }
}

/** Shows how what the server needs is installed. Not a dialog, as the person goes there; resolves with whether to try again. */
async function installed(remedy: Remedy): Promise<boolean> {
  if (remedy.kind === 'install') await openInstallPage(remedy.runtime);
  else await vscode.commands.executeCommand('mcpHost.installUv');
  const again = t('Try Again');
  return (await window.showInformationMessage(t('When it is installed, try again.'), again)) === again;
}
