import { isForeignKeyViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { saveFilePath } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { parsePage } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { endPublishingEverywhere } from '../../games/publishing-rights.ts'
import { notifyChange } from '../../games/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { discardObjects } from '../../storage/service.ts'
import { forgetAccount } from '../account-cache.ts'
import { usesPassword } from '../confirmation.ts'
import { listFactors } from '../factors/factors.ts'
import { accountDeletedMail } from '../mails.ts'
import { PLAYER_KEYS_MAX } from '../model.ts'
import { listPrograms } from '../oauth/programs.ts'
import { listImageKeys } from '../profile/queries.ts'
import { findUser, listConnections } from '../queries.ts'
import { getMe, listPlayerKeys } from '../service.ts'
import { PersonalData } from './personal-data-model.ts'
import * as queries from './personal-data-queries.ts'

const ALL_KEYS = parsePage({ page_size: String(PLAYER_KEYS_MAX) })

/** The schemas of the lists in the copy. */
const Data = PersonalData.properties

/** A copy of what is stored about the person: names and times, but no secrets or hashes. */
export async function exportData(deps: Deps, user: WebsiteUser): Promise<PersonalData> {
  const { db } = deps
  const { userUid } = user
  const [me, row, sessions, keys, programs, factors, connected] = await Promise.all([
    getMe(deps, user),
    findUser(db, userUid),
    queries.listSessions(db, userUid),
    listPlayerKeys(deps, user, ALL_KEYS),
    listAllPrograms(deps, user),
    listFactors(deps, user),
    listConnections(db, userUid),
  ])
  return {
    exported_at: new Date().toISOString(),
    account: { ...me, name: row?.name ?? '', created_at: (row?.createdAt ?? new Date(0)).toISOString() },
    sessions: sessions.map((session) => respond(Data.sessions.items, session)),
    sign_in: respond(Data.sign_in, factors, {
      ...factors,
      providers: Array.from(connected, ([provider, since]) => ({ provider, since: since.toISOString() })),
    }),
    player_keys: keys.items,
    programs,
    ...(await exportWork(deps, userUid)),
    ...(await exportPlay(deps, userUid)),
    ...(await exportMoney(deps, userUid)),
    ...(await exportSaves(deps, userUid)),
    follows: await exportFollows(deps, userUid),
    jams: await exportJams(deps, userUid),
    notices: (await queries.listOwnNotices(db, userUid)).map((event) =>
      respond(Data.notices.items, event, { title: event.facts.title, text: event.facts.text ?? null }),
    ),
    notice_settings: await exportNoticeSettings(deps, userUid),
  }
}

async function exportWork({ db }: Deps, userUid: string) {
  const [projects, memberships, keys, publishers, batches] = await Promise.all([
    queries.listOwnedGames(db, userUid),
    queries.listMemberships(db, userUid),
    queries.listIssuedKeys(db, userUid),
    queries.listAddedPublishers(db, userUid),
    queries.listKeyBatches(db, userUid),
  ])
  return {
    projects: projects.map((game) => respond(Data.projects.items, game)),
    memberships: memberships.map((membership) => respond(Data.memberships.items, membership)),
    deploy_keys: keys.map((key) => respond(Data.deploy_keys.items, key)),
    publishers: publishers.map((publisher) => respond(Data.publishers.items, publisher)),
    key_batches: batches.map((batch) => respond(Data.key_batches.items, batch)),
  }
}

async function exportMoney({ db }: Deps, userUid: string) {
  const [orders, redeemed, account] = await Promise.all([
    queries.listOrders(db, userUid),
    queries.listRedeemedKeys(db, userUid),
    queries.findPayoutAccount(db, userUid),
  ])
  return {
    orders: orders.map((order) =>
      respond(Data.orders.items, order, { name: order.gameName, edition: order.editionName }),
    ),
    redeemed_keys: redeemed.map((key) =>
      respond(Data.redeemed_keys.items, key, { redeemed_at: key.redeemedAt ?? new Date(0) }),
    ),
    payout_account: account
      ? { stripe_account: account.accountId, since: account.createdAt.toISOString() }
      : null,
  }
}

async function exportFollows({ db }: Deps, userUid: string): Promise<PersonalData['follows']> {
  const [games, developers, secrets] = await Promise.all([
    queries.listGameFollows(db, userUid),
    queries.listDeveloperFollows(db, userUid),
    queries.findSecretAddresses(db, userUid),
  ])
  const { games: Games, developers: Developers } = Data.follows.properties
  return {
    games: games.map((follow) => respond(Games.items, follow, { since: follow.createdAt })),
    developers: developers.map((follow) => respond(Developers.items, follow, { since: follow.createdAt })),
    wishlist_shared_since: secrets?.sharedSince?.toISOString() ?? null,
    feed_address_since: secrets?.feedSince?.toISOString() ?? null,
  }
}

async function exportJams({ db }: Deps, userUid: string): Promise<PersonalData['jams']> {
  const [roles, joined, codes, ratings, visits, entries] = await Promise.all([
    queries.listJamRoles(db, userUid),
    queries.listJoinedJams(db, userUid),
    queries.listJamCodes(db, userUid),
    queries.listJamRatings(db, userUid),
    queries.listJamVisits(db, userUid),
    queries.listJamEntries(db, userUid),
  ])
  const { roles: Roles, joined: Joined, codes: Codes } = Data.jams.properties
  const { ratings: Ratings, visits: Visits, entries: Entries } = Data.jams.properties
  return {
    roles: roles.map((role) => respond(Roles.items, role)),
    joined: joined.map((one) => respond(Joined.items, one)),
    codes: codes.map((code) => respond(Codes.items, code)),
    ratings: ratings.map((rating) => respond(Ratings.items, rating)),
    visits: visits.map((visit) => respond(Visits.items, visit)),
    entries: entries.map((entry) => respond(Entries.items, entry)),
  }
}

/** Null for who never changed the defaults and was never told anything. */
async function exportNoticeSettings({ db }: Deps, userUid: string): Promise<PersonalData['notice_settings']> {
  const settings = await queries.findNoticeSettings(db, userUid)
  return settings ? respond(Data.notice_settings.anyOf[0], settings) : null
}

async function exportSaves({ db, config }: Deps, userUid: string) {
  const [saves, choices] = await Promise.all([
    queries.listSaves(db, userUid),
    queries.listSaveChoices(db, userUid),
  ])
  return {
    saves: saves.map((save) => {
      const url = config.baseUrl + saveFilePath(save.gameUid, save.slot, save.revision)
      return respond(Data.saves.items, save, { url })
    }),
    saves_in_browser: choices.map((choice) =>
      respond(Data.saves_in_browser.items, choice, { allowed: choice.webAllowed === true }),
    ),
  }
}

async function exportPlay({ db }: Deps, userUid: string) {
  const [licenses, times, reviews, tags, signIns, reports] = await Promise.all([
    queries.listLicenses(db, userUid),
    queries.listPlayTimes(db, userUid),
    queries.listReviews(db, userUid),
    queries.listSuggestedTags(db, userUid),
    queries.listStoreSignIns(db, userUid),
    queries.listBugReports(db, userUid),
  ])
  return {
    licenses: licenses.map((license) =>
      respond(Data.licenses.items, license, { name: license.gameName, since: license.createdAt }),
    ),
    play_times: times.map((time) => respond(Data.play_times.items, time)),
    reviews: reviews.map((review) => respond(Data.reviews.items, review)),
    suggested_tags: tags.map((tag) => respond(Data.suggested_tags.items, tag)),
    store_sign_ins: signIns.map((signIn) => respond(Data.store_sign_ins.items, signIn)),
    bug_reports: reports.map((report) => respond(Data.bug_reports.items, report)),
  }
}

async function listAllPrograms(deps: Deps, user: WebsiteUser) {
  const programs = []
  for (let page = 1; ; page += 1) {
    const { items, total } = await listPrograms(
      deps,
      user,
      parsePage({ page: String(page), page_size: '50' }),
    )
    programs.push(...items)
    if (items.length === 0 || programs.length >= total) return programs
  }
}

const NAMED_MAX = 3

/**
 * Deletes sessions, keys, programs, licences, saves, follows, play time, reviews, votes, places in jams and what the account set up to publish other
 * people's listings; bug reports are anonymized. Refused while it owns listings, because players hold licences of them.
 */
export async function deleteAccount(
  deps: Deps,
  user: WebsiteUser,
  checkPassword: () => Promise<unknown>,
): Promise<void> {
  const { userUid } = user
  if (await usesPassword(deps, userUid)) await checkPassword()
  else requireConfirmed(user, deps.config.baseUrl)
  await refuseOwner(deps, userUid)
  try {
    await deps.db.transaction(async (tx) => {
      await endPublishingEverywhere(deps, tx, user)
      await forgetAccount(deps, tx, userUid)
      const reviewed = (await queries.listReviews(tx, userUid)).map(({ gameUid }) => gameUid)
      const tagged = (await queries.listSuggestedTags(tx, userUid)).map(({ gameUid }) => gameUid)
      const pictures = await listImageKeys(tx, userUid)
      const screenshots = await queries.anonymizeBugReports(tx, userUid)
      const saves = await queries.deleteSaves(tx, userUid)
      await discardObjects(tx, { keys: [...screenshots, ...pictures, ...saves] })
      await queries.deleteUser(tx, userUid)
      for (const gameUid of new Set([...reviewed, ...tagged])) await notifyChange(tx, gameUid)
      await enqueue(tx, sendMail, accountDeletedMail({ email: user.email }))
    })
  } catch (error) {
    // A listing was made in the meantime.
    if (isForeignKeyViolation(error)) await refuseOwner(deps, userUid)
    throw error
  }
}

async function refuseOwner(deps: Deps, userUid: string): Promise<void> {
  const owned = await queries.listOwnedGames(deps.db, userUid)
  if (owned.length === 0) return
  const names = owned.slice(0, NAMED_MAX).map(({ name }) => `“${name}”`)
  const more = owned.length > NAMED_MAX ? ` and ${owned.length - NAMED_MAX} more` : ''
  throw new AppError('taken', {
    message: `You own ${names.join(', ')}${more}. Make each of them a draft and delete it first.`,
  })
}
