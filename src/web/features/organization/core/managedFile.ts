import { phrase } from '../../../../base/phrase';

/** A web window reads no file of the machine, and has no code for the lists of the editor: if there are any, nothing starts. */
export const parseManagedFile = () => phrase('web windows cannot check lists of servers');
export const FORBIDDABLE = [] as const;
