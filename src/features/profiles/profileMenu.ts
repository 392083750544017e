import vscode = require('vscode');

import { matches, type PlainText, plainMarkdown, rowText, visible, withoutIcons } from '../../base/text';
import { themeIcon } from '../../editor/stateText';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { isFor } from '../../host/catalog';
import { findProfile, includesTool, LEAVE, type Profile } from './core/readProfiles';
import type { OfferedTools } from './offeredTools';
import { originText, type ProfileSwitch, type Profiles } from './profiles';

interface Row extends PlainRow {
  readonly run?: () => unknown;
}

/** A model and a mode of chat that fit a profile, as `workbench.action.chat.open` takes them. */
interface Hint {
  readonly mode?: string;
  readonly modelSelector?: { readonly id: string; readonly vendor: string };
}

const MAX_BUTTONS = 12;

/** Lets a person switch profiles: from a list, or by name in chat. */
export class ProfileMenu {
  constructor(
    private readonly servers: ServerSet,
    private readonly profiles: () => Profiles,
    private readonly offered: Pick<OfferedTools, 'includes'>,
  ) {}

  /** The command. @param argument the name of a profile, where it was chosen already. */
  async switch(argument: unknown): Promise<void> {
    const { all, active } = this.profiles();
    const named = typeof argument === 'string' ? argument : undefined;
    if (named !== undefined) {
      const found = named === LEAVE ? undefined : findProfile(all, named);
      if (found || named === LEAVE) await this.#use(found);
      return;
    }
    const leave: Row[] = active
      ? [
          {
            iconPath: themeIcon('blank'),
            label: t('Leave the profile "{0}"', active.name),
            run: () => this.#use(undefined),
          },
        ]
      : [];
    const rows = [
      ...all.map(profile => this.#row(profile)),
      ...leave,
      { label: '' as const, kind: vscode.QuickPickItemKind.Separator },
      { iconPath: themeIcon('edit'), label: t('Edit Profiles in Settings…'), run: editProfiles },
    ];
    const placeHolder =
      all.length > 0 ? t('Select what models are offered in this workspace') : t('There are no profiles yet.');
    const chosen = await window.showQuickPick<Row>(rows, { title: t('MCP Profile'), placeHolder });
    await chosen?.run?.();
  }

  async answer(typed: string, stream: vscode.ChatResponseStream): Promise<void> {
    const { all, active } = this.profiles();
    const name = typed.trim();
    if (name === LEAVE) {
      const left = await this.profiles().use(undefined);
      const text = active ? t('The profile "{0}" was left.', active.name) : t('No profile is in use.');
      tell(stream, [text, ...serverLines(left), this.#countLine()]);
      return;
    }
    const found = findProfile(all, name);
    if (found) {
      const switched = await this.profiles().use(found);
      const from = t('The profile "{0}" from {1} is in use.', found.name, originText(found));
      const hint = await hintFor(found);
      tell(stream, [from, found.description ?? '', this.#countLine(), ...serverLines(switched), hint?.text ?? '']);
      if (hint?.open)
        stream.button({
          command: 'workbench.action.chat.open',
          title: t('Open Chat as Suggested'),
          arguments: [hint.open],
        });
      stream.button({ command: 'mcpHost.switchProfile', title: t('Leave the Profile'), arguments: [LEAVE] });
      return;
    }
    const lines = [
      name !== '' && t('There is no profile "{0}".', visible(name, 80)),
      active ? t('The profile "{0}" from {1} is in use.', active.name, originText(active)) : t('No profile is in use.'),
      all.length === 0 && t('The setting "mcpHost.profiles" defines profiles.'),
      all.length > 0 &&
        t('Enter {0} with one of these names, or {1} to leave the profile:', '/profile', `/profile ${LEAVE}`),
    ];
    tell(stream, lines);
    for (const profile of all) {
      const about = [this.#counts(profile), originText(profile), profile.description].filter(Boolean).join(' · ');
      stream.markdown(
        new vscode.MarkdownString(`- **${plainMarkdown(profile.name)}** ${plainMarkdown(visible(about, 300))}\n`),
      );
    }
    for (const { name } of all.slice(0, MAX_BUTTONS))
      stream.button({ command: 'mcpHost.switchProfile', title: withoutIcons(name), arguments: [name] });
    if (all.length === 0) stream.button({ command: 'mcpHost.switchProfile', title: t('Edit Profiles in Settings…') });
  }

  #row(profile: Profile): Row {
    const { active, isOutdated } = this.profiles();
    const isActive = active?.name === profile.name;
    return {
      iconPath: themeIcon(isActive ? 'check' : 'blank'),
      label: withoutIcons(profile.name),
      description: joined(
        [this.#counts(profile), originText(profile), isActive && isOutdated && t('changed since you chose it')],
        ' · ',
      ),
      detail: joined([rowText(profile.description ?? ''), effectText(profile)], ' · '),
      run: () => this.#use(profile),
    };
  }

  async #use(profile: Profile | undefined): Promise<void> {
    const switched = await this.profiles().use(profile);
    const hint = profile && (await hintFor(profile));
    const waiting = waitingLine(switched);
    if (!hint && !waiting) return;
    const open = t('Open Chat as Suggested');
    const message = joined([profile && t('The profile "{0}" is in use.', profile.name), waiting, hint?.text], ' ');
    const chosen = await window.showInformationMessage(message, ...(hint?.open ? [open] : []));
    if (chosen === open) await vscode.commands.executeCommand('workbench.action.chat.open', hint?.open);
  }

  /** How many of the tools that are there a profile has. */
  #counts(profile: Profile) {
    const tools = this.#tools();
    const has = tools.filter(({ server, tool }) => includesTool(profile, server.definition, tool.name));
    return t('{0} of {1} tools', has.length, tools.length);
  }

  #countLine() {
    const tools = this.#tools();
    const has = tools.filter(({ server, tool }) => server.isUsable && this.offered.includes(server, tool));
    return t('Models are offered {0} of {1} tools.', has.length, tools.length);
  }

  /** Those of stopped servers too, as far as they are known. */
  #tools() {
    return this.servers.all.flatMap(server =>
      server.catalog
        .knownItems('tools')
        .filter(tool => isFor('model', tool))
        .map(tool => ({ server, tool })),
    );
  }
}

const effectText = ({ startServers, stopOthers }: Profile) =>
  joined([startServers && t('starts its servers'), stopOthers && t('stops the others')], ', ');

function serverLines(switched: ProfileSwitch): readonly string[] {
  const { started, stopped } = switched;
  const ids = (servers: ProfileSwitch['started']) => servers.map(({ id }) => id).join(', ');
  return [
    started.length > 0 ? t('Started: {0}.', ids(started)) : '',
    stopped.length > 0 ? t('Stopped: {0}.', ids(stopped)) : '',
    waitingLine(switched) ?? '',
  ];
}

const waitingLine = ({ waiting }: ProfileSwitch) =>
  waiting.length > 0
    ? t('Not started, because you have not allowed it: {0}.', waiting.map(({ id }) => id).join(', '))
    : undefined;

/** A profile's suggestion for chat in words, and how to open chat that way if possible. */
async function hintFor({
  model,
  mode,
}: Profile): Promise<{ readonly text: PlainText; readonly open?: Hint } | undefined> {
  if (model === undefined && mode === undefined) return undefined;
  const known = model === undefined ? [] : ((await vscode.lm?.selectChatModels()) ?? []);
  const found = known.find(({ id, family, name }) =>
    [id, family, name].some(text => matches(model?.toLowerCase() ?? '', text.toLowerCase())),
  );
  const text = joined(
    [
      model !== undefined && t('It suggests the model {0}.', found?.name ?? model),
      model !== undefined && !found && t('That is not available here.'),
      mode !== undefined && t('It suggests the mode {0}.', mode),
    ],
    ' ',
  );
  const modelSelector = found && { id: found.id, vendor: found.vendor };
  if (!modelSelector && mode === undefined) return { text };
  return { text, open: { ...(mode !== undefined && { mode }), ...(modelSelector && { modelSelector }) } };
}

/** Opens the person's settings at the profiles. */
function editProfiles(): Thenable<unknown> {
  const revealSetting = { key: 'mcpHost.profiles', edit: true };
  return vscode.commands.executeCommand('workbench.action.openSettingsJson', { revealSetting });
}

/** Lines of ours in an answer; nothing in them is markup. */
function tell(stream: vscode.ChatResponseStream, lines: readonly (string | false)[]): void {
  for (const line of lines)
    if (line) stream.markdown(new vscode.MarkdownString(`${plainMarkdown(visible(line, 1_000))}\n\n`));
}
