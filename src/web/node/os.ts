/** A browser tells of no home folder. */
export const homedir = (): string => '/';
