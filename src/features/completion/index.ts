export { type ArgumentQuestion, askArguments } from './argumentInput';
export { completionSource } from './core/completionSource';
export type { ReadyChoice } from './core/stepRows';
export { type FeedState, type Suggest, SuggestionFeed } from './core/suggestionFeed';
