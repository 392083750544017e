export { acceptsImages, canSendImages, toContentPart, toMessage } from './content';
export { piecesOf } from './core/contentBlocks';
export { DENIED, FAILED, NOT_CALLED, type PlannedResult, planPrompt, planToolResult } from './core/contentPlan';
export { type CountingModel, DefinitionMeter } from './core/definitionMeter';
export { imageTypeOf } from './core/imageType';
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
  textOf,
  user,
} from './core/modelMessage';
export { type ScalePictures, scaledIn, withinPictureBudget } from './core/modelPictures';
export { scalePictures } from './core/scalePictures';
export { BYTES_PER_TOKEN, type CountTokens, estimateTokens, TokenCounter } from './core/tokens';
