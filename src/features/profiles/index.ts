export { includesServer, includesTool, type Profile } from './core/readProfiles';
export type { OfferedTools } from './offeredTools';
export type { ProfileMenu } from './profileMenu';
export type { Profiles } from './profiles';
