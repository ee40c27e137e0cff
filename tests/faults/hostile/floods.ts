import { type Random } from '../../../src/lib/random.ts'
import type { Attack } from './attacks.ts'
import type { Target } from './target.ts'

/** Words of the demo's listings. */
const WORDS = ['light', 'star', 'garden', 'moss', 'river', 'night', 'puzzle', 'storm', 'wood', 'tower']
/** Each of them asks about 0.9 times a second: 350 searches a second in all, far below every limit. */
const FLOOD_ADDRESSES = 400
const FLOOD_PAUSE_MS = 1140

/** Requests that are all allowed, and cost much or come from many. */
export interface Flood {
  /** How many send at once, each its next request after the answer to the last one. */
  senders: number
  /** The least time between two requests of a sender. */
  pauseMs: number
  make(random: Random, target: Target, sender: number): Attack
}

export const FLOODS = {
  /** One visitor on pages whose texts are as long as they may be. */
  costly_pages: {
    senders: 16,
    pauseMs: 0,
    make: (random, { enemy }) => ({
      method: 'GET',
      path: random.pick([
        `/games/${enemy.gameUid}`,
        `/api/v1/private/games/${enemy.gameUid}`,
        `/api/v1/private/games/${enemy.gameUid}/lint`,
        `/assets/palettes/${random
          .below(2 ** 24)
          .toString(16)
          .padStart(6, '0')}.00000000.css`,
      ]),
      headers: { cookie: enemy.cookie, 'x-forwarded-for': enemy.address },
    }),
  },
  /** Plain searches of many visitors of two networks. */
  search_flood: {
    senders: FLOOD_ADDRESSES,
    pauseMs: FLOOD_PAUSE_MS,
    make: (random, _, sender) => ({
      method: 'GET',
      path: `/api/v1/public/search?q=${random.pick(WORDS)}&page=${1 + random.below(5)}`,
      headers: { 'x-forwarded-for': `10.77.${sender >> 8}.${sender & 255}` },
    }),
  },
} as const satisfies Readonly<Record<string, Flood>>

export type FloodName = keyof typeof FLOODS
