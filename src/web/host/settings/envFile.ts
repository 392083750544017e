/** Only programs have environments. */
export const parseEnvFile = (): Record<string, string> => ({});
