/** Only programs have environments. */
export const parseEnv = (): Record<string, string> => ({});
