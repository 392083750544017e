import { phrase } from '../../../../base/phrase';

/** A web window has no code for that. */
export const notListed = () =>
  phrase('the policy "chat.mcp.access" of the editor allows only servers of its registry, which MCP Host cannot check');

/** Where there are lists of rules, nothing starts in a web window: see `managedFile.ts`. */
export const refusalBy = (): undefined => undefined;
