import type { Phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { schemaForModel } from '../../providerSchemas';
import type { OfferedTool } from './toolNames';
import type { DefinedTool } from './turnTools';

const MAX_DESCRIPTION = 2_000;
const MAX_TITLE = 120;

/** A tool as models get it, or why no provider would accept it. */
export function defineTool(named: OfferedTool): DefinedTool | { readonly problem: Phrase } {
  const { name, serverName, tool } = named;
  const made = schemaForModel(tool);
  if ('problem' in made) return made;
  const title = () => visible(tool.title ?? tool.annotations?.title ?? tool.name, MAX_TITLE);
  const description = `${visible(serverName)}: ${visible(tool.description ?? title(), MAX_DESCRIPTION)}`;
  return { ...named, definition: { name, description, inputSchema: made.schema } };
}
