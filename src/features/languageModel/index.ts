export { acceptsImages, canSendImages, toContentPart, toMessage } from './content';
export { piecesOf } from './core/contentBlocks';
export { DENIED, FAILED, NOT_CALLED, planPrompt, planToolResult } from './core/contentPlan';
export { type CountingModel, DefinitionMeter } from './core/definitionMeter';
export { imageTypeOf } from './core/imageType';
export {
  assistant,
  type CallPart,
  type ContentPart,
  type MessagePart,
  type ModelMessage,
  type ResultPart,
  shorten,
  text,
  textOf,
  user,
} from './core/modelMessage';
export { BYTES_PER_TOKEN, type CountTokens, estimateTokens, TokenCounter } from './core/tokens';
