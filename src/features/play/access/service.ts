import { invalidateOn } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { entitlement, type EntitlementFacts, refusalError } from '../../../domain/listings/entitlement.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { AppError } from '../../../errors.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { coalesceMany } from '../../../lib/flow/coalesce.ts'
import { whenReady } from '../../../lib/flow/with-timeout.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import { type Choice, keyOf } from './model.ts'
import { createPins, parsePass, type Pass, type Pins, signPass } from './passes.ts'
import { consumeTicket, listFacts, type PlayFacts } from './queries.ts'

/** Facts are read again after this, so that a lost notification delays a take-down by no more. */
const LIFETIME_MS = 500
const ENTRIES_MAX = 10_000
/** The minimum time between two reads under load. */
const READS_APART_MS = 2

interface Ticket {
  text: string
  expiresAt: Date
}

/** What may be played, with the facts that decided it. */
export interface Played {
  facts: PlayFacts
  build: PlayedBuild
}

/** Who may play what; one for each process. */
export interface PlayAccess {
  readFacts: ReadFacts
  /** Throws the error of the download route if the build may not be played. */
  check(facts: PlayFacts | null, channel: string): Played
  /** Loads the facts of the choice and checks them in the same way. */
  require(choice: Choice): Played | Promise<Played>
  isOpenToAll(facts: PlayFacts): boolean
  sign(choice: Choice & { buildUid: string }): Ticket
  /** Works once for each ticket. */
  redeem(text: string, gameUid: string): Promise<Pass>
  pins: Pins
}

export async function createPlayAccess(deps: Deps): Promise<PlayAccess> {
  const { db, keyring, config } = deps
  const readFacts = await createFactsReader(deps)
  const check = (facts: PlayFacts | null, channel: string): Played => {
    if (!facts) throw new AppError('not_found')
    return { facts, build: requirePlayable(facts, channel, config.baseUrl) }
  }
  return {
    readFacts,
    isOpenToAll,
    check,
    require: (choice) => whenReady(readFacts(choice), (facts) => check(facts, choice.channel)),
    sign: (choice) => signPass(keyring, 'play-ticket', choice),
    async redeem(text, gameUid) {
      const pass = parsePass(keyring, 'play-ticket', text, gameUid)
      if (pass && (await consumeTicket(db, pass.uid))) return pass
      throw new AppError('forbidden', {
        message: 'This link to the game was used already or has expired. Start the game again on its page.',
      })
    },
    pins: createPins(keyring, config.playUrl?.startsWith('https:') ?? false),
  }
}

type PlayedBuild = NonNullable<PlayFacts['build']>

/** Returns the build that may be played; throws the error of the download route if none may. */
function requirePlayable(facts: PlayFacts, channel: string, baseUrl: string): PlayedBuild {
  const refusal = entitlement(withPrice(facts), channel)
  if (refusal !== null) throw refusalError(refusal, facts, facts, { verb: 'play', baseUrl })
  if (!facts.build) {
    throw new AppError('not_found', { message: `${facts.name} has no build that runs in the browser.` })
  }
  if (facts.build.isScanning) throw new AppError('still_scanning')
  return facts.build
}

/** Whether everyone may play the stable build, without a ticket; only a ticket replaces the pin of a jam. */
function isOpenToAll(facts: PlayFacts): boolean {
  return !facts.isInJam && entitlement({ ...withPrice(facts), person: null }, STABLE) === null
}

function withPrice(facts: PlayFacts): EntitlementFacts {
  const { signed_out } = facts.webPlayer ?? WEB_PLAYER_DEFAULTS
  const freeFor = signed_out ? 'everyone' : 'accounts'
  return { ...facts, freeFor: facts.priceCents === 0 ? freeFor : 'nobody' }
}

interface Known {
  /** Null for a game that does not exist. */
  facts: PlayFacts | null
  gameUid: string
}

type ReadFacts = (choice: Choice) => PlayFacts | null | Promise<PlayFacts | null>

/** Cached, because every file of a game asks; concurrent reads share one query. */
async function createFactsReader({ db, database }: Pick<Deps, 'db' | 'database'>): Promise<ReadFacts> {
  const cached = createCache<Known>({
    maxEntries: ENTRIES_MAX,
    lifetimeMs: LIFETIME_MS,
    originOf: ({ gameUid }) => ({ owners: [gameUid] }),
  })
  await invalidateOn(database, GAME_CHANGED, cached, ALL_GAMES)
  const choices = new Map<string, Choice>()
  const readMany = coalesceMany<PlayFacts>(async (keys) => {
    const wanted = keys.flatMap((key) => choices.get(key) ?? [])
    for (const key of keys) choices.delete(key)
    const found = await listFacts(db, wanted)
    return new Map(found.flatMap(([index, facts]) => (wanted[index] ? [[keyOf(wanted[index]), facts]] : [])))
  }, READS_APART_MS)

  async function read(choice: Choice, key: string): Promise<PlayFacts | null> {
    const store = cached.beginRead()
    choices.set(key, choice)
    const facts = (await readMany([key])).get(key) ?? null
    store(key, { facts, gameUid: choice.gameUid })
    return facts
  }

  return (choice) => {
    const key = keyOf(choice)
    const known = cached.peek(key)
    return known ? known.facts : read(choice, key)
  }
}
