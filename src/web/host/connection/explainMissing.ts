/** Web windows run no programs. */
export const explainMissing = (): undefined => undefined;
