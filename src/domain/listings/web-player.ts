import type { OperatingSystem } from '../builds/platforms.ts'

/** How a web build is shown on its play page. */
export interface WebPlayer {
  width: number
  height: number
  /** Whether the game runs isolated from other origins, which threads need. */
  isolation: boolean
  /** Whether it loads without a click on Start. */
  autostart: boolean
  /** Whether a free game can be played without signing in. */
  signed_out: boolean
  /** Whether it works on phones. */
  mobile: boolean
  /** Whether its page also offers the build as a file. */
  downloadable: boolean
}

export const WEB_PLAYER_DEFAULTS: Readonly<WebPlayer> = {
  width: 960,
  height: 600,
  isolation: true,
  autostart: false,
  signed_out: true,
  mobile: true,
  downloadable: false,
}

export const WEB_PLAYER_SIZES = {
  width: { min: 320, max: 3840 },
  height: { min: 240, max: 2160 },
} as const

/** Whether a game that browsers can open is offered to be played on this system: phones are only offered what is made for them. */
export function playsOn(os: OperatingSystem | null, { mobile }: Pick<WebPlayer, 'mobile'>): boolean {
  return mobile || (os !== 'android' && os !== 'ios')
}
