export type { AppContext } from './appFrame';
export type { CalledApps } from './calledApps';
