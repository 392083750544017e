export { acceptsImages, canSendImages, toContentPart, toMessage } from './content';
export * from './core';
