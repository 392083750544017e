/** A web window runs no programs, so no packages are fetched. */
export const packagesOf = (): readonly never[] => [];
