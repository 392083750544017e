import type {
  declarationOf as declared,
  functionNames as named,
} from '../../../../features/chat/core/toolDeclarations';

/** Declarations are for scripts, which do not run in web windows. */
export const declarationOf: typeof declared = () => '';
export const functionNames: typeof named = () => new Map();
