export type { AppContext, CalledApps } from './calledApps';
