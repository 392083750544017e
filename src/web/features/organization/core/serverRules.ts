/** Where there are lists of rules, nothing starts in a web window: see `managedFile.ts`. */
export const refusalBy = (): undefined => undefined;
