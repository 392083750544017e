import type { Resource } from '@modelcontextprotocol/client';
import type { ServerConnection } from '../../host';
import type { Folder } from './folders';

/** A row of the Resources view. */
export type ResourceNode =
  | { readonly type: 'server'; readonly server: ServerConnection }
  | { readonly type: 'folder'; readonly server: ServerConnection; readonly folder: Folder<Resource> }
  | { readonly type: 'resource'; readonly server: ServerConnection; readonly resource: Resource }
  | { readonly type: 'more'; readonly server: ServerConnection }
  | { readonly type: 'message'; readonly text: string; readonly icon: 'info' | 'error' | 'loading~spin' | 'warning' };
