/** Web windows run no programs, which could write anything. */
export const tellingLine = (): undefined => undefined;
