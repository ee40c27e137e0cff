import type { Db } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import { invalidField } from '../../../errors.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { FOLLOWS_CHANGED } from '../../community/follows/service.ts'
import { lockJam, openJam, requireOpen } from '../access.ts'
import { useCode } from '../codes/service.ts'
import { deleteMember, insertMember, pageMembers } from '../shared-queries.ts'
import { Participant } from './model.ts'

type Services = Pick<Deps, 'config'> & { db: Db }

/** Their names are public. */
export async function listParticipants(
  { db, config }: Services,
  actor: Actor | null,
  ref: string,
  page: Page,
): Promise<Paged<Participant>> {
  const { jam } = await openJam(db, actor, ref)
  return mapPage(await pageMembers(db, jam.uid, page), (row) =>
    respond(Participant, row, toPerson(config.baseUrl, row)),
  )
}

/** Joining again changes nothing, and takes no other use of a code. */
export async function joinJam(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
  code: string | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { jam, now, isHost, isJudge } = await lockJam(tx, user, ref, 'share')
    requireOpen(jam, 'join', now)
    if (!(await insertMember(tx, jam.uid, user.userUid))) return
    await notify(tx, FOLLOWS_CHANGED, user.userUid)
    if (jam.entry === 'open' || isHost || isJudge) return
    if (!code?.trim()) throw invalidField('code', 'must be given: this jam is by invitation.')
    await useCode(tx, jam.uid, user.userUid, code, { isLate: false })
  })
}

/** Entries stay. Leaving where one has not joined changes nothing. */
export async function leaveJam({ db }: Pick<Deps, 'db'>, user: WebsiteUser, ref: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { jam } = await lockJam(tx, user, ref, 'share')
    await deleteMember(tx, jam.uid, user.userUid)
    await notify(tx, FOLLOWS_CHANGED, user.userUid)
  })
}
