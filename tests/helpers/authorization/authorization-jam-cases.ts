import { jamCodes } from '../../../src/db/schema/jams.ts'
import { pictureForm } from '../files/pictures.ts'
import { inHours, insertHost, insertJam } from '../jams/jams.ts'
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
  [`POST ${JAM}/join`]: { ...shown, body: {} },
  [`POST ${JAM}/leave`]: shown,
  [`GET ${JAM}/manage/codes`]: own,
  [`POST ${JAM}/manage/codes`]: { ...own, body: {}, allowed: 201 },
  [`DELETE ${JAM}/manage/codes/:code_uid`]: { ...own, params: insertCode(false) },
  [`GET ${JAM}/manage/late-links`]: own,
  [`POST ${JAM}/manage/late-links`]: { ...own, body: {}, allowed: 201 },
  [`DELETE ${JAM}/manage/late-links/:code_uid`]: { ...own, params: insertCode(true) },
}
