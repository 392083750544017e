export { findTools } from './core/findTools';
export type { ToolOffer } from './toolOffer';
