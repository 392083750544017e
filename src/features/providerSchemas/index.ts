export { argumentsForServer, argumentsInItsTerms, schemaForModel } from './core/modelTool';
export { isAny, providerSchema } from './core/providerSchema';
export { entriesOf, type SchemaNode, stringsOf } from './core/schemaNode';
