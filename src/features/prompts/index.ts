export { parseInlineArguments, RESERVED_NAMES, resolvePrompt, slashName } from './core/slashCommand';
export { completionSource, type FeedState, type Suggest, SuggestionFeed } from './core/suggestions';
export { askPromptArguments, type PromptCommands, promptRefusal } from './runPrompt';
