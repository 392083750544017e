import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';

const MARK = '__mcp_host_path__';

/**
 * The PATH of the person's login shell, so that programs installed by nvm, fnm, volta or Homebrew are found even if the
 * editor was started from the desktop. Undefined on Windows, where PATH is the system's, and when the shell does not answer
 * within `timeoutMs`.
 */
export async function loginShellPath(
  env: NodeJS.ProcessEnv = process.env,
  timeoutMs = 5_000,
): Promise<string | undefined> {
  const shell = env.SHELL;
  if (process.platform === 'win32' || !shell || !isAbsolute(shell)) return undefined;
  const output = await run(shell, ['-i', '-l', '-c', `echo ${MARK}; printenv PATH; echo ${MARK}`], env, timeoutMs);
  const path = output?.split(MARK)[1]?.trim();
  return path ? mergePaths(path, env.PATH ?? '') : undefined;
}

/** The shell's folders first, then those that only this process has. Relative folders are left out. */
export function mergePaths(shellPath: string, ownPath: string): string {
  return [...new Set([...shellPath.split(delimiter), ...ownPath.split(delimiter)])].filter(isAbsolute).join(delimiter);
}

function run(shell: string, args: string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string | undefined> {
  return new Promise(resolve => {
    // In its own session: an interactive shell must not take over the terminal that the editor was started from.
    const child = spawn(shell, args, {
      env: { ...env, PATH: mergePaths('', env.PATH ?? ''), VSCODE_RESOLVING_ENVIRONMENT: '1' },
      // The editor may have been started in an untrusted folder, which could contain files that shell hooks look for.
      cwd: homedir(),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    let output = '';
    const finish = (result: string | undefined) => {
      clearTimeout(timer);
      if (child.pid !== undefined && child.exitCode === null) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // It has just ended.
        }
      }
      child.stdout.destroy();
      resolve(result);
    };
    child.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk;
      if (output.split(MARK).length > 2) finish(output);
    });
    child.once('error', () => finish(undefined));
    child.once('close', () => finish(output));
  });
}
