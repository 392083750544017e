export { eventServerOf, isEventRow } from './eventUri';
export type { ServerEvents } from './serverEvents';
