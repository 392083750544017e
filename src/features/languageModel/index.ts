export { acceptsImages, canSendImages, toContentPart, toMessage } from './content';
export {
  DENIED,
  FAILED,
  imageTypeOf,
  NOT_CALLED,
  type PlannedResult,
  piecesOf,
  planPrompt,
  planToolResult,
} from './core/contentPlan';
export {
  assistant,
  type CallPart,
  type ContentPart,
  type MessagePart,
  type ModelMessage,
  ownWords,
  type ResultPart,
  type ScalePictures,
  scaledIn,
  shorten,
  text,
  textOf,
  user,
  withinPictureBudget,
} from './core/modelMessage';
export { argumentRefusal, argumentsForServer, argumentsInItsTerms, schemaForModel } from './core/modelTool';
export { isAny, providerSchema } from './core/providerSchema';
export { findTools, ToolIndex } from './core/relevance';
export { resultAsText } from './core/resultAsText';
export { scalePictures } from './core/scalePictures';
export { entriesOf, type SchemaNode } from './core/schemaNode';
export {
  BYTES_PER_TOKEN,
  type CountingModel,
  type CountTokens,
  DefinitionMeter,
  estimateTokens,
  TokenCounter,
} from './core/tokens';
export {
  CALL_TOOL,
  DESCRIBE_TOOL,
  type DefinedTool,
  type Definition,
  defineTool,
  nameTools,
  type OfferedTool,
  READ_RESOURCE,
  READ_RESULT,
  READ_SKILL,
  RUN_SCRIPT,
  SEARCH_TOOLS,
  toolMatcher,
  toolName,
} from './core/toolNames';
