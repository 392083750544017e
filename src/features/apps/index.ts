export type { CalledApps } from './calledApps';
