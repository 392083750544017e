import { applyEdits } from 'jsonc-parser';

import vscode = require('vscode');

import { type HostError, withOneStop } from '../../base/errors';
import { plain, visible } from '../../base/text';
import { localized, reasonText, remedyText } from '../../editor/errorText';
import { remedyTitle } from '../../editor/remedyTexts';
import { t, window } from '../../editor/window';
import { type Remedy, type ServerConnection, untilSettled } from '../../host';
import type { ServerDefinition, ServerId } from '../../host/definition';
import { askValue, mendEntry, mendsEntry, openInstallPage } from '../remedies';
import { offerUndo } from '../settings';
import type { CommandConsents } from '../trust';
import { askChanges, type Changes } from './askChanges';
import { askValues } from './askValues';
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
import { type Trial, type TrialPorts, tryServers } from './tryServer';

export interface AddServices {
  writer: SettingsWriter;
  /** Shows the row of a server that was just written, and selects it. */
  reveal: (id: ServerId) => Promise<ServerConnection | undefined>;
  /** The entry of a server was taken back: what was installed for it goes, too. */
  takenBack: (name: string, entry: unknown) => Promise<void>;
  commands: () => CommandConsents;
  ports: TrialPorts;
  version: string;
  /** Whether a link outside of the editor has led here. */
  isLinked?: boolean;
}

/** Failures of what the person typed. */
const OF_TEXT = new Set<HostError['code']>([
  'COMMAND_NOT_FOUND',
  'FOLDER_NOT_FOUND',
  'PACKAGE_NOT_FOUND',
  'SCRIPT_NOT_FOUND',
  'SPAWN_FAILED',
]);

const sentence = (reason: string) => reason.replace(/^\p{Ll}/u, letter => letter.toUpperCase());

/** How long a server that was just added may take until it asks for its sign-in. */
const STARTED_MS = 30_000;

/** The draft shown to the person: exactly this is tested and written. */
interface ReviewedDraft {
  addition: SettingsAddition;
  definition: ServerDefinition;
}

/** `edit`: the person wants to change what they typed. Undefined: cancelled. */
type End = 'added' | 'edit' | undefined;

/** Asks for a server until the person has one to add, and adds it. @returns whether it was added. */
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
      const { isLinked } = this.services;
      const answer = await askAboutLaunch({ question, text, isLinked }, [test, untested], change);
      if (answer === change) {
        this.#chosen = await askChanges(this.draft.entry, this.#chosen, this.services.writer);
        continue;
      }
      if (answer !== test && answer !== untested) return undefined;
      const reviewed = { addition, definition };
      if (!(await askValues(this.services, this.#chosen.scope, addition, [definition]))) return undefined;
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

  async #test(first: ReviewedDraft): Promise<End> {
    let reviewed = first;
    for (;;) {
      const { ports, version } = this.services;
      const trials = await tryServers([reviewed.definition], reviewed.addition.values, ports, version);
      const [trial] = trials ?? [];
      if (!trial) return undefined;
      if (trial.kind === 'ready')
        return this.#write(reviewed, { tested: t('The server responded and offers {0}.', countsOf(trial)) });
      const next = await this.#askAboutFailure(trial, reviewed);
      if (next === 'add') return this.#write(reviewed);
      if (next === 'signIn') return this.#write(reviewed, { signIn: true });
      if (typeof next !== 'object') return next;
      reviewed = next;
    }
  }

  /** @returns what is to be tested next, if it is. */
  async #askAboutFailure(
    trial: Extract<Trial, { error: unknown }>,
    reviewed: ReviewedDraft,
  ): Promise<ReviewedDraft | 'add' | 'edit' | 'signIn' | undefined> {
    const { error, kind, remedies } = trial;
    const [again, edit, add, signIn] = [t('Try Again'), t('Edit'), t('Add Anyway'), t('Add and Sign In')];
    const name = this.#shownName;
    const needsAuth = kind === 'needsAuth';
    const isProgram = reviewed.definition.entry?.type === 'stdio';
    const failure = isProgram ? t('"{0}" could not be started.', name) : t('Could not connect to "{0}".', name);
    const message = needsAuth ? t('"{0}" requires you to sign in.', name) : failure;
    const isMistyped = OF_TEXT.has(error.code);
    // It is not in settings yet.
    const remedy = isMistyped
      ? t('Edit what you entered, or install what it needs, then test it again.')
      : remedyText(error);
    const last = error.stderr(6);
    const detail = [
      needsAuth
        ? t('Signing in opens your browser. You can also give it a token in a header.')
        : withOneStop(`${sentence(reasonText(error))}.`),
      ...(!needsAuth && remedy ? [remedy] : []),
      ...(last.length > 0 ? [`${t('Last output:')}\n${last.map(line => visible(line, 160)).join('\n')}`] : []),
    ].join('\n\n');
    const wanted = remedies.find(one => mendsEntry(one) || one.kind === 'install' || one.kind === 'installUv');
    const mend = wanted && plain(remedyTitle(wanted, { name }));
    // Three at most beside Cancel. Edit leads back to a test, as does what mends it.
    const isFirst = wanted !== undefined && remedies[0] === wanted;
    const inOrder = needsAuth
      ? [signIn, mend, edit]
      : [...(isFirst ? [] : [isMistyped && !wanted ? edit : again]), mend, edit, ...(isMistyped ? [again] : []), add];
    const buttons = [...new Set(inOrder)].filter(button => button !== undefined).slice(0, 3);
    const answer = await window.showWarningMessage(message, { modal: true, detail }, ...buttons);
    if (wanted && answer === mend) {
      if (!mendsEntry(wanted)) return (await installed(wanted)) ? reviewed : undefined;
      return (await this.#mended(wanted, reviewed)) ?? this.#askAboutFailure(trial, reviewed);
    }
    if (answer === again) return reviewed;
    if (answer === edit) return 'edit';
    if (answer === add) return 'add';
    return answer === signIn ? 'signIn' : undefined;
  }

  /** The server with a remedy applied: what the button says is all that changes. */
  async #mended(remedy: Remedy, { addition, definition }: ReviewedDraft): Promise<ReviewedDraft | undefined> {
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

  async #write({ addition, definition }: ReviewedDraft, { tested = '', signIn = false } = {}): Promise<End> {
    const { scope } = this.#chosen;
    const { writer, reveal, takenBack } = this.services;
    const undo = await writer.write(scope, addition, [definition]);
    const { id, name } = definition;
    const server = await reveal(id);
    const what = t('"{0}" was added to your {1}.', this.#shownName, scopeName(scope));
    const takeBack = async () => {
      const isUndone = await undo();
      if (isUndone) await takenBack(name, addition.servers[name]);
      return isUndone;
    };
    void offerUndo(plain(`${what} ${tested}`.trim()), takeBack, () => reveal(id));
    if (signIn && server) {
      await untilSettled(server, STARTED_MS, undefined);
      await vscode.commands.executeCommand('mcpHost.signIn', { server });
    }
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
