export { type ArgumentQuestion, askArguments } from './argumentInput';
export { parseInlineArguments, RESERVED_NAMES, resolvePrompt, slashName } from './core/slashCommand';
export { completionSource, type FeedState, type ReadyChoice, type Suggest, SuggestionFeed } from './core/suggestions';
export { askPromptArguments, type PromptCommands, promptRefusal } from './runPrompt';
