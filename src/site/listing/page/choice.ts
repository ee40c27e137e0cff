import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { playsOn } from '../../../domain/listings/web-player.ts'
import type { Listing, PublicFile } from '../../../features/catalog/pages/model.ts'
import { isMain, SYSTEM_LABELS } from '../../kit/labels.tsx'

/** The one thing to do on this device; null where only other systems are left. */
export type Action = 'play' | 'buy' | 'get' | 'download' | null

export interface Choice {
  action: Action
  /** Whether a free listing can also be put into the library. */
  canAlsoGet: boolean
  /** Why the device cannot run it, and what can; null if it can, or if nobody knows. */
  warning: { lacking: string; runsOn: string } | null
  /** The build for this device, unless it is played in the browser. */
  file: PublicFile | null
  /** The files of the game for other systems. */
  others: PublicFile[]
}

type Offered = Pick<Listing, 'files' | 'web_player' | 'price'>

interface Situation {
  /** The visitor's system; null if it is unknown. */
  os: OperatingSystem | null
  /** Whether the visitor has it or works on it. */
  isTheirs: boolean
  mayDownload: boolean
  /** Whether others than its makers can get it. */
  isOpen: boolean
}

/** The architecture that most devices of a system have. */
const USUAL: Partial<Record<OperatingSystem, readonly string[]>> = {
  windows: ['x86_64', 'x86'],
  macos: ['universal', 'arm64'],
  linux: ['x86_64', 'universal'],
  android: ['universal', 'arm64'],
}

/** What a visitor can do with a listing on their device, decided before anything is paid. */
export function chooseFor(listing: Offered, { os, isTheirs, mayDownload, isOpen }: Situation): Choice {
  const files = downloadsOf(listing)
  const own = findOwn(files, os)
  const plays = runsInBrowser(listing, os)
  const isFree = listing.price.free
  const canGet = isFree && !isTheirs && isOpen
  const isPlay = plays && (isTheirs || isFree)
  const action = ((): Action => {
    if (isPlay) return 'play'
    if (!isFree && !isTheirs) return 'buy'
    if (own && mayDownload) return 'download'
    return canGet ? 'get' : null
  })()
  return {
    action,
    canAlsoGet: canGet && action !== 'get',
    warning: findWarning(listing, os, own !== undefined || plays),
    file: isPlay ? null : (own ?? null),
    others: files.filter((file) => isPlay || file !== own),
  }
}

/** Without the web builds that are played here, unless their developer also offers the file. */
export function downloadsOf({ files, web_player }: Pick<Listing, 'files' | 'web_player'>): PublicFile[] {
  return files.filter((file) => isMain(file) && (file.os !== 'web' || !isPlayedOnly(web_player)))
}

export function isPlayedOnly(player: Listing['web_player']): boolean {
  return player !== null && !player.downloadable
}

function findOwn(files: readonly PublicFile[], os: OperatingSystem | null): PublicFile | undefined {
  if (os === null) return files[0]
  const fitting = files.filter((file) => file.os === os)
  const usual = USUAL[os]?.flatMap((arch) => fitting.filter((file) => file.arch === arch)) ?? []
  return usual[0] ?? fitting[0]
}

function runsInBrowser({ web_player }: Offered, os: OperatingSystem | null): boolean {
  return web_player !== null && playsOn(os, web_player)
}

function findWarning(listing: Offered, os: OperatingSystem | null, runs: boolean): Choice['warning'] {
  const systems = [...new Set(listing.files.filter(isMain).map((file) => file.os))]
  const native = systems.filter((system) => system !== 'web').map((system) => SYSTEM_LABELS[system])
  const { web_player } = listing
  const browser =
    web_player === null ? [] : [web_player.mobile ? 'in the browser' : 'in browsers on computers']
  const all = [...native, ...browser]
  if (os === null || runs || all.length === 0) return null
  return { lacking: SYSTEM_LABELS[os], runsOn: listWords(all) }
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
