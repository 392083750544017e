export { checkConformance } from './checkConformance';
