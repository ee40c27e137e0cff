import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { recordAct } from '../../audit/service.ts'
import { LookAlike } from './model.ts'
import * as queries from './queries.ts'

/** Names that look like a developer's or the store's, and that no operator has looked at yet. */
export async function listLookAlikes(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  page: Page,
): Promise<Paged<LookAlike>> {
  return mapPage(await queries.listOpen(db, page), (row) => toLookAlike(config.baseUrl, row))
}

export async function countLookAlikes(db: Db): Promise<number> {
  return await queries.countOpen(db)
}

/** The name stays as it is, and is not told again. */
export async function dismissLookAlike({ db }: Deps, operator: WebsiteUser, uid: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (!isUid(uid) || !(await queries.dismiss(tx, uid))) throw new AppError('not_found')
    const name = await queries.findUsername(tx, uid)
    await recordAct(tx, operator, { act: 'dismiss_look_alike', subject: 'account', id: uid, name })
  })
}

function toLookAlike(baseUrl: string, row: queries.LookAlikeRow): LookAlike {
  const { otherUid, otherUsername: username, otherName: displayName, otherPicture: pictureKey } = row
  const like =
    otherUid === null || username === null || displayName === null
      ? null
      : { uid: otherUid, ...toPerson(baseUrl, { username, displayName, pictureKey }) }
  return respond(LookAlike, row, { account: { uid: row.uid, ...toPerson(baseUrl, row.person) }, like })
}
