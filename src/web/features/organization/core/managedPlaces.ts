import type { ManagedPlaces } from '../../../../features/organization/core/managedPlaces';

/** A web window has no files of the machine: only the editor's policy counts. */
export const managedPlaces = (): ManagedPlaces => ({
  files: { own: '', copilot: '', claudeCode: '', claudeCodeServers: '' },
  owner: 0,
});

export const mayBeThere = async (): Promise<boolean> => false;

export const watchFiles = () => () => {};
