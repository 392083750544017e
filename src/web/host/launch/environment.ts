// Web windows start no programs: nothing has an environment, and no variable an effect.

export const launchEnvironment = (): Record<string, string> => ({});
export const powerOf = (): undefined => undefined;
export const loginShellPath = (): Promise<undefined> => Promise.resolve(undefined);
export const findProgram = (): undefined => undefined;
