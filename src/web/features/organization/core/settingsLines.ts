/** A web window reads no file of the machine. */
export const settingsLines = (): [] => [];
