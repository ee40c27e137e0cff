import { composeMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import type { Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { nameForMail, toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import { invitesUrl } from '../../../domain/site-urls.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import { requireUserNamed } from '../../accounts/service.ts'
import { departureMail, type EndedPublishing, endPublishing } from '../../games/publishing-rights.ts'
import { changeGame, lockGame, openGame } from '../../games/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { Admin, ADMINS_MAX, Invite, type Removed } from './model.ts'
import * as queries from './queries.ts'

export async function listAdmins(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<Admin>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return mapPage(await queries.listAdmins(deps.db, game.uid, page), (row) => toAdmin(deps, row))
}

/** Inviting someone again changes nothing and sends no second mail. */
export async function inviteAdmin(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  username: string,
): Promise<{ admin: Admin; isNew: boolean }> {
  return await changeGame(deps.db, actor, ref, 'own', async (tx, game) => {
    const person = await requireUserNamed(tx, username)
    if (person.uid === game.ownerUid)
      throw invalidField('username', 'must be somebody else: this person owns the listing.')
    const existing = await queries.findAdmin(tx, game.uid, person.uid)
    if (existing) return { admin: toAdmin(deps, existing), isNew: false }
    if ((await queries.countAdmins(tx, game.uid)) >= ADMINS_MAX) {
      throw invalidField(
        'username',
        `cannot be added: a listing has at most ${ADMINS_MAX} admins. Remove one first.`,
      )
    }
    await queries.insertInvite(tx, game.uid, person.uid)
    const invited = await queries.findAdmin(tx, game.uid, person.uid)
    if (!invited) throw new AppError('not_found')
    const link = invitesUrl(deps.config.baseUrl)
    await enqueue(tx, sendMail, inviteMail(person, { listing: game.name, owner: nameForMail(actor), link }))
    return { admin: toAdmin(deps, invited), isNew: true }
  })
}

/**
 * The owner can remove anyone; an admin can leave. What they set up to publish ends too. The auth key of
 * sign-in stays valid, because game servers would stop without warning; the owner is notified and should
 * renew it.
 */
export async function removeAdmin(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  userUid: string,
): Promise<Removed> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, userUid === actor.userUid ? 'edit' : 'own')
    const admin = isUid(userUid) ? await queries.findAdmin(tx, game.uid, userUid) : undefined
    if (!admin) throw new AppError('not_found')
    await queries.deleteAdmin(tx, game.uid, userUid)
    const ended = await endPublishing(tx, { userUid, username: admin.person.username }, game.uid)
    const authKey = admin.acceptedAt === null ? null : await findAuthKeyEnd(deps, tx, game.uid)
    const left = toRemoved(ended, authKey)
    const owner = await queries.findUserAddress(tx, game.ownerUid)
    if (owner && Object.keys(left).length > 0) {
      const { name, vanityName } = game
      const departure = { name, vanityName, baseUrl: deps.config.baseUrl, admin: nameForMail(admin.person) }
      await enqueue(tx, sendMail, departureMail(owner, departure, ended, authKey ?? undefined))
    }
    return left
  })
}

function toRemoved({ deploy_keys, publishers }: EndedPublishing, authKey: string | null): Removed {
  return {
    ...(deploy_keys.length > 0 && { deploy_keys }),
    ...(publishers.length > 0 && { publishers }),
    ...(authKey !== null && { extstore_auth_key_last4: authKey }),
  }
}

/** The last characters of the external store's auth key; null while sign-in is off. */
async function findAuthKeyEnd({ keyring }: Deps, tx: Transaction, gameUid: string): Promise<string | null> {
  const sealed = await queries.findSealedAuthKey(tx, gameUid)
  return sealed === null ? null : keyring.decrypt(sealed, encryptionContext.gameAuthKey(gameUid)).slice(-4)
}

export async function listInvites(deps: Deps, actor: WebsiteUser, page: Page): Promise<Paged<Invite>> {
  return mapPage(await queries.listInvites(deps.db, actor.userUid, page), toInvite)
}

export async function acceptInvite(deps: Deps, actor: WebsiteUser, uid: string): Promise<Invite> {
  if (!isUid(uid)) throw new AppError('not_found')
  return await deps.db.transaction(async (tx) => {
    const isOwn = await queries.acceptInvite(tx, actor.userUid, uid)
    const invite = isOwn ? await queries.findInvite(tx, uid) : undefined
    if (!invite) throw new AppError('not_found')
    return toInvite(invite)
  })
}

/** Only an open invite can be declined; an admin leaves instead. */
export async function declineInvite(deps: Deps, actor: WebsiteUser, uid: string): Promise<void> {
  const wasOpen = isUid(uid) && (await queries.deletePendingInvite(deps.db, actor.userUid, uid))
  if (!wasOpen) throw new AppError('not_found')
}

function toAdmin({ config }: Deps, row: queries.AdminRow): Admin {
  const person = toPerson(config.baseUrl, row.person)
  return respond(Admin, row, { ...person, state: row.acceptedAt === null ? 'invited' : 'accepted' })
}

function toInvite(row: queries.InviteRow): Invite {
  return respond(Invite, row)
}

interface Invitation {
  listing: string
  owner: string
  link: string
}

function inviteMail(to: Recipient, { listing, owner, link }: Invitation): MailMessage {
  return composeMail(
    to,
    'You are invited to help run a listing',
    [
      `${owner} invites you to help run "${withoutLinks(listing)}". Open this page to accept or decline the invite:`,
      link,
      'If you do not expect this invite, ignore this mail. Nothing changes until you accept.',
    ],
    { label: 'See the invite', url: link },
  )
}
