/** A browser does not reveal the home folder. */
export const homedir = (): string => '/';

/** Of the machine nothing is known here. */
export const release = (): string => 'web';
