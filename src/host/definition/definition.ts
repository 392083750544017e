import type { Problem, ServerEntry, UsedInputs } from '../settings';

/** Unique key of a server in this window. */
export type ServerId = string;

/** Where a server was configured. */
export interface DefinitionSource {
  scope: 'user' | 'workspace' | 'workspaceFolder' | 'extension';
  /** The folder, for scope `workspaceFolder`; the id and the folder of an extension. `path` is absolute. */
  folder?: { name: string; path: string };
  /** Path of the organization's file, for a server that everybody has: it is like one of the user, who can't change it. */
  managed?: string;
}

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
  /**
   * Folders that must not influence the launch through inherited values: in PATH, in other variables, as the target of a
   * link.
   */
  readonly clearOf: readonly string[];
}

/** The settings of one server, with every variable resolved except `${input:…}`: see `inputs`. */
export interface ServerDefinition {
  readonly id: ServerId;
  /**
   * The configured name. It is the only name that people are shown for the server; what the server calls itself is a detail.
   */
  readonly name: string;
  readonly source: DefinitionSource;
  /** Absent if the settings entry is invalid; `problems` says why. */
  readonly entry: ServerEntry | undefined;
  /** The entry that a person reviews before the launch: see `resolveForReview`. Absent with `entry`. */
  readonly reviewed: ServerEntry | undefined;
  /** Whether the workspace influences it: through its settings, or through a value that `${config:…}` takes from them. */
  readonly fromWorkspace: boolean;
  /** The variables in it that refer, or may refer, to something in the workspace: see `ResolvedEntry`. */
  readonly workspaceVariables: readonly string[];
  /** Where it is launched from. */
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
