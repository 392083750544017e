/** Only programs have environments. */
export const launchEnvironment = (): Record<string, string> => ({});
