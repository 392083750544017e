export { argumentsForServer, argumentsInItsTerms, schemaForModel } from './core/modelTool';
export { isAny, providerSchema } from './core/providerSchema';
export { entriesOf, isNode, type SchemaNode, stringsOf } from './core/schemaNode';
