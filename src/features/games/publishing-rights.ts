import { composeMail, type MailMessage, type Recipient } from '../../clients/mail/mail.ts'
import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { studioUrl } from '../../domain/site-urls.ts'
import { enqueue } from '../../jobs/queue.ts'
import { sendMail } from '../mail/jobs.ts'
import * as queries from './queries.ts'
import { recordChangeBy } from './service.ts'

/** What ended because the person who had set it up left. */
export interface EndedPublishing {
  deploy_keys: { last4: string; created_at: string }[]
  publishers: { repository: string; workflow: string | null; ref: string | null }[]
}

const NOTHING_ENDED: EndedPublishing = { deploy_keys: [], publishers: [] }

interface Person {
  userUid: string
  username: string
}

/**
 * Ends the trusted publishers and deploy keys of one listing that this person added, so that nobody publishes after
 * they left. Needs the lock of the listing, or the person could add another meanwhile.
 */
export async function endPublishing(
  tx: Transaction,
  person: Person,
  gameUid: string,
): Promise<EndedPublishing> {
  return (await end(tx, person, gameUid)).get(gameUid) ?? NOTHING_ENDED
}

/**
 * The same on every listing, before an account is deleted; the owners get a mail. Call it first: it locks
 * listings.
 */
export async function endPublishingEverywhere(deps: Deps, tx: Transaction, person: Person): Promise<void> {
  await queries.lockAdministered(tx, person.userUid)
  const ended = await end(tx, person, null)
  if (ended.size === 0) return
  for (const { uid, owner, ...listing } of await queries.listOwners(tx, [...ended.keys()])) {
    const departure = { ...listing, admin: person.username, baseUrl: deps.config.baseUrl }
    await enqueue(tx, sendMail, departureMail(owner, departure, ended.get(uid) ?? NOTHING_ENDED))
  }
}

async function end(
  tx: Transaction,
  { userUid, username }: Person,
  gameUid: string | null,
): Promise<Map<string, EndedPublishing>> {
  const publishers = await queries.deletePublishersBy(tx, userUid, gameUid)
  const keys = await queries.revokeKeysBy(tx, userUid, gameUid)
  const games = new Map<string, EndedPublishing>()
  const of = (uid: string) =>
    games.getOrInsertComputed(uid, () => ({ deploy_keys: [], publishers: [] }) satisfies EndedPublishing)
  for (const { gameUid: uid, repository, workflow, ref } of publishers) {
    of(uid).publishers.push({ repository, workflow, ref })
    const subject = [repository, workflow, ref].filter((part) => part !== null).join(' ')
    await recordChangeBy(tx, username, uid, { kind: 'publisher_removed', subject })
  }
  // Keys of publishers end with their publisher and are not listed one by one.
  for (const { gameUid: uid, accessToken, createdAt } of keys.filter(({ expiresAt }) => expiresAt === null))
    of(uid).deploy_keys.push({ last4: accessToken.slice(-4), created_at: createdAt.toISOString() })
  return games
}

interface Departure {
  name: string
  vanityName: string
  baseUrl: string
  /** The username of the person who left. */
  admin: string
}

/** Tells the owner what ended, and which key that the person could read still works. */
export function departureMail(
  to: Recipient,
  { name, vanityName, baseUrl, admin }: Departure,
  { deploy_keys, publishers }: EndedPublishing,
  authKeyLast4?: string,
): MailMessage {
  const publishing = studioUrl(baseUrl, vanityName, 'publishing')
  return composeMail(
    to,
    'Renew the keys of your listing',
    [
      `${admin} no longer helps run "${name}".`,
      ...deploy_keys.flatMap(({ last4, created_at: issued }) => [
        `The deploy key that ends in ${last4}, which ${admin} issued on ${issued.slice(0, 10)}, is revoked. Pipelines that use it stop. Issue a new key and give it to them:`,
        publishing,
      ]),
      ...publishers.flatMap(({ repository, workflow, ref }) => [
        `The trusted publisher ${[repository, workflow, ref].filter((part) => part !== null).join(' ')}, which ${admin} added, is removed. If its pipeline should go on, add it again:`,
        publishing,
      ]),
      ...(authKeyLast4 === undefined
        ? []
        : [
            `${admin} could read the auth key that ends in ${authKeyLast4}. It signs the session tokens of external-store sign-in and still works. Create a new key, which revokes this one and every token, and give it to your servers:`,
            studioUrl(baseUrl, vanityName, 'sign-in'),
          ]),
    ],
    { label: 'Open the studio', url: publishing },
  )
}
