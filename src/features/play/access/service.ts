import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
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

/** Who may play what; one for each process. */
export interface PlayAccess {
  readFacts: ReadFacts
  /** The build that may be played, with the facts that decided it; throws what the download route answers. */
  require(choice: Choice): Promise<{ facts: PlayFacts; build: PlayedBuild }>
  isOpenToAll(facts: PlayFacts): boolean
  sign(choice: Choice & { buildUid: string }): Ticket
  /** Works once for each ticket. */
  redeem(text: string, gameUid: string): Promise<Pass>
  pins: Pins
}

export async function createPlayAccess(deps: Deps): Promise<PlayAccess> {
  const { db, keyring, config } = deps
  const readFacts = await createFactsReader(deps)
  return {
    readFacts,
    isOpenToAll,
    async require(choice) {
      const facts = await readFacts(choice)
      const build = requirePlayable(facts, choice.channel, config.baseUrl)
      // Not null, or the line above had thrown.
      return { facts: facts as PlayFacts, build }
    },
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
