export * from './core';
export type { OfferedTools } from './offeredTools';
export type { ProfileMenu } from './profileMenu';
export type { Profiles } from './profiles';
