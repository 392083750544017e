import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import type { Event } from '../../../base/events';
import type { ServerConnection } from '../../../host';
import type { ResourceAddress } from './resourceAddress';
import type { Folder } from './resourceFolders';

/** A row of the Resources view. */
export type ResourceNode =
  | { readonly type: 'server'; readonly server: ServerConnection }
  | { readonly type: 'folder'; readonly server: ServerConnection; readonly folder: Folder<Resource> }
  | { readonly type: 'resource'; readonly server: ServerConnection; readonly resource: Resource }
  | { readonly type: 'more'; readonly server: ServerConnection }
  | { readonly type: 'templates'; readonly server: ServerConnection }
  | {
      readonly type: 'template';
      readonly server: ServerConnection;
      readonly template: ResourceTemplateType;
      /** Position among the server's templates, since two may be alike. */
      readonly index: number;
    }
  | {
      /** A resource opened through a template. */
      readonly type: 'recent';
      readonly server: ServerConnection;
      readonly template: ResourceTemplateType;
      readonly resource: Resource;
    }
  | { readonly type: 'message'; readonly text: string; readonly icon: 'info' | 'error' | 'loading~spin' | 'warning' };

/** The watched resources as a view sees them. */
export interface WatchedResources {
  has(address: ResourceAddress): boolean;
  readonly onDidChange: Event<void>;
}
