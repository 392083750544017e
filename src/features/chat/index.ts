export { findTools } from './core/findTools';
export { providerSchema } from './core/providerSchema';
export { nameTools, toolName } from './core/toolNames';
export type { ToolOffer } from './toolOffer';
