export { bridgeIn, defaultHome } from './core/bridge/windowCards';
