import * as nodePath from 'node:path';
import { basename, dirname } from 'node:path';
import { fingerprint } from '../../base/fingerprint';
import { type Problem, type ServerEntry, type UsedInputs, withProgram } from '../settings';

/** Unique key of a server in this window. */
export type ServerId = string;

/** Where a server was configured. */
export interface DefinitionSource {
  /** `machine`: the settings of a remote machine. A `devcontainer.json` may have written them, so they count as a workspace's. */
  scope: 'user' | 'machine' | 'workspace' | 'workspaceFolder' | 'extension';
  /** The folder, for scope `workspaceFolder`; the id and the folder of an extension. `path` is absolute. */
  folder?: { name: string; path: string };
  /** URI of the `.mcp.json` of a workspace folder, for a server that stands there and not in settings. */
  projectFile?: string;
  /** Path of the organization's file, for a server that everybody has: it is like one of the user, who can't change it. */
  managed?: string;
}

/** Where what a person says about a server is kept and applies: in one workspace, or everywhere. */
export type KeptScope = 'workspace' | 'user';
/** Whether entries of a source apply in every workspace, so that their paths start at the home folder. */
export const isAtHome = ({ scope }: Pick<DefinitionSource, 'scope'>): boolean =>
  scope === 'user' || scope === 'machine';

export const KEPT_SCOPES: readonly KeptScope[] = ['workspace', 'user'];

/** Decisions about a server from a workspace are stored with that workspace, all others for the person. */
export const keptScope = ({ scope }: Pick<DefinitionSource, 'scope'>): KeptScope =>
  scope === 'user' ? 'user' : 'workspace';

/** Where a server is launched from, unless its entry says so. */
export interface LaunchPlace {
  /**
   * Absolute path of the folder that relative paths of the entry start at: the workspace folder, or for an entry of the person
   * the home folder, so that the same path never means something that a workspace has put there.
   */
  readonly base: string;
  /** Whether the entry sets `cwd`: a relative `command` then starts there. */
  readonly saysCwd: boolean;
  /** Whether it runs in a folder of its own, which is created before the start. */
  readonly inOwnFolder: boolean;
  /** Folders that must not influence the launch through what it inherits: PATH, other variables, targets of links. */
  readonly clearOf: readonly string[];
}

/** The settings of one server, with every variable resolved except `${input:…}`: see `inputs`. */
export interface ServerDefinition {
  readonly id: ServerId;
  /** The configured name, the only one that people are shown; what the server calls itself is a detail. */
  readonly name: string;
  readonly source: DefinitionSource;
  /** Absent if the settings entry is invalid; `problems` says why. */
  readonly entry: ServerEntry | undefined;
  /** The entry that a person reviews before the launch: see `ResolvedEntry`. Absent with `entry`. */
  readonly reviewed: ServerEntry | undefined;
  /** Whether the workspace influences it: through its settings, or through a value that `${config:…}` takes from them. */
  readonly fromWorkspace: boolean;
  /** Whether an entry of the person has its `cwd` or `envFile` in the workspace, whose files then decide what it does. */
  readonly leadsIntoWorkspace?: boolean;
  /** Whether the entry with inputs filled in, and absolute paths, leads into the workspace. Absent if no input can change that. */
  readonly leadsInto?: (entry: ServerEntry) => boolean;
  /** The variables in it that refer, or may refer, to something in the workspace: see `ResolvedEntry`. */
  readonly workspaceVariables: readonly string[];
  readonly place: LaunchPlace;
  readonly problems: readonly Problem[];
  /** The inputs that it uses, filled in at launch. Absent if there are none. */
  readonly inputs?: UsedInputs;
  /** Values in `entry` that must never be shown or written anywhere. */
  readonly secrets: readonly string[];
  /** SHA-256 of what would be launched; the server restarts when it changes. */
  readonly fingerprint: string;
  /**
   * Identifies the program in approvals of its tools: SHA-256 of what is launched, without the values of `${env:}` and
   * `${input:}`. Unlike `fingerprint`, it is the same in every workspace, unless the workspace has a part in what is run.
   */
  readonly launch: string;
}

type PathField = 'command' | 'cwd' | 'envFile';

/**
 * Returns the entry with absolute paths, which do not depend on the editor's working folder.
 * @param isOpen whether a field contains `${input:…}` and can't be resolved yet.
 * @param rules of paths. Default: this machine's.
 */
export function settlePaths(
  entry: ServerEntry,
  { base, saysCwd }: Pick<LaunchPlace, 'base' | 'saysCwd'>,
  isOpen: (field: PathField) => boolean = () => false,
  {
    platform = process.platform,
    path: { resolve } = nodePath,
  }: { platform?: NodeJS.Platform; path?: Pick<typeof nodePath, 'resolve'> } = {},
): ServerEntry {
  return withProgram(entry, program => {
    const { command, cwd, envFile } = program;
    const folder = cwd === undefined || isOpen('cwd') ? cwd : resolve(base, cwd);
    const start = saysCwd ? folder : base;
    const isPath = /[/\\]/.test(platform === 'win32' ? command : command.replaceAll('\\', ''));
    const waits = isOpen('command') || (saysCwd && isOpen('cwd'));
    return {
      ...program,
      command: isPath && !waits && start !== undefined ? resolve(start, command) : command,
      ...(folder !== undefined && { cwd: folder }),
      ...(envFile !== undefined && { envFile: isOpen('envFile') ? envFile : resolve(base, envFile) }),
    };
  });
}

interface NamedServer {
  readonly name: string;
  readonly source: DefinitionSource;
}

/**
 * The id of each server. For those of the user and the workspace it is the name; for those of a folder in a multi-root
 * workspace `name@folder`, or, if another has that id too, `name@folder (parent folder)`, if necessary with a hash of the
 * path.
 *
 * Two servers never have the same id, in whatever order their settings are read, because consents, approvals and pins belong
 * to it. If two want the same id, neither gets it, so that one never inherits what was allowed to the other after that is
 * gone.
 */
export function serverIds(servers: readonly NamedServer[]): ServerId[] {
  const ids = new Map<string, ServerId>();
  const taken = new Set(servers.filter(({ source }) => !source.folder).map(({ name }) => name));
  let open = new Map(servers.filter(({ source }) => source.folder).map(server => [keyOf(server), server]));
  for (let level = 0; open.size > 0; level++) {
    const wanted = Map.groupBy(open, ([, server]) => idOf(server, level));
    for (const [id, [[key] = [''], ...others]] of wanted) {
      if (others.length === 0 && !taken.has(id)) ids.set(key, id);
      // Also when several servers wanted it and none got it.
      taken.add(id);
    }
    open = new Map([...open].filter(([key]) => !ids.has(key)));
  }
  return servers.map(server => ids.get(keyOf(server)) ?? server.name);
}

const keyOf = ({ name, source: { folder } }: NamedServer) => JSON.stringify([name, folder?.name, folder?.path]);

/** The id that a server has unless another one wants the same. Denials under that id remain valid. */
export function plainId({ name, source: { folder } }: NamedServer): ServerId {
  return folder ? `${name}@${folder.name}` : name;
}

function idOf({ name, source }: NamedServer, level: number): ServerId {
  const { name: folder, path } = source.folder!;
  if (level === 0) return plainId({ name, source });
  const parent = basename(dirname(path));
  if (level === 1) return `${name}@${folder} (${parent})`;
  return `${name}@${folder} (${parent} ${fingerprint({ name, folder, path, level }).slice(0, 12)})`;
}

const TESTS = 'mcptest ';

export const testId = (path: string): ServerId => `${TESTS}${path}`;

export const isTestId = (id: ServerId): boolean => id.startsWith(TESTS);
