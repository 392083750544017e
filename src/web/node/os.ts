/** A browser does not reveal the home folder. */
export const homedir = (): string => '/';

/** The machine is unknown here. */
export const release = (): string => 'web';
