import { and, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'

import { anyOf, type Db, one } from '../../../db/client.ts'
import { sessions, users } from '../../../db/schema/accounts.ts'
import { bugNotices, bugScreenshots, bugTickets } from '../../../db/schema/bugs.ts'
import { deployKeys } from '../../../db/schema/deploy-keys.ts'
import { extstoreSessions } from '../../../db/schema/extstore.ts'
import { developerFollows, feedKeys, gameFollows, wishlistShares } from '../../../db/schema/follows.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { licenses, playTimes, reviews } from '../../../db/schema/games/game-players.ts'
import { tagSuggestions } from '../../../db/schema/games/game-relations.ts'
import { games } from '../../../db/schema/games/games.ts'
import {
  jamCodes,
  jamEntries,
  jamMembers,
  jamPeople,
  jamRatings,
  jamVisits,
} from '../../../db/schema/jams.ts'
import { noticeEvents, noticeSettings } from '../../../db/schema/notices.ts'
import { publishers } from '../../../db/schema/publishers.ts'
import { saveContents, saveRevisions, saveSets, saveSlots } from '../../../db/schema/saves.ts'
import { keyBatches, licenseKeys, orders, payoutAccounts } from '../../../db/schema/selling.ts'

export async function listSessions(db: Db, userUid: string) {
  return await db.select().from(sessions).where(eq(sessions.userId, userUid)).orderBy(sessions.createdAt)
}

export async function listOwnedGames(db: Db, userUid: string) {
  return await db
    .select({ uid: games.uid, vanityName: games.vanityName, name: games.name })
    .from(games)
    .where(eq(games.ownerUid, userUid))
    .orderBy(games.uid)
}

export async function listMemberships(db: Db, userUid: string) {
  const { gameUid, createdAt: invitedAt, acceptedAt } = gameAdmins
  return await db
    .select({ gameUid, invitedAt, acceptedAt })
    .from(gameAdmins)
    .where(eq(gameAdmins.userUid, userUid))
}

export async function listIssuedKeys(db: Db, userUid: string) {
  return await db
    .select({ gameUid: deployKeys.gameUid, createdAt: deployKeys.createdAt })
    .from(deployKeys)
    .where(and(eq(deployKeys.issuedBy, userUid), isNull(deployKeys.expiresAt)))
}

export async function listAddedPublishers(db: Db, userUid: string) {
  return await db
    .select({
      gameUid: publishers.gameUid,
      repository: publishers.repository,
      createdAt: publishers.createdAt,
    })
    .from(publishers)
    .where(eq(publishers.addedBy, userUid))
}

export async function listLicenses(db: Db, userUid: string) {
  return await db.select().from(licenses).where(eq(licenses.userUid, userUid))
}

export async function listOrders(db: Db, userUid: string) {
  return await db
    .select()
    .from(orders)
    .where(and(eq(orders.userUid, userUid), isNotNull(orders.sessionId)))
    .orderBy(orders.createdAt)
}

export async function listRedeemedKeys(db: Db, userUid: string) {
  return await db
    .select({
      gameUid: keyBatches.gameUid,
      edition: keyBatches.editionName,
      redeemedAt: licenseKeys.redeemedAt,
    })
    .from(licenseKeys)
    .innerJoin(keyBatches, eq(keyBatches.uid, licenseKeys.batchUid))
    .where(eq(licenseKeys.redeemedBy, userUid))
    .orderBy(licenseKeys.redeemedAt)
}

export async function listKeyBatches(db: Db, userUid: string) {
  return await db.select().from(keyBatches).where(eq(keyBatches.createdBy, userUid)).orderBy(keyBatches.uid)
}

export async function findPayoutAccount(db: Db, userUid: string) {
  return await one(db.select().from(payoutAccounts).where(eq(payoutAccounts.userUid, userUid)))
}

export async function listGameFollows(db: Db, userUid: string) {
  return await db
    .select()
    .from(gameFollows)
    .where(eq(gameFollows.userUid, userUid))
    .orderBy(gameFollows.createdAt, gameFollows.gameUid)
}

export async function listDeveloperFollows(db: Db, userUid: string) {
  return await db
    .select()
    .from(developerFollows)
    .where(eq(developerFollows.userUid, userUid))
    .orderBy(developerFollows.createdAt, developerFollows.developerUid)
}

/** Where the person is a host or a judge. */
export async function listJamRoles(db: Db, userUid: string) {
  const { jamUid, role, createdAt: since } = jamPeople
  return await db
    .select({ jamUid, role, since })
    .from(jamPeople)
    .where(eq(jamPeople.userUid, userUid))
    .orderBy(since, jamUid)
}

export async function listJoinedJams(db: Db, userUid: string) {
  const { jamUid, createdAt: since } = jamMembers
  return await db
    .select({ jamUid, since })
    .from(jamMembers)
    .where(eq(jamMembers.userUid, userUid))
    .orderBy(since, jamUid)
}

export async function listJamCodes(db: Db, userUid: string) {
  const { jamUid, label, late, createdAt } = jamCodes
  return await db
    .select({ jamUid, label, late, createdAt })
    .from(jamCodes)
    .where(eq(jamCodes.createdBy, userUid))
    .orderBy(createdAt)
}

/** What this person entered into jams. */
export async function listJamEntries(db: Db, userUid: string) {
  const { jamUid, gameUid, note, submittedAt, withdrawnAt } = jamEntries
  return await db
    .select({ jamUid, gameUid, note, submittedAt, withdrawnAt })
    .from(jamEntries)
    .where(eq(jamEntries.submittedBy, userUid))
    .orderBy(submittedAt, jamEntries.uid)
}

/** When the secret addresses of this person were made. */
export async function findSecretAddresses(db: Db, userUid: string) {
  return await one(
    db
      .select({ sharedSince: wishlistShares.createdAt, feedSince: feedKeys.createdAt })
      .from(users)
      .leftJoin(wishlistShares, eq(wishlistShares.userUid, users.id))
      .leftJoin(feedKeys, eq(feedKeys.userUid, users.id))
      .where(eq(users.id, userUid)),
  )
}

/** What was told to this person alone. */
export async function listOwnNotices(db: Db, userUid: string) {
  return await db
    .select()
    .from(noticeEvents)
    .where(eq(noticeEvents.userUid, userUid))
    .orderBy(noticeEvents.at, noticeEvents.uid)
}

export async function findNoticeSettings(db: Db, userUid: string) {
  return await one(db.select().from(noticeSettings).where(eq(noticeSettings.userUid, userUid)))
}

export async function listPlayTimes(db: Db, userUid: string) {
  return await db
    .select({ gameUid: playTimes.gameUid, seconds: playTimes.seconds })
    .from(playTimes)
    .where(eq(playTimes.userUid, userUid))
}

export async function listReviews(db: Db, userUid: string) {
  return await db.select().from(reviews).where(eq(reviews.userUid, userUid))
}

export async function listSuggestedTags(db: Db, userUid: string) {
  return await db
    .select({ gameUid: tagSuggestions.gameUid, tag: tagSuggestions.tag })
    .from(tagSuggestions)
    .where(eq(tagSuggestions.userUid, userUid))
}

export async function listStoreSignIns(db: Db, userUid: string) {
  return await db.select().from(extstoreSessions).where(eq(extstoreSessions.userUid, userUid))
}

/** Without the hash of the network, which names nobody. */
export async function listJamRatings(db: Db, userUid: string) {
  const { jamUid, scores, comment, commentPublic, accountDays, createdAt, updatedAt } = jamRatings
  return await db
    .select({
      gameUid: jamEntries.gameUid,
      jamUid,
      scores,
      comment,
      commentPublic,
      accountDays,
      createdAt,
      updatedAt,
    })
    .from(jamRatings)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamRatings.entryUid))
    .where(eq(jamRatings.userUid, userUid))
    .orderBy(jamRatings.uid)
}

export async function listJamVisits(db: Db, userUid: string) {
  const { playedSeconds, downloadedAt, skippedAt, cannotRunAt } = jamVisits
  return await db
    .select({
      gameUid: jamEntries.gameUid,
      jamUid: jamEntries.jamUid,
      playedSeconds,
      downloadedAt,
      skippedAt,
      cannotRunAt,
    })
    .from(jamVisits)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamVisits.entryUid))
    .where(eq(jamVisits.userUid, userUid))
    .orderBy(jamVisits.entryUid)
}

/** Filed with the account, or with the account of the external store that is linked to it. */
const isFiledBy = (userUid: string) =>
  or(
    eq(bugTickets.userUid, userUid),
    eq(bugTickets.extstoreId, sql`(select ${users.extstoreId} from ${users} where ${users.id} = ${userUid})`),
  )

export async function listBugReports(db: Db, userUid: string) {
  return await db
    .select({
      ticketUid: bugTickets.uid,
      gameUid: bugTickets.gameUid,
      message: bugTickets.message,
      clientVersion: bugTickets.clientVersion,
      os: bugTickets.os,
      arch: bugTickets.arch,
      buildId: bugTickets.buildId,
      hasLog: sql<boolean>`${bugTickets.log} is not null`,
      hasScreenshot: sql<boolean>`${bugScreenshots.objectKey} is not null`,
      createdAt: bugTickets.createdAt,
    })
    .from(bugTickets)
    .leftJoin(bugScreenshots, eq(bugScreenshots.ticketUid, bugTickets.uid))
    .where(isFiledBy(userUid))
    .orderBy(bugTickets.uid)
}

/** Every revision of every slot, those in the bin too. */
export async function listSaves(db: Db, userUid: string) {
  return await db
    .select({
      gameUid: saveSets.gameUid,
      name: saveSets.gameName,
      slot: saveSlots.name,
      revision: saveRevisions.uid,
      size: saveContents.size,
      sha256: saveContents.sha256,
      device: saveRevisions.device,
      note: saveRevisions.note,
      playMinutes: saveRevisions.playMinutes,
      refused: saveRevisions.refused,
      current: sql<boolean>`${saveSlots.deletedAt} is null and ${saveRevisions.uid} is not distinct from ${saveSlots.headUid}`,
      deletedAt: saveSlots.deletedAt,
      at: saveRevisions.createdAt,
    })
    .from(saveSets)
    .innerJoin(saveSlots, eq(saveSlots.setUid, saveSets.uid))
    .innerJoin(saveRevisions, eq(saveRevisions.slotUid, saveSlots.uid))
    .innerJoin(saveContents, eq(saveContents.uid, saveRevisions.contentUid))
    .where(eq(saveSets.userUid, userUid))
    .orderBy(saveSets.gameUid, saveSlots.name, saveRevisions.createdAt)
}

/** What the person decided about saves of games in the browser. */
export async function listSaveChoices(db: Db, userUid: string) {
  return await db
    .select({ gameUid: saveSets.gameUid, name: saveSets.gameName, webAllowed: saveSets.webAllowed })
    .from(saveSets)
    .where(and(eq(saveSets.userUid, userUid), isNotNull(saveSets.webAllowed)))
}

/** Returns the keys of their objects. Waits for writes in progress, so that theirs are among them. */
export async function deleteSaves(tx: Db, userUid: string): Promise<string[]> {
  const own = eq(saveSets.userUid, userUid)
  const sets = await tx.select({ uid: saveSets.uid }).from(saveSets).where(own).for('update')
  const rows = await tx
    .select({ key: saveContents.objectKey })
    .from(saveSets)
    .innerJoin(saveContents, eq(saveContents.setUid, saveSets.uid))
    .where(own)
  // The revisions go first: contents cannot be deleted while one has them.
  const uids = sets.map(({ uid }) => uid)
  await tx.delete(saveSlots).where(anyOf(saveSlots.setUid, uids))
  return rows.map(({ key }) => key)
}

/**
 * Developers keep the reports they work on, without anything that identifies the person: names, logs,
 * screenshots and notices are removed. Returns the object keys of the screenshots.
 */
export async function anonymizeBugReports(db: Db, userUid: string): Promise<string[]> {
  const own = db.select({ uid: bugTickets.uid }).from(bugTickets).where(isFiledBy(userUid))
  const screenshots = await db
    .delete(bugScreenshots)
    .where(inArray(bugScreenshots.ticketUid, own))
    .returning({ key: bugScreenshots.objectKey })
  await db.delete(bugNotices).where(inArray(bugNotices.ticketUid, own))
  await db.update(bugTickets).set({ userUid: null, extstoreId: null, log: null }).where(isFiledBy(userUid))
  return screenshots.map(({ key }) => key)
}

/** Deletes the account and the rows that refer to it; fails while it owns a listing. */
export async function deleteUser(db: Db, uid: string): Promise<void> {
  await db.delete(users).where(eq(users.id, uid))
}
