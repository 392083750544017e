export { promptRefusal } from './blockedPrompt';
export { parseInlineArguments } from './core/inlineArguments';
export { RESERVED_NAMES, resolvePrompt, slashName } from './core/promptNames';
export { askPromptArguments } from './runPrompt';
