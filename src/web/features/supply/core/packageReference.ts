/** A web window runs no programs, so no packages are fetched. */
export const packagesOf = (): readonly never[] => [];
export const floatingOf = (): readonly never[] => [];
export const pinEntry = (): undefined => undefined;
