export { EngineNews, remedyFor } from './engine-news';
export { EnginePatrol, type WatchedEngine } from './engine-patrol';
