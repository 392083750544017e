import { HostError, messageOf } from '../../base/errors';
import { freePort } from '../../base/freePort';
import { mapTexts } from '../../base/json';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';
import { programIn, type ServerEntry, withProgram } from '../settings';
import { hasPort, parseEnvFile, withPort } from '../settings/entryTexts';
import { type ServerDefinition, settlePaths } from './definition';

/** What has to be settled before a program starts. `sandbox` is up to the launcher, the others to the gate. */
type LaunchPart = keyof LaunchChecks | 'variables' | 'sandbox';

const NOT_OF_SERVER = ['trust', 'variables', 'consent', 'inputs', 'scripts', 'last', 'sandbox'] as const;

/** What programs are started for, and the parts of a launch that each purpose leaves out. All others are never left out. */
const PURPOSES = {
  server: [],
  /** A server under a debugger, for which `last` changes its command line. */
  debug: [],
  test: [],
  /** A draft: the person has just been shown all of it, and asked for this one start. */
  trial: ['consent'],
  build: [],
  /** The `headersHelper` of a server whose own launch has passed, consent and inputs included. */
  headers: ['variables', 'consent', 'inputs'],
  /** The official conformance suite: the person agreed to its command line, and it runs nothing of the server. */
  conformance: NOT_OF_SERVER,
  /** The person's own package manager or container engine, asked for a version: it runs nothing of the package. */
  lookup: [...NOT_OF_SERVER, 'organization'],
} as const satisfies Record<string, readonly LaunchPart[]>;

export type LaunchPurpose = keyof typeof PURPOSES;
/** A server that is connected to, rather than a program that is run to its end. */
export type ServerPurpose = 'server' | 'debug' | 'test' | 'trial';

/** Whether programs for this purpose run without a sandbox, whatever settings say. */
export const runsUnconfined = (purpose: LaunchPurpose): boolean => leavesOut(purpose, 'sandbox');

const leavesOut = (purpose: LaunchPurpose, part: LaunchPart) =>
  (PURPOSES[purpose] as readonly LaunchPart[]).includes(part);

/** A launch that waits for the person, or is forbidden (`permission`). `reason` completes "could not start: ". */
export interface RefusedLaunch {
  readonly needs: 'needsTrust' | 'needsInput' | 'permission';
  readonly reason: Phrase | string;
  readonly remedy: Phrase | string;
}

/** A launch for a debugger, which may pause the program at any time, so no time limit applies. */
export interface DebuggedLaunch {
  /** Whether the debugger is attached: the end of the program then ends debugging and is no failure. */
  readonly isAttached: boolean;
  /** The reason for the restart after that. Undefined: no restart. */
  readonly over?: Phrase | undefined;
}

/** What checks add to a launch. */
interface Additions {
  readonly debugged?: DebuggedLaunch | undefined;
  /** Whether a remote server may be reached at another address of its origin. Absent: at each. */
  readonly mayReach?: ((url: URL) => boolean) | undefined;
}

/** Lets a launch pass, with the entry as changed by a check, and the secrets that it filled in; or refuses it. */
export type Admission =
  | ({ readonly entry: ServerEntry; readonly secrets?: readonly string[] } & Additions)
  | RefusedLaunch;

/** A check before a launch. Does not wait for a person: allowing the server later starts it again. */
export interface LaunchCheck {
  /** @param entry `definition.entry` as changed by the checks before. @param isWhole whether inputs are filled in. */
  admit(
    definition: ServerDefinition,
    entry: ServerEntry,
    purpose: LaunchPurpose,
    isWhole: boolean,
  ): Admission | Promise<Admission>;
}

/** The checks before a launch, in their order. A gate has all of them. */
export interface LaunchChecks {
  /** The organization's rules: checked before any question to the person, and again with inputs filled in. */
  readonly organization: LaunchCheck;
  /** Nothing of an untrusted workspace. Runs again behind `inputs`, which may have filled in a path. */
  readonly trust: LaunchCheck;
  /** The person's consent to exactly this launch. Asked again if inputs lead it into the workspace. */
  readonly consent: LaunchCheck;
  /** Fills in the values of inputs. */
  readonly inputs: LaunchCheck;
  /** Keeps package managers from running install scripts, if the person wants that. */
  readonly scripts: LaunchCheck;
  /** Waits for what a launch needs besides, or puts the program under a debugger. */
  readonly last: LaunchCheck;
}

/** Changes and refuses nothing: a gate that lacks a check says so by its name. */
export const NO_CHECK: LaunchCheck = { admit: (_, entry) => ({ entry }) };

/** A launch that passed a gate. Only a gate makes one, and the launcher takes nothing else. */
class PassedLaunch<P extends LaunchPurpose> {
  /** Nothing else is of this type, not even a copy. */
  declare protected readonly byGate: P;
  /** What is launched: with the values of inputs, the variables of its `envFile` in `env`, and absolute paths. */
  readonly entry: ServerEntry;
  readonly secrets: readonly string[];
  readonly debugged: DebuggedLaunch | undefined;
  readonly mayReach: Additions['mayReach'];

  constructor(
    readonly purpose: P,
    readonly definition: ServerDefinition,
    { entry, secrets, debugged, mayReach }: Pick<AdmittedLaunch, 'entry' | 'secrets'> & Additions,
  ) {
    this.entry = settlePaths(entry, definition.place);
    this.secrets = secrets;
    this.debugged = debugged;
    this.mayReach = mayReach;
  }
}

export type AdmittedLaunch<P extends LaunchPurpose = LaunchPurpose> = PassedLaunch<P>;

/** After the second look of the organization come only variables and arguments of ours: for package managers, for a debugger. */
const ORDER = [
  'organization',
  'trust',
  'variables',
  'consent',
  'inputs',
  'variables',
  'consent',
  'organization',
  'scripts',
  'trust',
  'last',
] as const;

/** The definition with its paths, if inputs have led them into the workspace: it is asked about as one that names them. */
function ledDefinition(definition: ServerDefinition, entry: ServerEntry): ServerDefinition | undefined {
  const { place, reviewed, leadsInto } = definition;
  const settled = settlePaths(entry, place);
  const program = programIn(settled);
  if (!program || !reviewed || !leadsInto?.(settled)) return undefined;
  const { cwd, envFile } = program;
  const paths = { ...(cwd !== undefined && { cwd }), ...(envFile !== undefined && { envFile }) };
  return { ...definition, leadsIntoWorkspace: true, reviewed: withProgram(reviewed, one => ({ ...one, ...paths })) };
}

/** Runs its checks in order before each launch, up to the first that requires a person's action. */
export class LaunchGate {
  /** @param readFile reads an `envFile`. Rejects if it does not exist. */
  constructor(
    private readonly checks: LaunchChecks,
    private readonly readFile: (path: string) => Promise<string>,
  ) {}

  /** This gate with other checks in place of some. */
  with(checks: Partial<LaunchChecks>, readFile = this.readFile): LaunchGate {
    return new LaunchGate({ ...this.checks, ...checks }, readFile);
  }

  /** @throws HostError when its `envFile` can't be read. */
  async admit<P extends LaunchPurpose>(
    definition: ServerDefinition,
    purpose: P,
  ): Promise<AdmittedLaunch<P> | RefusedLaunch> {
    let entry = definition.entry!;
    let additions: Additions = {};
    let isWhole = false;
    const variables = new LaunchVariables(definition, this.readFile);
    const secrets: string[] = [];
    for (const part of ORDER) {
      if (part === 'inputs') isWhole = true;
      if (leavesOut(purpose, part)) continue;
      const now = part === 'consent' && isWhole ? ledDefinition(definition, entry) : definition;
      if (!now) continue;
      try {
        const admission =
          part === 'variables'
            ? await variables.admit(entry, isWhole)
            : await this.checks[part].admit(now, entry, purpose, isWhole);
        if ('needs' in admission) return admission;
        ({ entry } = admission);
        secrets.push(...(admission.secrets ?? []));
        const { debugged = additions.debugged, mayReach = additions.mayReach } = admission;
        additions = { debugged, mayReach };
      } catch (error) {
        if (part === 'variables') throw error;
        // A check that fails must not let anything pass.
        const why = (error as Partial<PhraseError>).phrase ?? messageOf(error);
        const reason = phrase('could not check whether it may start: {0}', why);
        return { needs: 'needsTrust', reason, remedy: phrase('Reload the window and try again.') };
      }
    }
    return new PassedLaunch(purpose, definition, { entry: await withFreePort(entry), secrets, ...additions });
  }
}

/** The entry with a port that nothing listens at, where it leaves that to the start. */
async function withFreePort(entry: ServerEntry): Promise<ServerEntry> {
  if (entry.type !== 'stdio' || entry.url === undefined || !hasPort(entry.url)) return entry;
  const port = await freePort();
  return mapTexts(entry, text => withPort(text, port));
}

/** The variables of one launch. `envFile` is read once, so that what is reviewed is what the program gets. */
class LaunchVariables {
  /** The `envFile` that was read. */
  #path: string | undefined;
  /** Why it could not be read: thrown only after everything else was decided. */
  #error: HostError | undefined;

  constructor(
    private readonly definition: ServerDefinition,
    private readonly readFile: (path: string) => Promise<string>,
  ) {}

  /**
   * The entry with the variables of its `envFile` in `env`, which has precedence.
   * @param isWhole whether inputs are filled in: the path may be known only then.
   * @throws HostError when the file can't be read.
   */
  async admit(entry: ServerEntry, isWhole: boolean): Promise<Admission> {
    if (this.#error && isWhole) throw this.#error;
    const { inputs, fromWorkspace, place } = this.definition;
    if (!isWhole && inputs?.places.some(({ path: [field] }) => field === 'envFile')) {
      if (!fromWorkspace) return { entry };
      const reason = phrase('its "envFile" depends on an input, so its variables cannot be reviewed');
      return { needs: 'needsTrust', reason, remedy: phrase('Name the file in the settings entry.') };
    }
    const settled = settlePaths(entry, place);
    if (settled.type !== 'stdio' || entry.type !== 'stdio') return { entry };
    const { envFile } = settled;
    if (envFile === undefined || envFile === this.#path) return { entry };
    this.#path = envFile;
    try {
      return { entry: { ...entry, env: { ...parseEnvFile(await this.readFile(envFile)), ...entry.env } } };
    } catch (error) {
      this.#error = new HostError({
        code: 'INVALID_SETTINGS',
        server: this.definition.name,
        action: phrase('start'),
        reason:
          error instanceof PhraseError
            ? phrase('its "envFile" {0} could not be read: {1}', envFile, error.phrase)
            : phrase('its "envFile" {0} could not be read', envFile),
        remedy: phrase('Create the file, or remove "envFile" from the settings entry.'),
        cause: error,
      });
      if (isWhole) throw this.#error;
      return { entry };
    }
  }
}
