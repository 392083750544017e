import { randomBytes, randomUUID } from 'node:crypto';
import { readlink, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { readBounded, readBytes } from '../../../base/files';
import { fingerprint, sha256 } from '../../../base/fingerprint';
import { visible } from '../../../base/text';
import { knownProgram, powerOf, programName, scriptAt } from '../../../host/launch';
import type { ClientDetail, ClientIdentity } from '../../clients/core';

/** The identity that an agent declares (spec: basic/lifecycle, `clientInfo`). */
interface SaidInfo {
  readonly name: string;
  readonly version?: string;
}

/**
 * An agent as a person is asked about it: the name that it gives, and the program that the system says it is. What comes under the
 * same name from another program is asked about by itself. Where the system does not tell, each session is.
 */
export function agentIdentity(said: SaidInfo, { programs, parents, cwd, isCertain }: AgentProcess): ClientIdentity {
  const agent = programs.at(-1);
  const commandLines = programs.filter(({ words }) => words.length > 0).map(commandLineOf);
  const variables = programs.flatMap(program => program.variables);
  const sums = programs.flatMap(({ files }) => files.map(({ sha256 }) => sha256.slice(0, 16)));
  const details: (ClientDetail | false | undefined)[] = [
    said.version !== undefined && { what: 'version', text: visible(said.version, 100) },
    agent && { what: 'program', text: agent.shown },
    commandLines.length > 0 && { what: 'commandLine', text: commandLines.join(' ← ') },
    variables.length > 0 && { what: 'variables', text: variables.join(' ') },
    sums.length > 0 && { what: 'checksum', text: sums.join(' ') },
    parents.length > 0 && { what: 'parents', text: parents.join(' ← ') },
    { what: 'folder', text: cwd },
  ];
  const { name } = said;
  return {
    kind: 'agent',
    id: name,
    name,
    details: details.filter(detail => typeof detail === 'object'),
    program: fingerprint(programs.map(placeOf)),
    fingerprint: isCertain ? fingerprint({ name, programs: programs.map(contentOf) }) : randomUUID(),
    ...(!isCertain && { isUncertain: true }),
  };
}

/** Installers put versions into paths: an agent that updates itself remains the same agent. */
const withoutVersions = (text: string) => text.replace(/(?<!\d)\d+(?:\.\d+)+(?:-[\w.]+)?/g, '*');

const placeOf = ({ executable, words, variables }: SeenProgram) => [
  withoutVersions(executable),
  words.map(withoutVersions),
  variables,
];

const contentOf = (program: SeenProgram) => [placeOf(program), program.files.map(({ sha256 }) => sha256)];

const commandLineOf = ({ executable, words }: SeenProgram) => [executable, ...words].join(' ');

/** What started a bridge. */
export interface AgentProcess {
  readonly pid: number;
  /** Programs from the bridge's process up to the agent, which is last. Empty where the system does not expose them. */
  readonly programs: readonly SeenProgram[];
  /** The programs above the bridge, the nearest first, for people. */
  readonly parents: readonly string[];
  readonly cwd: string;
  /** Whether the agent's program is known for certain. */
  readonly isCertain: boolean;
}

const MAX_PARENTS = 6;
/** Adopts processes whose parent has ended, so that nothing tells what started them. */
const REAPER = /^(systemd|init)$/;

/** A name that a process is to take for a moment, which only that process can: 15 characters are what Linux keeps. */
export const newTitle = (): string => `mcp-${randomBytes(5).toString('hex')}`;

/** Whether the system tells which process has which name. */
export const canProve = process.platform === 'linux';

/** Whether the process has this name now, is this person's, and not in a container, where ids mean something else. */
export async function hasTitle(pid: number, title: string): Promise<boolean> {
  try {
    const [name, status, isHere] = await Promise.all([
      readBounded(`/proc/${pid}/comm`, 1024),
      statusOf(pid),
      isInOurNamespaces(pid),
    ]);
    return name.trim() === title && status.uid === process.getuid?.() && isHere;
  } catch {
    return false;
  }
}

/** The program that started a process. Never rejects. @param saidCwd used without its own @param bridge of agents */
export async function agentProcess(pid: number, saidCwd: string, bridge: string): Promise<AgentProcess> {
  const programs: SeenProgram[] = [];
  const parents: string[] = [];
  if (!canProve) return { pid, programs, parents, cwd: saidCwd, isCertain: false };
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => saidCwd);
  let isFound = false;
  try {
    let at = pid;
    while (at > 1 && parents.length <= MAX_PARENTS) {
      const found = await readProcess(at);
      if (!isFound) {
        if (!(await isInOurNamespaces(at)) || REAPER.test(path.basename(found.executable))) break;
        const seen = await seenProgram(found);
        const isBridge = at === pid && (await isOurBridge(seen, bridge));
        programs.push(isBridge ? { ...seen, words: [], files: [] } : seen);
        isFound = !isBridge && !seen.isBetween;
      }
      if (at !== pid) parents.push(found.told.script ?? found.executable);
      at = found.parent;
    }
  } catch {
    // One of them has ended, or is another person's.
  }
  return { pid, programs, parents, cwd, isCertain: isFound && programs.every(program => program.isCertain) };
}

/** Whether a program is the bridge, and nothing that was loaded before it. */
async function isOurBridge({ words, isCertain }: SeenProgram, bridge: string): Promise<boolean> {
  const [script] = words;
  if (words.length !== 1 || script === undefined || !isCertain) return false;
  const [real, ours] = await Promise.all([script, bridge].map(file => realpath(file).catch(() => undefined)));
  return real !== undefined && real === ours;
}

async function isInOurNamespaces(pid: number): Promise<boolean> {
  const of = (id: number | 'self') =>
    Promise.all(['pid', 'mnt', 'user'].map(kind => readlink(`/proc/${id}/ns/${kind}`)));
  const [theirs, ours] = await Promise.all([of(pid), of('self')]);
  return theirs.join() === ours.join();
}

/** A running program as the system describes it, not as it describes itself. */
interface SeenProgram {
  readonly executable: string;
  /** The words of its command line that decide what it is: of an interpreter, its options and its script. */
  readonly words: readonly string[];
  /** The files that these words name, with their contents at the moment. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** `NAME=value` of variables that make it run other code. */
  readonly variables: readonly string[];
  /** The script that it runs, else its executable. */
  readonly shown: string;
  /** Whether it runs another program that its words name, as a shell does. */
  readonly isBetween: boolean;
  /** Whether these facts identify it completely. The folder that it was started in is no longer known. */
  readonly isCertain: boolean;
}

const MAX_COMMAND_LINE = 2 * 1024 * 1024;
const MAX_ENVIRONMENT = 2 * 1024 * 1024;
const MAX_STATUS = 64 * 1024;
const MAX_FILE = 32 * 1024 * 1024;
const MAX_WORDS = 200;

/** Reads what `/proc` says of a process. Rejects if the process has ended or belongs to another user. */
async function readProcess(pid: number) {
  const [executable, commandLine, environment, { parent }] = await Promise.all([
    readlink(`/proc/${pid}/exe`),
    readBounded(`/proc/${pid}/cmdline`, MAX_COMMAND_LINE),
    readBounded(`/proc/${pid}/environ`, MAX_ENVIRONMENT),
    statusOf(pid),
  ]);
  const variables = environment.split('\0').filter(pair => powerOf(pair.split('=', 1)[0]!) === 'code');
  const args = commandLine.split('\0').slice(1, -1);
  const isNode = variables.some(pair => pair.startsWith('ELECTRON_RUN_AS_NODE='));
  return { pid, parent, executable, variables, told: whatItIsTold(isNode ? 'node' : executable, args) };
}

/** Describes a program, with the files that its arguments name. */
async function seenProgram({
  pid,
  executable,
  variables,
  told,
}: Awaited<ReturnType<typeof readProcess>>): Promise<SeenProgram> {
  const files: { path: string; sha256: string }[] = [];
  let { isCertain } = told;
  for (const name of told.paths) {
    if (!path.isAbsolute(name)) {
      // Against which folder it was resolved, only its start knew: it may run in another by now.
      isCertain &&= !(await isFile(path.resolve(await readlink(`/proc/${pid}/cwd`), name)));
      continue;
    }
    if (!(await isFile(name))) continue;
    const sha256 = await hashOf(name);
    if (sha256 === undefined) isCertain = false;
    else files.push({ path: name, sha256 });
  }
  const words = told.words ?? files.map(file => file.path);
  const { isBetween } = told;
  return { executable, words, files, variables, shown: told.script ?? executable, isBetween, isCertain };
}

interface ToldProgram {
  /** Undefined: only the files that its arguments name. */
  readonly words: readonly string[] | undefined;
  /** Words that may name files. */
  readonly paths: readonly string[];
  readonly script?: string;
  readonly isBetween: boolean;
  readonly isCertain: boolean;
}

/** The part of a command line that decides what a program is. Later words, such as a prompt for an agent, do not. */
function whatItIsTold(executable: string, args: readonly string[]): ToldProgram {
  const known = knownProgram(programName(executable));
  const isCertain = args.length <= MAX_WORDS;
  const words = args.slice(0, MAX_WORDS);
  // Any argument of an unknown program may be its script.
  if (!known) return { words: undefined, paths: words.flatMap(pathsIn), isBetween: false, isCertain };
  const isBetween = known.kind === 'shell' || known.kind === 'wrapper';
  const at = scriptAt(executable, words);
  if (at !== undefined) {
    const [before, script] = [words.slice(0, at), words[at]!];
    return {
      words: [...before, script],
      paths: [...before.flatMap(pathsIn), script],
      script,
      isBetween,
      isCertain: [script, ...before].every(word => isWhole(word)),
    };
  }
  // An interpreter without a script that it is certain about runs something else, or has changed its title.
  return { words, paths: words.flatMap(pathsIn), isBetween, isCertain: isCertain && known.kind !== 'interpreter' };
}

/** Itself, and the value of an option. */
const pathsIn = (word: string) => {
  const value = /^-[^=]*=(.+)$/s.exec(word)?.[1];
  return [...(word.startsWith('-') ? [] : [word]), ...(value === undefined ? [] : [value])].filter(
    text => text !== '' && text.length < 4_096,
  );
};

/** Whether a word before a script means the same in any folder: an option alone or with a number, or an absolute path. */
const isWhole = (word: string) => /^-[^=]*(=(\d+|\/.*))?$/s.test(word) || path.isAbsolute(word);

/** Parent and user of a process. Rejects if it has ended. */
export async function statusOf(pid: number): Promise<{ parent: number; uid: number }> {
  const status = await readBounded(`/proc/${pid}/status`, MAX_STATUS);
  const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { parent: number('PPid'), uid: number('Uid') };
}

async function isFile(at: string): Promise<boolean> {
  return stat(at).then(
    found => found.isFile(),
    () => false,
  );
}

/** Undefined: it is too large, or can't be read. */
async function hashOf(file: string): Promise<string | undefined> {
  const content = await readBytes(file, MAX_FILE).catch(() => undefined);
  return content && sha256(content);
}
