export { eventServerOf } from './eventUri';
export type { ServerEvents } from './serverEvents';
