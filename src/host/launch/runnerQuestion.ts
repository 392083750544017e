import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFile, readBounded } from '../../base/files';
import { Queue } from '../../base/queue';
import { type Launch, releaseGroup, signalGroup, spawnGroup } from './processGroup';

const LIMIT_MS = 120_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_OUTPUT = 64 * 1024;

/** What a package runner was about to start. */
export interface RunnerAnswer {
  readonly cwd: string;
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
}

interface RunnerReply {
  /** Undefined: it was about to start nothing. */
  readonly answer: RunnerAnswer | undefined;
  readonly stderr: string;
}

/** Without a network, npm would try again for more than a minute. */
const ASKING = { npm_config_fetch_retries: '0' };
/** Variables of a question, which the programs that npm starts do not have. */
export const OF_QUESTION: readonly string[] = [...Object.keys(ASKING), 'npm_config_script_shell'];

/** Stands in for the shell of npm, which calls it with `-c` and the line. */
const SHELL = `#!/bin/sh
[ "$1" = -c ] || exit 1
exec "$npm_node_execpath" -e '
const [file, line] = process.argv.slice(1);
require("node:fs").writeFileSync(file, JSON.stringify({ cwd: process.cwd(), line, env: process.env }));
' "$0.json" "$2"
`;

/** One after the other, because the window has more urgent work. */
const turns = new Queue();

/**
 * Asks npm what it would start, by running it with another shell. Nothing of the package runs. Never rejects.
 * @param launch a line that installs nothing. Npm older than 7 does not know of the shell, and is not asked.
 * @param pauseMs how long to wait before, when its turn has come.
 */
export function askRunner(launch: Launch, pauseMs: number): Promise<RunnerReply> {
  return turns.run(async () => {
    const nothing = { answer: undefined, stderr: '' };
    await delay(pauseMs, undefined, { ref: false });
    const folder = await mkdtemp(join(tmpdir(), 'mcp-host-')).catch(() => undefined);
    if (folder === undefined) return nothing;
    try {
      const shell = join(folder, 'shell');
      await createFile(shell, SHELL);
      await chmod(shell, 0o700);
      const version = await outputOf({ ...launch, args: ['--version'] }, 'stdout');
      if (!(Number.parseInt(version.trim(), 10) >= 7)) return nothing;
      const env = { ...launch.env, ...ASKING, npm_config_script_shell: shell };
      const stderr = await outputOf({ ...launch, env }, 'stderr');
      const text = await readBounded(`${shell}.json`, MAX_ANSWER_BYTES).catch(() => undefined);
      return { answer: text === undefined ? undefined : (JSON.parse(text) as RunnerAnswer), stderr };
    } catch {
      return nothing;
    } finally {
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  });
}

/** What a program without input prints on stdout or stderr until its end. @throws Node's error when it can't be started */
async function outputOf(launch: Launch, from: 'stdout' | 'stderr'): Promise<string> {
  const stdio = from === 'stdout' ? (['ignore', 'pipe', 'ignore'] as const) : (['ignore', 'ignore', 'pipe'] as const);
  const child = spawnGroup({ ...launch, stdio: [...stdio] });
  const { pid } = child;
  let output = '';
  child[from]?.setEncoding('utf8').on('data', (chunk: string) => {
    if (output.length < MAX_OUTPUT) output += chunk;
  });
  const closed = new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject));
  if (pid === undefined) {
    await closed;
    return '';
  }
  const limit = setTimeout(() => signalGroup(pid, 'SIGKILL'), LIMIT_MS);
  try {
    await closed;
    return output;
  } finally {
    clearTimeout(limit);
    releaseGroup(pid);
  }
}
