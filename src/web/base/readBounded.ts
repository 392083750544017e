/** Only programs have an `envFile`. */
export const readBounded = (path: string): Promise<never> => Promise.reject(new Error(`${path} is on no disk`));
