export { findTools } from './core/findTools';
export { providerSchema } from './core/providerSchema';
export type { ToolOffer } from './toolOffer';
