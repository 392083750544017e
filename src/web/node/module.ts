/** The browser keeps compiled code by itself. */
export const enableCompileCache = undefined;
