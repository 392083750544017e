/** The pages of tools, prompts, resource templates and servers' forms, and apps of servers. */
export { Apps } from '../features/apps/apps';
export { askForm } from '../features/tools/page/askForm';
export { ItemPages } from '../features/tools/page/itemPages';
