/** What a page may show of the data that is sent to it. It loads nothing from elsewhere. */
export interface PageMedia {
  /** Whether it may draw pictures and play sounds. */
  readonly media?: boolean;
  /** Whether it may draw pictures, and play nothing. */
  readonly pictures?: boolean;
}

/** The Content-Security-Policy of a page: it loads our styles and runs our one script. @param styles the source of our files. */
export function pagePolicy(styles: string, nonce: string, { media = false, pictures = false }: PageMedia): string {
  const policy = [`default-src 'none'`, `style-src ${styles}`, `script-src 'nonce-${nonce}'`];
  if (media || pictures) policy.push('img-src blob:');
  if (media) policy.push('media-src blob:');
  return policy.join('; ');
}
