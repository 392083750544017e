export { defineTool } from './core/defineTool';
export { findTools } from './core/relevance';
export { nameTools, toolName } from './core/toolNames';
export type { DefinedTool } from './core/turnTools';
export type { ToolOffer } from './toolOffer';
