/** Tools for chat participants of others, as `package.json` has them with `mcpHost_` in front. */
export const LANGUAGE_MODEL_TOOLS = ['callTool', 'getPrompt', 'listTools', 'readResource'] as const;

export type LanguageModelToolName = (typeof LANGUAGE_MODEL_TOOLS)[number];
