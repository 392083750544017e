import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt } from '../../base/errors';
import { readBounded } from '../../base/files';

const onWindows = process.platform === 'win32';
const onLinux = process.platform === 'linux';
const POLL_MS = 25;
const MAX_POLL_MS = 200;
const MAX_STAT_BYTES = 4_096;

/** A live process that belongs to a server. */
interface SessionMember {
  readonly pid: number;
  readonly group: number;
}

/**
 * The live processes of a leader's session: its group, and children that went into groups of their own. A process that made a
 * session of its own, as a daemon does, is not among them. Linux only, elsewhere empty. Never rejects.
 */
async function membersOfSession(leader: number): Promise<SessionMember[]> {
  if (!onLinux) return [];
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name)).map(Number);
  const members = await Promise.all(pids.map(pid => memberAt(pid, leader)));
  return members.filter(member => member !== undefined);
}

/** Signals the members of a leader's session that are not in its group: `signalGroup` reaches the others. Never rejects. */
export async function signalOtherGroups(leader: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  for (const { pid, group } of await membersOfSession(leader)) {
    try {
      if (group !== leader) process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }
}

/** Resolves when no process of the group and session lives, after `patienceMs` at most. Zombies do not count. */
export async function endOfSession(leader: number, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let known: readonly SessionMember[] = [];
  for (let pause = POLL_MS; performance.now() < deadline; pause = Math.min(pause * 2, MAX_POLL_MS)) {
    if (onLinux) {
      known = await alive(known, leader);
      // What they have started meanwhile is found when all of them are gone.
      if (known.length === 0) known = await membersOfSession(leader);
      if (known.length === 0) return;
    } else if (!groupExists(leader)) {
      return;
    }
    await delay(Math.min(pause, Math.max(1, deadline - performance.now())));
  }
}

async function alive(members: readonly SessionMember[], leader: number): Promise<SessionMember[]> {
  const found = await Promise.all(members.map(({ pid }) => memberAt(pid, leader)));
  return found.filter(member => member !== undefined);
}

/** See proc_pid_stat(5): the name before these fields may contain spaces and parentheses. */
async function memberAt(pid: number, leader: number): Promise<SessionMember | undefined> {
  const stat = await readBounded(`/proc/${pid}/stat`, MAX_STAT_BYTES).catch(() => '');
  const [state = '', , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(session) === leader && !'ZX'.includes(state) ? { pid, group: Number(group) } : undefined;
}

/** Always false on Windows, which has no groups. */
const groupExists = (leader: number): boolean => attempt(() => !onWindows && process.kill(-leader, 0), false);
