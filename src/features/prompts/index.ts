export { parseInlineArguments, RESERVED_NAMES, resolvePrompt, slashName } from './core/slashCommand';
export { askPromptArguments, promptRefusal } from './runPrompt';
