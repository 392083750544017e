export interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * What a command prints and ends with, run by the function behind it: a start of the program for each takes a third of a second of
 * a processor. Only the folder, the variables and what is printed are as in a process of its own.
 */
export async function inThisProcess(
  command: () => Promise<number>,
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const [cwdBefore, envBefore] = [process.cwd(), { ...process.env }];
  const printed = { stdout: '', stderr: '' };
  const restore = (['stdout', 'stderr'] as const).map(name => {
    const { write } = process[name];
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += text;
      return true;
    };
    return () => {
      process[name].write = write;
    };
  });
  process.chdir(cwd);
  Object.assign(process.env, env);
  try {
    const code = await command();
    return { code, ...printed };
  } finally {
    process.chdir(cwdBefore);
    for (const name of Object.keys(env)) {
      delete process.env[name];
      if (envBefore[name] !== undefined) process.env[name] = envBefore[name];
    }
    for (const each of restore) each();
  }
}
