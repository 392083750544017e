export { findTools } from './core/relevance';
export { type DefinedTool, defineTool, nameTools, toolName } from './core/toolNames';
