/** The pages of tools, prompts, resource templates and servers' forms, and apps of servers. */
export { Apps } from '../features/apps/apps';
export { askForm, editOnPage } from '../features/tools/askForm';
export { ItemPages } from '../features/tools/itemPage';
