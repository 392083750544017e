export { type ArgumentQuestion, askArguments } from './argumentInput';
export type { ReadyChoice } from './core/suggestions';
export { completionSource, type FeedState, type Suggest, SuggestionFeed } from './core/suggestions';
