export {
  DENIED,
  FAILED,
  imageTypeOf,
  NOT_CALLED,
  type PlannedResult,
  piecesOf,
  planPrompt,
  planToolResult,
} from './contentPlan';
export {
  assistant,
  type CallPart,
  type ContentPart,
  type MessagePart,
  type ModelMessage,
  ownWords,
  type ResultPart,
  shorten,
  text,
  textOfParts,
  user,
} from './modelMessage';
export { type ScalePictures, scaledIn, withinPictureBudget } from './modelPictures';
export {
  argumentRefusal,
  argumentsForServer,
  argumentsInItsTerms,
  convertedOnce,
  defineTool,
  madeSoFar,
  makeSchemas,
  schemaForModel,
} from './modelTool';
export { isAny, providerSchema } from './providerSchema';
export { findTools, ToolIndex } from './relevance';
export { resultAsText } from './resultAsText';
export { scalePictures } from './scalePictures';
export { entriesOf, type SchemaNode } from './schemaNode';
export {
  BYTES_PER_TOKEN,
  type CountingModel,
  type CountTokens,
  DefinitionMeter,
  estimateTokens,
  TokenCounter,
} from './tokens';
export {
  CALL_TOOL,
  DESCRIBE_TOOL,
  type DefinedTool,
  type Definition,
  nameTools,
  type OfferedTool,
  READ_RESOURCE,
  READ_RESULT,
  READ_SKILL,
  RUN_SCRIPT,
  SEARCH_TOOLS,
  toolMatcher,
  toolName,
} from './toolNames';
export { commentOf, keyOf, typeText } from './typeText';
