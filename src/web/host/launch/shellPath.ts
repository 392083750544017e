/** There is no shell. */
export const loginShellPath = (): Promise<undefined> => Promise.resolve(undefined);
