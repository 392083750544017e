export { includesServer, includesTool, type Profile } from './readProfiles';
