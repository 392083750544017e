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
export { scalePictures } from './core/scalePictures';
export {
  BYTES_PER_TOKEN,
  type CountingModel,
  type CountTokens,
  DefinitionMeter,
  estimateTokens,
  TokenCounter,
} from './core/tokens';
