export { parseInlineArguments, RESERVED_NAMES, resolvePrompt, slashName } from './core/slashCommand';
export { askPromptArguments, type PromptCommands, promptRefusal } from './runPrompt';
