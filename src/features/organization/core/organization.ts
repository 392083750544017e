import { Emitter } from '../../../base/events';
import { phrase } from '../../../base/phrase';
import { isRunning, type ServerConnection } from '../../../host';
import {
  type Admission,
  type LaunchCheck,
  type LaunchPurpose,
  type NetworkLimits,
  type ServerDefinition,
  type ServerId,
  settlePaths,
} from '../../../host/definition';
import {
  programIn,
  SANDBOX_SETTINGS,
  type SandboxSetting,
  type ServerEntry,
  withProgram,
} from '../../../host/settings';
import type { EditorPolicies } from './editorPolicies';
import type { ManagedValues } from './managedFile';
import { type ManagedPlaces, mayBeThere, watchFiles } from './managedPlaces';
import type { ListRegistry, OrganizationRules } from './organizationRules';

interface OrganizationOptions {
  readonly places: ManagedPlaces;
  /** How often files are looked at, in milliseconds. */
  readonly watchMs: number;
  editor(): EditorPolicies | undefined;
  /** Asks the registry that is all that the editor's policy allows. */
  readonly list: ListRegistry;
  /** Loaded with the first rule. */
  admission(): typeof import('./organizationRules');
}

const NONE: OrganizationRules = { files: [], access: 'all' };
const NOTHING: ManagedValues = {};

/** The organization's rules, for every launch (`LaunchGate`): read before each, and watched for what runs. */
export class Organization implements LaunchCheck {
  readonly #changed = new Emitter<void>();
  /** Fires when a file may have changed. */
  readonly onDidChange = this.#changed.event;
  readonly #read = new Emitter<void>();
  /** Fires when the rules were read, also when they are the same: `fixed` is as they say now. */
  readonly onDidRead = this.#read.event;
  readonly #unwatch: () => void;
  /** What was to be launched last, by server. */
  readonly #launched = new Map<ServerId, { readonly fingerprint: string; readonly entry: ServerEntry }>();
  #rules = NONE;
  #fixed = NOTHING;
  /** How many readings have begun, and the number of the one whose rules are kept. */
  #begun = 0;
  #kept = 0;

  constructor(private readonly options: OrganizationOptions) {
    const { places, watchMs } = options;
    this.#unwatch = watchFiles(Object.values(places.files), watchMs, () => this.#changed.fire());
  }

  /** What it fixes, as it was read last. */
  get fixed(): ManagedValues {
    return this.#fixed;
  }

  get fixes(): boolean {
    return this.#fixed !== NOTHING;
  }

  get limits(): NetworkLimits | undefined {
    return this.fixes ? this.options.admission().limitsOf(this.#fixed) : undefined;
  }

  /** The path of its own file, which may not be there. */
  get place(): string {
    return this.options.places.files.own;
  }

  /** One that takes longer than a later one, as while a registry is asked, has the rules of the later one. */
  async read(): Promise<OrganizationRules> {
    const number = ++this.#begun;
    const { places, list, admission } = this.options;
    const editor = this.options.editor();
    const isNone = !editor && !(await mayBeThere(places.files.own));
    const rules = isNone ? NONE : await admission().readRules(places, editor, list);
    if (number < this.#kept) return this.#rules;
    this.#kept = number;
    [this.#rules, this.#fixed] = [rules, isNone ? NOTHING : admission().ownOf(rules)];
    this.#read.fire();
    return rules;
  }

  async admit(
    definition: ServerDefinition,
    entry: ServerEntry,
    purpose: LaunchPurpose,
    isWhole: boolean,
  ): Promise<Admission> {
    const rules = await this.read();
    const { id, name, fingerprint, place } = definition;
    const launch = { name, entry: settlePaths(entry, place) };
    if (isWhole && (purpose === 'server' || purpose === 'debug'))
      this.#launched.set(id, { fingerprint, entry: launch.entry });
    if (rules === NONE) return { entry };
    const asked = { definition, launch, purpose, isWhole, entry: this.#confined(definition, entry) };
    return this.options.admission().admissionBy(() => this.#rules, asked);
  }

  /** The setting `mcpHost.sandbox`, or what the organization demands if that is more. */
  sandboxOf(setting: SandboxSetting): SandboxSetting {
    const { sandbox = 'off' } = this.#fixed;
    return SANDBOX_SETTINGS.indexOf(sandbox) > SANDBOX_SETTINGS.indexOf(setting) ? sandbox : setting;
  }

  /** Whether the organization demands that a server is confined. */
  confines({ fromWorkspace }: Pick<ServerDefinition, 'fromWorkspace'>): boolean {
    const { sandbox } = this.#fixed;
    return sandbox === 'all' || (sandbox === 'workspaceServers' && fromWorkspace);
  }

  /**
   * Applies changed rules to servers that are there: ends those that are refused now, and starts those that were refused. A
   * server whose launch is not known as a whole is started again, which asks the rules.
   */
  async enforce(servers: readonly ServerConnection[]): Promise<void> {
    const { sandbox } = this.#fixed;
    const rules = await this.read();
    const why = phrase('the rules of your organization have changed');
    for (const server of servers) {
      const { state, definition } = server;
      if (state.kind === 'failed' && state.error.code === 'NOT_ALLOWED') void server.start(why);
      else if (isRunning(state.kind) && (sandbox !== this.#fixed.sandbox || this.#isRefused(rules, definition)))
        void server.restart(why);
    }
  }

  dispose(): void {
    this.#unwatch();
    this.#read.dispose();
  }

  #isRefused(rules: OrganizationRules, { id, fingerprint, name }: ServerDefinition): boolean {
    if (rules === NONE) return false;
    const launched = this.#launched.get(id);
    if (launched?.fingerprint !== fingerprint) return true;
    return this.options.admission().refusalOf(rules, { name, entry: launched.entry }) !== undefined;
  }

  /** The entry of a server that has to be confined can't switch that off. */
  #confined(definition: ServerDefinition, entry: ServerEntry): ServerEntry {
    if (programIn(entry)?.sandbox !== false || !this.confines(definition)) return entry;
    return withProgram(entry, ({ sandbox: _, ...others }) => others);
  }
}
