import { jamCodes, jamEntries } from '../../../src/db/schema/jams.ts'
import { pictureForm } from '../files/pictures.ts'
import { inHours, insertHost, insertJam } from '../jams/jams.ts'
import { insertCover } from '../listings.ts'
import { release } from '../releases.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

const JAM = '/api/v1/private/jams/:jam'

/** The caller hosts it, so that `edit` means: hosts. */
export async function insertOwnJam({ server, caller, state }: Setting): Promise<Params> {
  const jam = await insertJam(server, { state: 'running', visibility: state })
  await insertHost(server, jam, caller)
  return { jam: jam.uid }
}

const insertCode =
  (late: boolean) =>
  async (setting: Setting): Promise<Params> => {
    const { jam = '' } = await insertOwnJam(setting)
    const values = { jamUid: jam, late, codeHash: crypto.randomUUID(), expiresAt: new Date(inHours(1)) }
    const [row] = await setting.server.deps.db.insert(jamCodes).values(values).returning()
    return { jam, code_uid: row?.uid ?? '' }
  }

const own = { need: 'edit', params: insertOwnJam } as const
const shown = { need: 'see', params: insertOwnJam } as const

/** The listing fits the jam, and is in it where an entry is asked for. */
const insertJamEntry =
  (isEntered: boolean) =>
  async ({ server, game, caller }: Setting): Promise<Params> => {
    const jam = await insertJam(server, { state: 'running' })
    await insertCover(server, game.uid)
    await release(server, game.uid)
    const values = { jamUid: jam.uid, gameUid: game.uid, submittedBy: caller.uid }
    if (isEntered) await server.deps.db.insert(jamEntries).values(values)
    return { jam: jam.uid, game_uid: game.uid }
  }

/** Only operators make jams unless the store says otherwise. */
export const JAM_CASES: Record<string, Case> = {
  'GET /api/v1/private/jams': { need: 'account' },
  'POST /api/v1/private/jams': {
    need: 'account',
    body: { title: 'Jam', starts_at: inHours(1), ends_at: inHours(3) },
    except: () => 403,
  },
  [`GET ${JAM}`]: shown,
  [`PATCH ${JAM}`]: { ...own, body: {} },
  [`DELETE ${JAM}`]: own,
  [`PUT ${JAM}/cover`]: { ...own, form: pictureForm },
  [`DELETE ${JAM}/cover`]: own,
  [`GET ${JAM}/entries/:game_uid`]: { need: 'edit', params: insertJamEntry(true) },
  [`PUT ${JAM}/entries/:game_uid`]: {
    need: 'edit',
    body: {},
    params: insertJamEntry(false),
    allowedAgent: 202,
  },
  [`DELETE ${JAM}/entries/:game_uid`]: { need: 'edit', params: insertJamEntry(true) },
  [`POST ${JAM}/join`]: { ...shown, body: {} },
  [`POST ${JAM}/leave`]: shown,
  [`GET ${JAM}/manage/codes`]: own,
  [`POST ${JAM}/manage/codes`]: { ...own, body: {}, allowed: 201 },
  [`DELETE ${JAM}/manage/codes/:code_uid`]: { ...own, params: insertCode(false) },
  [`GET ${JAM}/manage/late-links`]: own,
  [`POST ${JAM}/manage/late-links`]: { ...own, body: {}, allowed: 201 },
  [`DELETE ${JAM}/manage/late-links/:code_uid`]: { ...own, params: insertCode(true) },
}
