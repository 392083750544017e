export { defineTool } from './core/defineTool';
export { findTools } from './core/findTools';
export { originalArguments, providerSchema } from './core/providerSchema';
export { nameTools, toolName } from './core/toolNames';
export type { DefinedTool } from './core/turnTools';
export type { ToolOffer } from './toolOffer';
