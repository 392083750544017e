export { findTools } from './core/findTools';
export { nameTools, toolName } from './core/toolNames';
export type { ToolOffer } from './toolOffer';
