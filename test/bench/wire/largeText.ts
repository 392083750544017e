/** A text of so many bytes, in lines. */
export const largeText = (bytes: number): string =>
  'All work and no play makes Jack a dull boy\n'.repeat(bytes / 43 + 1).slice(0, bytes);
