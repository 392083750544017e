/** A web window has no programs. */
export const findProgram = (): undefined => undefined;
