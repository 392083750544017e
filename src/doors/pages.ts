/** The pages of tools, prompts and resource templates, and apps of servers. */
export { Apps } from '../features/apps/apps';
export { ItemPages } from '../features/tools/page/itemPages';
