import { promotionRequests } from '../../../src/db/schema/approvals.ts'
import { symbols } from '../../../src/db/schema/builds.ts'
import { publishers } from '../../../src/db/schema/publishers.ts'
import { crashes, crashGroups } from '../../../src/db/schema/telemetry.ts'
import { uploadSessions } from '../../../src/db/schema/uploads.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { insertBuild, insertFile, pointChannel } from '../builds.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

const BYTES = 'not a zip, but that is for the scan to find out'
const HOUR_MS = 60 * 60 * 1000

export async function insertStableFile({ server, game }: Setting): Promise<Params> {
  const build = await insertBuild(server, game.uid)
  const file = await insertFile(server, build)
  await pointChannel(server, build)
  return { build_id: build.uid, file_uid: file.uid, channel: 'beta' }
}

async function insertWebBuild({ server, game }: Setting): Promise<Params> {
  const build = await insertBuild(server, game.uid, { os: 'web', arch: 'wasm32' })
  await insertFile(server, build, { entryPage: 'index.html' })
  await pointChannel(server, build)
  return {}
}

export async function insertSymbols(setting: Setting): Promise<Params> {
  const build = await insertBuild(setting.server, setting.game.uid)
  const values = {
    gameUid: build.gameUid,
    buildUid: build.uid,
    module: 'game',
    debugId: 'A1',
    filename: 'game.sym',
  }
  const [row] = await setting.server.deps.db
    .insert(symbols)
    .values({ ...values, size: 1, objectKey: 'symbols/x.sym' })
    .returning()
  return { symbol_uid: row?.uid ?? '', build_id: build.uid }
}

export async function insertCrash({ server, game }: Setting): Promise<Params> {
  const build = await insertBuild(server, game.uid, { version: '1.0.1' })
  const [uid, groupUid, at] = [createUid(), createUid(), new Date()]
  const facts = { buildUid: build.uid, reason: 'SIGSEGV', frames: [] }
  await server.deps.db.insert(crashGroups).values({
    uid: groupUid,
    gameUid: game.uid,
    signature: uid,
    ...facts,
    count: 1,
    devices: 1,
    firstAt: at,
    lastAt: at,
  })
  await server.deps.db
    .insert(crashes)
    .values({ uid, groupUid, ...facts, sentKey: uid, deviceId: 'd', sessionId: 's', at, beforeBoot: true })
  return { crash_uid: uid, build_id: build.uid }
}

async function insertSession({ server, game }: Setting): Promise<Params> {
  const build = await insertBuild(server, game.uid)
  const objectKey = `builds/${game.uid}/${createUid()}.zip`
  const [row] = await server.deps.db
    .insert(uploadSessions)
    .values({
      gameUid: game.uid,
      buildUid: build.uid,
      filename: 'game.zip',
      totalSize: 10,
      checksum: sha256Hex('x'),
      objectKey,
      uploadId: await server.deps.objects.openUpload(objectKey),
      source: 'website' as const,
      expiresAt: new Date(Date.now() + HOUR_MS),
    })
    .returning()
  return { session_id: row?.uid ?? '' }
}

async function insertRequest(setting: Setting): Promise<Params> {
  const { build_id: buildUid = '' } = await insertStableFile(setting)
  const token = crypto.randomUUID()
  await setting.server.deps.db.insert(promotionRequests).values({
    gameUid: setting.game.uid,
    channel: 'stable',
    buildUid,
    requestedBy: setting.game.ownerUid,
    tokenHash: sha256Hex(token),
    expiresAt: new Date(Date.now() + HOUR_MS),
  })
  return { token }
}

async function insertPublisher({ server, game }: Setting): Promise<Params> {
  const [row] = await server.deps.db
    .insert(publishers)
    .values({
      gameUid: game.uid,
      provider: 'github',
      repository: 'moss/garden',
      issuer: 'https://token.actions.githubusercontent.com',
    })
    .returning()
  return { publisher_uid: row?.uid ?? '' }
}

const upload = ({ build_id = '' }: Params) => ({
  build_id,
  filename: 'game.zip',
  total_size: String(BYTES.length),
  checksum: sha256Hex(BYTES),
})

async function zipForm(params: Params): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(upload(params))) form.set(name, value)
  form.set('file', new Blob([BYTES]), 'game.zip')
  return form
}

/** Builds, files, channels and related routes. */
export const BUILD_CASES: Record<string, Case> = {
  'GET /api/v1/private/games/:uid/deploy-keys': { need: 'edit' },
  'POST /api/v1/private/games/:uid/deploy-keys': { need: 'edit', allowed: 201 },
  'GET /api/v1/private/games/:uid/publishers': { need: 'edit' },
  'POST /api/v1/private/games/:uid/publishers': {
    need: 'edit',
    body: { provider: 'github', repository: 'moss/garden' },
    allowed: 201,
  },
  'DELETE /api/v1/private/games/:uid/publishers/:publisher_uid': { need: 'edit', params: insertPublisher },
  'POST /api/v1/private/games/:uid/publishers/:publisher_uid/forget': {
    need: 'edit',
    params: insertPublisher,
  },
  'PUT /api/v1/private/games/:uid/publishing': { need: 'edit', body: { keys_allowed: true } },
  'GET /api/v1/private/games/:uid/builds': { need: 'edit' },
  'POST /api/v1/private/games/:uid/builds': {
    need: 'edit',
    body: { version: '1.0.0', os: 'linux', arch: 'x86_64' },
    allowed: 201,
  },
  'DELETE /api/v1/private/games/:uid/builds/:build_id': { need: 'edit', params: insertStableFile },
  'GET /api/v1/private/games/:uid/builds/:build_id/bundle-check': { need: 'edit', params: insertStableFile },
  'GET /api/v1/private/games/:uid/builds/:build_id/health': { need: 'edit', params: insertStableFile },
  'GET /api/v1/private/games/:uid/crashes': { need: 'edit' },
  'GET /api/v1/private/games/:uid/crashes/:crash_uid': { need: 'edit', params: insertCrash },
  'GET /api/v1/private/games/:uid/channels': { need: 'edit' },
  'GET /api/v1/private/games/:uid/channels/history': { need: 'edit' },
  'POST /api/v1/private/games/:uid/channels/:channel/promote': {
    need: 'edit',
    params: insertStableFile,
    body: ({ build_id = '' }) => ({ build_id }),
  },
  'POST /api/v1/private/games/:uid/channels/:channel/rollback': {
    need: 'edit',
    params: insertStableFile,
    body: {},
    allowed: 409,
  },
  'POST /api/v1/private/approvals/:token': {
    need: 'own',
    params: insertRequest,
    body: { decision: 'reject' },
  },

  'POST /api/v1/private/games/:uid/upload/sessions': {
    need: 'edit',
    params: insertStableFile,
    body: upload,
    allowed: 201,
  },
  'GET /api/v1/private/games/:uid/upload/sessions': { need: 'edit', params: insertSession },
  'GET /api/v1/private/games/:uid/upload/sessions/:session_id': { need: 'edit', params: insertSession },
  'DELETE /api/v1/private/games/:uid/upload/sessions/:session_id': { need: 'edit', params: insertSession },
  'POST /api/v1/private/games/:uid/upload/files': {
    need: 'edit',
    params: insertStableFile,
    form: zipForm,
    allowed: 201,
  },

  'GET /api/v1/private/games/:uid/files/:file_uid/provenance': { need: 'edit', params: insertStableFile },
  'GET /api/v1/private/games/:uid/files/:file_uid/download': { need: 'see', params: insertStableFile },
  'POST /api/v1/private/games/:uid/play': { need: 'see', body: {}, params: insertWebBuild, allowed: 201 },
  'POST /api/v1/private/games/:uid/play/heartbeat': { need: 'see', body: { session_id: 's-1' } },
  'GET /api/v1/private/games/:uid/analytics/downloads': { need: 'edit' },
  'GET /api/v1/private/games/:uid/analytics/versions': { need: 'edit' },
  'GET /api/v1/private/games/:uid/symbols': { need: 'edit' },
  'DELETE /api/v1/private/games/:uid/symbols/:symbol_uid': { need: 'edit', params: insertSymbols },
  'GET /api/v1/private/games/:uid/mod-compat': { need: 'edit' },
}
