/** The items that a server offers, and how changes of them are detected. */

export { CATALOG_KINDS, type CatalogItems, type CatalogKind } from '../reading/lists';
export { Catalog } from './catalog';
export type { CatalogList, ExcludedItem } from './catalogPages';
export {
  coveredBefore,
  once,
  type PinnedResource,
  promptDefinition,
  resourceDefinition,
  toolDefinition,
} from './pinnedDefinitions';
export { APP_MIME_TYPE, appOf, isFor, UI_EXTENSION } from './tools';
