import { createHash } from 'node:crypto';
import { readlink, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { readBounded, readBytes } from '../../../base/files';
import { knownProgram, powerOf, programName, scriptAt } from '../../../host/launch';

/** A running program as the system describes it, not as it describes itself. */
export interface SeenProgram {
  /** Path of its executable. */
  readonly executable: string;
  /** The words of its command line that decide what it is: of an interpreter, its options and its script. */
  readonly words: readonly string[];
  /** The files that these words name, with their contents at the moment. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** `NAME=value` of variables that make it run other code. */
  readonly variables: readonly string[];
  /** The script that it runs, else its executable. */
  readonly shown: string;
  /** Whether it runs what its words say, as a shell does, so that it is not alone what counts. */
  readonly isBetween: boolean;
  /** Whether nothing else decides what it is. The folder that it was started in is not known any more. */
  readonly isCertain: boolean;
  readonly parent: number;
}

const MAX_COMMAND_LINE = 2 * 1024 * 1024;
const MAX_ENVIRONMENT = 2 * 1024 * 1024;
const MAX_STATUS = 64 * 1024;
const MAX_FILE = 32 * 1024 * 1024;
const MAX_WORDS = 200;

/** Describes a process from `/proc`. Rejects if the process has ended or belongs to another user. */
export async function seenProgram(pid: number): Promise<SeenProgram> {
  const [executable, commandLine, environment, { parent }] = await Promise.all([
    readlink(`/proc/${pid}/exe`),
    readBounded(`/proc/${pid}/cmdline`, MAX_COMMAND_LINE),
    readBounded(`/proc/${pid}/environ`, MAX_ENVIRONMENT),
    statusOf(pid),
  ]);
  const variables = environment.split('\0').filter(pair => powerOf(pair.split('=', 1)[0]!) === 'code');
  const args = commandLine.split('\0').slice(1, -1);
  const isNode = variables.some(pair => pair.startsWith('ELECTRON_RUN_AS_NODE='));
  const told = whatItIsTold(isNode ? 'node' : executable, args);
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
  return { executable, words, files, variables, shown: told.script ?? executable, isBetween, isCertain, parent };
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

/** The parent and the user of a process. */
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
  return content && createHash('sha256').update(content).digest('hex');
}
