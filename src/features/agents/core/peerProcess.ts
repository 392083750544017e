import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import * as path from 'node:path';

/** A program that runs, as the system tells: not what it says of itself. */
export interface AgentProcess {
  /** Of the bridge. */
  readonly pid: number;
  /** The programs that started the bridge, the nearest first; empty where the system does not tell. */
  readonly chain: readonly string[];
  /** The folder in which the bridge runs. */
  readonly cwd: string;
}

const MAX_CHAIN = 6;
/** Programs that run others: what they run says more. */
const RUNNERS = /^(?:node|nodejs|bun|deno|python[\d.]*|electron|code)$/;
const SHELLS = /^(?:sh|bash|dash|zsh|fish)$/;

/** A name that a process is to take for a moment, which only that process can: 15 characters are what Linux keeps. */
export const newTitle = (): string => `mcp-${randomBytes(5).toString('hex')}`;

/** Whether the system tells which process has which name. */
export const canProve = process.platform === 'linux';

/** Whether the process has this name now, and is of this person. */
export async function hasTitle(pid: number, title: string): Promise<boolean> {
  try {
    const [name, status] = await Promise.all([readFile(`/proc/${pid}/comm`, 'utf8'), statusOf(pid)]);
    return name.trim() === title && status.uid === process.getuid?.();
  } catch {
    return false;
  }
}

/**
 * The parent process. Never rejects.
 * @param saidCwd used where the system does not expose the folder
 */
export async function agentProcess(pid: number, saidCwd: string): Promise<AgentProcess> {
  const chain: string[] = [];
  if (!canProve) return { pid, chain, cwd: saidCwd };
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => saidCwd);
  try {
    let { parent } = await statusOf(pid);
    while (parent > 1 && chain.length < MAX_CHAIN) {
      chain.push(await programOf(parent));
      ({ parent } = await statusOf(parent));
    }
  } catch {
    // One of them has ended, or is another person's.
  }
  return { pid, chain, cwd };
}

/** The agent among the programs of a chain: the nearest that is no shell. */
export function agentProgram({ chain }: AgentProcess): string | undefined {
  return chain.find(program => !SHELLS.test(path.basename(program))) ?? chain[0];
}

async function statusOf(pid: number): Promise<{ parent: number; uid: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { parent: number('PPid'), uid: number('Uid') };
}

/** The executable; the script where that runs one. */
async function programOf(pid: number): Promise<string> {
  const [executable, commandLine] = await Promise.all([
    readlink(`/proc/${pid}/exe`),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ]);
  if (!RUNNERS.test(path.basename(executable))) return executable;
  const script = commandLine
    .split('\0')
    .slice(1)
    .find(argument => argument && !argument.startsWith('-'));
  if (!script) return executable;
  return path.resolve(await readlink(`/proc/${pid}/cwd`), script);
}
