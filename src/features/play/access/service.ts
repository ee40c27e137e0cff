import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { whenReady } from '../../../lib/flow/when-ready.ts'
import { createFactsReader, type ReadFacts } from './facts.ts'
import type { Choice } from './model.ts'
import { type Pass, readPass, signPass } from './passes.ts'
import { createPins, type Pins } from './pins.ts'
import { type PlayFacts, takeTicket } from './queries.ts'
import { isOpenToAll, type PlayedBuild, requirePlayable } from './rights.ts'

export interface Ticket {
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
  /** Throws what the download route answers where it may not be played. */
  check(facts: PlayFacts | null, channel: string): Played
  /** The same for the facts of the choice. */
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
      const pass = readPass(keyring, 'play-ticket', text, gameUid)
      if (pass && (await takeTicket(db, pass.uid))) return pass
      throw new AppError('forbidden', {
        message: 'This link to the game was used already or has expired. Start the game again on its page.',
      })
    },
    pins: createPins(keyring, config.playUrl?.startsWith('https:') ?? false),
  }
}
