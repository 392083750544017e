import { randomBytes } from 'node:crypto';
import { readlink, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { readBounded } from '../../../base/files';
import { type SeenProgram, seenProgram, statusOf } from './seenProgram';

/** What started a bridge. */
export interface AgentProcess {
  /** Of the bridge. */
  readonly pid: number;
  /** What runs in the bridge's process, and what started it, up to the agent, which is the last. Empty: the system does not tell. */
  readonly programs: readonly SeenProgram[];
  /** The programs above the bridge, the nearest first, for people. */
  readonly parents: readonly string[];
  /** The folder in which the bridge runs. */
  readonly cwd: string;
  /** Whether the system tells which program the agent is. */
  readonly isCertain: boolean;
}

const MAX_PARENTS = 6;
/** Takes over processes whose parent has ended. What started such a process is no longer known. */
const REAPER = /^(systemd|init)$/;

/** A name that a process is to take for a moment, which only that process can: 15 characters are what Linux keeps. */
export const newTitle = (): string => `mcp-${randomBytes(5).toString('hex')}`;

/** Whether the system tells which process has which name. */
export const canProve = process.platform === 'linux';

/**
 * Whether the process has this name now, and is one of this person, outside of containers: there, process ids and paths mean
 * something else.
 */
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

/**
 * The program that started a process. Never rejects.
 * @param saidCwd used where the system does not expose the folder
 * @param bridge path of the one that agents start
 */
export async function agentProcess(pid: number, saidCwd: string, bridge: string): Promise<AgentProcess> {
  const programs: SeenProgram[] = [];
  const parents: string[] = [];
  if (!canProve) return { pid, programs, parents, cwd: saidCwd, isCertain: false };
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => saidCwd);
  let isFound = false;
  try {
    let at = pid;
    while (at > 1 && parents.length <= MAX_PARENTS) {
      const seen = await seenProgram(at);
      if (!isFound) {
        if (!(await isInOurNamespaces(at)) || REAPER.test(path.basename(seen.executable))) break;
        const isBridge = at === pid && (await isOurBridge(seen, bridge));
        programs.push(isBridge ? { ...seen, words: [], files: [] } : seen);
        isFound = !isBridge && !seen.isBetween;
      }
      if (at !== pid) parents.push(seen.shown);
      at = seen.parent;
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
