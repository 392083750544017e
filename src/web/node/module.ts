/** The browser caches compiled code itself. */
export const enableCompileCache = undefined;
