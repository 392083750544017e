import type { ContentBlock, ResourceLink } from '@modelcontextprotocol/client';
import { interfaceIn, type UserInterface } from './userInterface';

/** The resource that a block has inside, or links to. */
type BlockResource = Partial<ResourceLink> & Pick<ResourceLink, 'uri'>;

/** Where a text or bytes come from, if they are embedded, and the page or website that they stand for. */
interface ResourceContent {
  readonly resource?: BlockResource;
  readonly shown?: UserInterface | undefined;
}

/** A content block as all read it that show one: an embedded resource is a text or bytes that have an address. */
export type BlockContent =
  | ({ readonly kind: 'text'; readonly text: string } & ResourceContent)
  | ({ readonly kind: 'bytes'; readonly base64: string; readonly mimeType?: string | undefined } & ResourceContent & {
        readonly media: 'image' | 'audio' | 'other';
      })
  | { readonly kind: 'link'; readonly resource: BlockResource }
  | { readonly kind: 'unknown'; readonly type: unknown };

/** Reads a block (spec: `ContentBlock`). What it lacks is empty. */
export function blockContent(raw: unknown): BlockContent {
  const block = Object(raw) as ContentBlock;
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: said(block.text) ?? '' };
    case 'image':
    case 'audio':
      return { kind: 'bytes', base64: said(block.data) ?? '', mimeType: said(block.mimeType), media: block.type };
    case 'resource_link':
      return { kind: 'link', resource: block };
    case 'resource': {
      const { uri, text, blob, ...more } = Object(block.resource) as Record<string, unknown>;
      const mimeType = said(more.mimeType);
      const of = {
        resource: { uri: String(uri), ...(mimeType !== undefined && { mimeType }) },
        shown: interfaceIn(raw),
      };
      if (typeof text === 'string') return { kind: 'text', text, ...of };
      const media = /^\s*(image|audio)\//i.exec(mimeType ?? '')?.[1]?.toLowerCase() as 'image' | 'audio' | undefined;
      return { kind: 'bytes', base64: said(blob) ?? '', mimeType, media: media ?? 'other', ...of };
    }
    default:
      return { kind: 'unknown', type: (block as { readonly type: unknown }).type };
  }
}

const said = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The number of bytes in base64 without white space. */
export const base64Size = (base64: string): number =>
  Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
