// In place of zod for the bridge to apps (esbuild.js), which takes it as one object: that brings all of it along, with every language.
import {
  any,
  array,
  boolean,
  literal,
  never,
  undefined as nothing,
  number,
  object,
  record,
  string,
  union,
  unknown,
} from 'zod/v4';

/** What the bridge uses of zod. */
export const z = {
  any,
  array,
  boolean,
  literal,
  never,
  number,
  object,
  record,
  string,
  undefined: nothing,
  union,
  unknown,
};
