export { nearest } from '../nearest.ts';
