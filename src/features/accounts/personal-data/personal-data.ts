import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { readPage } from '../../../lib/paging.ts'
import { listFactors } from '../factors/factors.ts'
import { PLAYER_KEYS_MAX } from '../model.ts'
import { listPrograms } from '../oauth/programs.ts'
import { listConnections } from '../providers/connection-queries.ts'
import { findUser } from '../queries.ts'
import { getMe, listPlayerKeys } from '../service.ts'
import type { PersonalData } from './personal-data-model.ts'
import * as queries from './personal-data-queries.ts'

const ALL_KEYS = readPage({ page_size: String(PLAYER_KEYS_MAX) })

/** A copy of what is stored about the person. */
export async function exportData(deps: Deps, user: WebsiteUser): Promise<PersonalData> {
  const { db } = deps
  const { userUid } = user
  const [me, row, sessions, keys, programs] = await Promise.all([
    getMe(deps, user),
    findUser(db, userUid),
    queries.listSessions(db, userUid),
    listPlayerKeys(deps, user, ALL_KEYS),
    listAllPrograms(deps, user),
  ])
  return {
    exported_at: new Date().toISOString(),
    account: { ...me, name: row?.name ?? '', created_at: time(row?.createdAt ?? new Date(0)) },
    sessions: sessions.map(({ createdAt, expiresAt, ipAddress, userAgent }) => ({
      created_at: time(createdAt),
      expires_at: time(expiresAt),
      ip_address: ipAddress,
      user_agent: userAgent,
    })),
    sign_in: await exportSignIn(deps, user),
    player_keys: keys.items,
    programs,
    ...(await exportWork(deps, userUid)),
    ...(await exportPlay(deps, userUid)),
    ...(await exportMoney(deps, userUid)),
  }
}

/** Names and times; secrets and hashes open the account and help nobody. */
async function exportSignIn(deps: Deps, user: WebsiteUser): Promise<PersonalData['sign_in']> {
  const [facts, connected] = await Promise.all([
    listFactors(deps, user),
    listConnections(deps.db, user.userUid),
  ])
  const { authenticator_app, recovery_codes_left, passkeys, trusted_browsers } = facts
  return {
    providers: Array.from(connected, ([provider, at]) => ({ provider, since: time(at) })),
    authenticator_app,
    recovery_codes_left,
    passkeys,
    trusted_browsers,
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
    projects,
    memberships: memberships.map(({ gameUid, createdAt, acceptedAt }) => ({
      game_uid: gameUid,
      invited_at: time(createdAt),
      accepted_at: acceptedAt === null ? null : time(acceptedAt),
    })),
    deploy_keys: keys.map(({ gameUid, createdAt }) => ({ game_uid: gameUid, created_at: time(createdAt) })),
    publishers: publishers.map(({ gameUid, repository, createdAt }) => ({
      game_uid: gameUid,
      repository,
      created_at: time(createdAt),
    })),
    key_batches: batches.map(({ gameUid, label, count, createdAt }) => ({
      game_uid: gameUid,
      label,
      count,
      created_at: time(createdAt),
    })),
  }
}

async function exportMoney({ db }: Deps, userUid: string) {
  const [orders, redeemed, account] = await Promise.all([
    queries.listOrders(db, userUid),
    queries.listRedeemedKeys(db, userUid),
    queries.findPayoutAccount(db, userUid),
  ])
  return {
    orders: orders.map((order) => ({
      game_uid: order.gameUid,
      uid: order.uid,
      name: order.gameName,
      edition: order.editionName,
      amount_cents: order.amountCents,
      refunded_cents: order.refundedCents,
      status: order.status,
      country: order.country,
      created_at: time(order.createdAt),
      paid_at: order.paidAt === null ? null : time(order.paidAt),
      receipt_url: order.receiptUrl,
    })),
    redeemed_keys: redeemed.map(({ gameUid, edition, redeemedAt }) => ({
      game_uid: gameUid,
      edition,
      redeemed_at: time(redeemedAt ?? new Date(0)),
    })),
    payout_account: account ? { stripe_account: account.accountId, since: time(account.createdAt) } : null,
  }
}

async function exportPlay({ db }: Deps, userUid: string) {
  const [licenses, play_times, reviews, suggested_tags, signIns, bugReports] = await Promise.all([
    queries.listLicenses(db, userUid),
    queries.listPlayTimes(db, userUid),
    queries.listReviews(db, userUid),
    queries.listSuggestedTags(db, userUid),
    queries.listStoreSignIns(db, userUid),
    queries.listBugReports(db, userUid),
  ])
  return {
    licenses: licenses.map(({ gameUid, gameName, source, createdAt, beta, removedAt }) => ({
      game_uid: gameUid,
      name: gameName,
      source,
      since: time(createdAt),
      beta,
      removed_at: removedAt === null ? null : time(removedAt),
    })),
    play_times,
    reviews: reviews.map(({ gameUid, rating, text, createdAt, updatedAt }) => ({
      game_uid: gameUid,
      rating,
      text,
      created_at: time(createdAt),
      updated_at: time(updatedAt),
    })),
    suggested_tags,
    store_sign_ins: signIns.map(({ gameUid, extstoreId, ip, createdAt }) => ({
      game_uid: gameUid,
      extstore_id: extstoreId,
      ip,
      created_at: time(createdAt),
    })),
    bug_reports: bugReports.map((report) => ({
      game_uid: report.gameUid,
      ticket_uid: report.uid,
      message: report.message,
      client_version: report.clientVersion,
      os: report.os,
      arch: report.arch,
      build_id: report.buildId,
      has_log: report.hasLog,
      has_screenshot: report.hasScreenshot,
      created_at: time(report.createdAt),
    })),
  }
}

async function listAllPrograms(deps: Deps, user: WebsiteUser) {
  const programs = []
  for (let page = 1; ; page += 1) {
    const { items, total } = await listPrograms(deps, user, readPage({ page: String(page), page_size: '50' }))
    programs.push(...items)
    if (items.length === 0 || programs.length >= total) return programs
  }
}

function time(moment: Date): string {
  return moment.toISOString()
}
