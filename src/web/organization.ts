// In place of: features/organization/core/managedFile, features/organization/core/managedPlaces,
//   features/organization/core/packageSources, features/organization/core/readManagedFile,
//   features/organization/core/serverRules
import { phrase } from '../base/phrase';
import type { ManagedPlaces } from '../features/organization/core/managedPlaces';

/** A web window reads no file of the machine, and has no code for the lists of the editor: if there are any, nothing starts. */
export const parseManagedFile = () => phrase('web windows cannot check lists of servers');
export const fixedSettings = () => [];
export const fileLines = () => [];

/** A web window has no files of the machine: only the editor's policy counts. */
export const managedPlaces = (): ManagedPlaces => ({
  files: { own: '', copilot: '', claudeCode: '', claudeCodeServers: '' },
  owner: 0,
});

export const mayBeThere = async (): Promise<boolean> => false;

export const watchFiles = () => () => {};

/** No managed file is read here, and no program is run. */
export const notFromSources = (): undefined => undefined;
export const fromSources = <T>(_sources: object, entry: T): T => entry;
export const hostsOf = (): string[] => [];

export const readManagedFile = async (): Promise<undefined> => undefined;

/** A web window has no code for that. */
export const notListed = () =>
  phrase('the policy "chat.mcp.access" of the editor allows only servers of its registry, which MCP Host cannot check');

/** Where there are lists of rules, `parseManagedFile` lets nothing start in a web window. */
export const refusalBy = (): undefined => undefined;
export const isAtAny = (): boolean => false;
