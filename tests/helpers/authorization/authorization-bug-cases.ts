import { encryptionContext } from '../../../src/db/reencrypt.ts'
import { bugDeliveries, bugReporters, bugTickets } from '../../../src/db/schema/bugs.ts'
import { makeForm } from '../bugs.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

const GAME = '/api/v1/private/games/:uid'
const URL = 'http://127.0.0.1:9/'

async function insertReporter({ server, game }: Setting, webhookUrls: string[] = []): Promise<Params> {
  const signingKey = server.deps.keyring.encrypt('key', encryptionContext.bugSigningKey(game.uid))
  await server.deps.db
    .insert(bugReporters)
    .values({ gameUid: game.uid, enabled: true, signingKey, webhookUrls })
  return {}
}

export async function insertTicket({ server, game }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, message: 'x', source: 'game' } as const
  const [row] = await server.deps.db.insert(bugTickets).values(values).returning()
  return { ticket_uid: row?.uid ?? '' }
}

async function insertDelivery(setting: Setting): Promise<Params> {
  const { server, game } = setting
  await insertReporter(setting, [URL])
  const values = { gameUid: game.uid, url: URL, state: 'failed' } as const
  const [row] = await server.deps.db.insert(bugDeliveries).values(values).returning()
  return { delivery_uid: row?.uid ?? '' }
}

export const BUG_CASES: Record<string, Case> = {
  [`GET ${GAME}/bug-reporter`]: { need: 'edit' },
  [`PUT ${GAME}/bug-reporter`]: { need: 'edit', body: { enabled: true } },
  [`POST ${GAME}/bug-reporter/signing-key`]: { need: 'edit' },
  [`POST ${GAME}/bug-reporter/test-webhook`]: {
    need: 'edit',
    params: (setting) => insertReporter(setting, [URL]),
  },
  [`GET ${GAME}/bug-reporter/deliveries`]: { need: 'edit' },
  [`POST ${GAME}/bug-reporter/deliveries/:delivery_uid/redeliver`]: { need: 'edit', params: insertDelivery },
  [`GET ${GAME}/bugs`]: { need: 'edit' },
  [`POST ${GAME}/bugs`]: {
    need: 'see',
    params: insertReporter,
    form: async () => makeForm({ message: 'x' }),
    allowed: 201,
  },
  [`GET ${GAME}/bugs/:ticket_uid`]: { need: 'edit', params: insertTicket },
  [`PATCH ${GAME}/bugs/:ticket_uid`]: { need: 'edit', params: insertTicket, body: { status: 'fixed' } },
}
