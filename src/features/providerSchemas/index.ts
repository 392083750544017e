export { argumentsForServer, argumentsInItsTerms, schemaForModel } from './core/modelTool';
export { isAny, providerSchema } from './core/providerSchema';
export { entriesOf, type SchemaNode } from './core/schemaNode';
