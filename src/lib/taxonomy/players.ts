export const PLAYERS_LEAST = 1
export const PLAYERS_MOST = 64
