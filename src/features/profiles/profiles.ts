import { Owner } from '../../base/events';
import { canonicalJson } from '../../base/fingerprint';
import { phrase } from '../../base/phrase';
import { Queue } from '../../base/queue';
import { plain } from '../../base/text';
import type { PlainState } from '../../editor/storage';
import { say, t, window } from '../../editor/window';
import { isRunning, type ServerConnection, type ServerSet, type SourceProblems, type StartPolicy } from '../../host';
import type { ServerDefinition, ServerId } from '../../host/definition';
import { CHOSEN_PROFILE, configuredProfiles } from './configuredProfiles';
import { entryOf, includesServer, includesTool, type Profile, readProfiles } from './core/readProfiles';

import vscode = require('vscode');

/** The person's choice in this workspace. */
interface ProfileChoice {
  readonly name: string;
  readonly scope: Profile['source']['scope'];
  /** For a workspace profile: the entry that the person chose. Later changes are only proposed to them. */
  readonly agreed?: unknown;
  /** The servers that it has stopped, and that start again when it is left. */
  readonly stopped?: readonly ServerId[];
}

export interface ProfileSwitch {
  readonly started: readonly ServerConnection[];
  readonly stopped: readonly ServerConnection[];
  /** Those that would have been started, but that the person has not allowed to start. */
  readonly waiting: readonly ServerConnection[];
}

interface ProfileServices {
  readonly servers: ServerSet;
  readonly state: PlainState;
  /** Whether a server may start without asking the person. */
  readonly mayStart: (definition: ServerDefinition) => boolean;
  /** Has all servers ask anew when they start: see `startOf`. */
  readonly reload: () => void;
  /** Called when others are offered than before. */
  readonly changed: () => void;
}

/**
 * The profiles of the settings, and the active one of this workspace. A profile only ever narrows what models are offered. A
 * person activates it, never a settings file; and changes that a workspace makes to its profile wait until they switch to it
 * again.
 */
export class Profiles extends Owner {
  readonly #bar: ProfileStatusBar;
  #all: readonly Profile[] = [];
  #active: Profile | undefined;
  /** The active profile as it was last applied to the servers. */
  #applied: string | undefined;
  #hasRead = false;
  #isTold = false;
  /** One switch after the other. */
  readonly #switches = new Queue();

  constructor(private readonly services: ProfileServices) {
    super();
    this.#bar = this.own(new ProfileStatusBar(this));
  }

  /** Those that can be used, the person's own first. */
  get all(): readonly Profile[] {
    return this.#all;
  }

  get active(): Profile | undefined {
    return this.#active;
  }

  /** Whether the workspace has changed the active profile since the person chose it. */
  get isOutdated(): boolean {
    const active = this.#active;
    const now = active && this.#all.find(({ name }) => name === active.name);
    return now !== undefined && effectOf(now) !== effectOf(active);
  }

  /** Reads the settings. To be called whenever they have changed, before servers take them over. */
  read(definitions: readonly ServerDefinition[]): readonly SourceProblems[] {
    const { profiles, problems } = readProfiles(
      configuredProfiles(),
      definitions.flatMap(({ id, name }) => [id, name]),
    );
    this.#all = profiles;
    const before = this.#active;
    this.#settle();
    if (effectOf(this.#active) !== this.#applied || !this.#hasRead) {
      const isFirst = !this.#hasRead;
      this.#hasRead = true;
      // When the servers have taken over the settings.
      setImmediate(() => void this.#switches.run(() => this.#apply(isFirst)));
    }
    if (before && !this.#active)
      void window.showInformationMessage(
        t('The profile "{0}" is no longer in settings. All tools are offered again.', before.name),
      );
    this.#tellOutdated();
    this.#bar.update();
    return problems;
  }

  offers({ definition }: ServerConnection, tool: string): boolean {
    return this.#active === undefined || includesTool(this.#active, definition, tool);
  }

  has({ definition }: ServerConnection): boolean {
    return this.#active === undefined || includesServer(this.#active, definition);
  }

  /** When a server starts, where the active profile has a say in that. */
  startOf(definition: ServerDefinition): StartPolicy | undefined {
    const { startServers = false, stopOthers = false } = this.#active ?? {};
    if (!this.#active || !(startServers || stopOthers)) return undefined;
    if (!includesServer(this.#active, definition)) return stopOthers ? 'never' : undefined;
    return startServers && this.services.mayStart(definition) ? 'onStartup' : undefined;
  }

  /** Uses a profile from now on, in this workspace; undefined: none. */
  use(profile: Profile | undefined): Promise<ProfileSwitch> {
    return this.#switches.run(async () => {
      const { stopped } = this.#chosen ?? {};
      await this.services.state.update(CHOSEN_PROFILE, profile && chosenOf(profile, stopped));
      this.#isTold = false;
      this.#settle();
      const switched = await this.#apply(false, stopped);
      this.#bar.update();
      return switched;
    });
  }

  get #chosen(): ProfileChoice | undefined {
    return this.services.state.get<ProfileChoice>(CHOSEN_PROFILE);
  }

  #settle(): void {
    const chosen = this.#chosen;
    const found = chosen && this.#all.find(({ name, source }) => name === chosen.name && source.scope === chosen.scope);
    if (!found || found.source.scope === 'user') this.#active = found;
    else {
      const agreed = { source: found.source, value: { [found.name]: chosen?.agreed } };
      [this.#active] = readProfiles([agreed], []).profiles;
    }
  }

  /** Starts and stops what the active profile wants to, and what an earlier one has stopped. */
  async #apply(isFirst: boolean, stoppedBefore = this.#chosen?.stopped): Promise<ProfileSwitch> {
    const { servers, state, mayStart, reload, changed } = this.services;
    const active = this.#active;
    this.#applied = effectOf(this.#active);
    const isHeld = (server: ServerConnection) =>
      active?.stopOthers === true && !includesServer(active, server.definition);
    const before = new Set(stoppedBefore);
    const isStarted = ({ definition }: ServerConnection) =>
      active?.startServers && definition.entry?.enabled && includesServer(active, definition);
    const wanted = servers.all.filter(
      server => !isHeld(server) && !isRunning(server.state.kind) && (before.has(server.id) || isStarted(server)),
    );
    const started = wanted.filter(({ definition }) => mayStart(definition));
    const stopped = servers.all.filter(server => isHeld(server) && isRunning(server.state.kind));
    const why = active && phrase('the profile "{0}" is in use', active.name);
    for (const server of started) void server.start(why ?? phrase('the profile that stopped it was left'));
    if (why) for (const server of stopped) void server.stop(why);
    const held = [...before].filter(id => {
      const server = servers.get(id);
      return server !== undefined && isHeld(server);
    });
    const chosen = this.#chosen;
    if (chosen) {
      const ids = [...new Set([...held, ...stopped.map(({ id }) => id)])];
      await state.update(CHOSEN_PROFILE, { ...chosen, stopped: ids });
    }
    if (!isFirst) reload();
    changed();
    return { started, stopped, waiting: wanted.filter(server => !started.includes(server)) };
  }

  #tellOutdated(): void {
    const { active } = this;
    if (!active || !this.isOutdated || this.#isTold) return;
    this.#isTold = true;
    const use = t('Use Changed Profile');
    const message = t('The workspace has changed the profile "{0}". It is used as you have chosen it.', active.name);
    void window.showInformationMessage(message, use).then(answer => {
      const now = this.#all.find(({ name }) => name === active.name);
      if (answer === use && now) return this.use(now);
      return undefined;
    });
  }
}

function chosenOf(profile: Profile, stopped: readonly ServerId[] = []): ProfileChoice {
  const { name, source } = profile;
  return { name, scope: source.scope, ...(source.scope !== 'user' && { agreed: entryOf(profile) }), stopped };
}

/** Equal for profiles that do the same. */
const effectOf = (profile: Profile | undefined): string => canonicalJson(profile ? entryOf(profile) : null);

/** The settings that a profile comes from. */
export const originText = ({ source: { scope } }: Pick<Profile, 'source'>) =>
  scope === 'user' ? t('user settings') : scope === 'machine' ? t('remote settings') : t('workspace settings');

/** The active profile; a click switches. Hidden while there is none. */
class ProfileStatusBar extends Owner {
  readonly #item = this.own(window.createStatusBarItem('mcpHost.profile', vscode.StatusBarAlignment.Right, 89));

  constructor(private readonly profiles: { readonly active: Profile | undefined; readonly isOutdated: boolean }) {
    super();
    this.#item.name = t('MCP Profile');
    this.#item.command = 'mcpHost.switchProfile';
  }

  update(): void {
    const { active, isOutdated } = this.profiles;
    if (!active) {
      this.#item.hide();
      return;
    }
    this.#item.text = say`$(filter) ${active.name}`;
    const label = t(
      'MCP profile "{0}", from {1}: models get only the tools that it names.',
      active.name,
      originText(active),
    );
    const lines = [label, isOutdated && t('The workspace has changed it since you chose it.')];
    this.#item.tooltip = plain(lines.filter(Boolean).join('\n'));
    this.#item.accessibilityInformation = { label };
    this.#item.show();
  }
}
