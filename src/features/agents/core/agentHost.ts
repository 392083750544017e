import { readlink } from 'node:fs/promises';
import { readBounded } from '../../../base/files';
import { canProve, statusOf } from './agentIdentity';

const MAX_COMMAND_LINE = 64 * 1024;
/** Agent host, its runtime, perhaps a launcher, the bridge. */
const MAX_STEPS = 6;
const AGENT_HOST = '--type=agentHost';

/**
 * Whether a process was started by the agent host of this editor, in which its own chat runs: a program of the editor, with the
 * editor's main process as its parent, as this window has. False where the system does not tell. Never rejects.
 */
export async function isOfAgentHost(pid: number): Promise<boolean> {
  if (!canProve) return false;
  try {
    let at = pid;
    for (let step = 0; step < MAX_STEPS && at > 1; step++) {
      const { parent } = await statusOf(at);
      if (parent === process.ppid) return step > 0 && (await isAgentHost(at));
      at = parent;
    }
  } catch {
    // One of them has ended.
  }
  return false;
}

async function isAgentHost(pid: number): Promise<boolean> {
  const [program, ours, commandLine] = await Promise.all([
    readlink(`/proc/${pid}/exe`),
    readlink('/proc/self/exe'),
    readBounded(`/proc/${pid}/cmdline`, MAX_COMMAND_LINE),
  ]);
  return program === ours && commandLine.split('\0').includes(AGENT_HOST);
}
