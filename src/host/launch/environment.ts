import * as nodePath from 'node:path';
import { parseEnvFile } from '../settings';
import { WorkspaceMention } from './workspaceMention';

interface EnvironmentSources {
  /** Default: that of this process. */
  inherited?: NodeJS.ProcessEnv;
  /** PATH of the person's login shell. */
  shellPath: string | undefined;
  /** Text of the entry's `envFile`. */
  envFile: string | undefined;
  /** `env` of the entry: null removes. */
  own: Readonly<Record<string, string | null>>;
  /** Inherited values that lead into one of these folders are dropped. */
  clearOf: readonly string[];
  platform?: NodeJS.Platform;
}

/**
 * The environment of a program: the editor's without what the editor sets for its own processes, the login shell's PATH, the
 * `envFile`, then the entry's `env`. PATH keeps only absolute folders: relative ones would find programs in the working
 * folder.
 */
export function launchEnvironment(sources: EnvironmentSources): NodeJS.ProcessEnv {
  const { inherited = process.env, shellPath, envFile, own, clearOf, platform = process.platform } = sources;
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const { delimiter, isAbsolute } = path;
  const mention = new WorkspaceMention(clearOf, { platform, path });
  const env = new Variables(platform === 'win32');
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || /^(VSCODE_|ELECTRON_)/.test(name)) continue;
    if (/^PATH$/i.test(name) || !mention.in(value, undefined)) env.set(name, value);
  }
  if (shellPath) env.set('PATH', shellPath);
  const foldersOf = (list: string) => list.split(delimiter).filter(folder => isAbsolute(folder.replace(/^"/, '')));
  const clear = foldersOf(env.get('PATH') ?? '').filter(folder => !mention.in(folder.replaceAll('"', ''), undefined));
  env.set('PATH', clear.join(delimiter));
  const written = { ...(envFile !== undefined && parseEnvFile(envFile)), ...own };
  for (const [name, value] of Object.entries(written)) env.set(name, value);
  // An empty PATH stands for the folder that the program runs in.
  const fallback =
    platform === 'win32' ? [`${env.get('SystemRoot') ?? 'C:\\Windows'}\\System32`] : ['/usr/bin', '/bin'];
  const folders = foldersOf(env.get('PATH') ?? '');
  env.set('PATH', (folders.length > 0 ? folders : fallback).join(delimiter));
  // Else shells of Windows, and what they start, look there first.
  if (platform === 'win32' && env.get('NoDefaultCurrentDirectoryInExePath') === undefined)
    env.set('NoDefaultCurrentDirectoryInExePath', '1');
  return env.all;
}

/** Environment variables. On Windows, names ignore case: each exists once, in its last spelling. */
class Variables {
  readonly all: NodeJS.ProcessEnv = {};

  constructor(private readonly ignoresCase: boolean) {}

  get(name: string): string | undefined {
    return this.all[this.#nameOf(name)];
  }

  set(name: string, value: string | null): void {
    const before = this.#nameOf(name);
    if (value === null || before !== name) delete this.all[before];
    if (value !== null) this.all[name] = value;
  }

  #nameOf(name: string): string {
    if (!this.ignoresCase || name in this.all) return name;
    return Object.keys(this.all).find(known => known.toLowerCase() === name.toLowerCase()) ?? name;
  }
}
