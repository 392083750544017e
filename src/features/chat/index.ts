export { findTools } from './core/findTools';
export type { OfferCost, ToolOffer } from './toolOffer';
