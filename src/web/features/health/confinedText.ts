/** Nothing is started in a browser. */
export const confinementText = (): undefined => undefined;
export const confinementTables = (): [] => [];
