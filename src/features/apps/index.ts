export type { AppCall, AppContext } from './appFrame';
export type { Apps } from './apps';
export type { CalledApps } from './calledApps';
export { hasAppInView, IN_VIEW } from './core/keptKeys';
