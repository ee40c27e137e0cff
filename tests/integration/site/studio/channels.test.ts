import { describe, expect, test } from 'bun:test'

import { promotionRequests } from '../../../../src/db/schema/approvals.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, insertBuild, insertFile } from '../../../helpers/builds.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { readVersions, release } from '../../../helpers/releases.ts'
import { openTab, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const act = (person: Person, game: GameRow, what: string, fields: Record<string, string>) =>
  submitForm(person, `/studio/${game.vanityName}/channels/${what}`, fields)

describe('the board', () => {
  test('shows platforms by channels, with the newest clean build ready to be promoted', async () => {
    const game = await insertGame(server, owner)
    await release(server, game.uid, { version: '1.0.0' })
    await release(server, game.uid, { version: '1.1.0', channel: 'beta' })
    const page = await openTab(owner, game, 'channels')
    expect(page).toContain('aria-label="Promote 1.1.0 to stable on Linux x86_64"')
    expect(page).not.toContain('to beta on Linux')
    expect(page).toContain('Not rated yet')
  })

  test('promotes and rolls back', async () => {
    const game = await insertGame(server, owner)
    await release(server, game.uid, { version: '1.0.0' })
    const beta = await release(server, game.uid, { version: '1.1.0', channel: 'beta' })
    const promoted = await act(owner, game, 'promote', { build_id: beta.uid, channel: 'stable' })
    expect(promoted.headers.get('location')).toBe(`/studio/${game.vanityName}/channels?done=promoted`)
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.1.0'])
    expect(await openTab(owner, game, 'channels')).toContain('Roll back stable')
    expect((await act(owner, game, 'rollback', { channel: 'stable', app: 'main' })).status).toBe(303)
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
  })

  test('says why a build cannot be promoted, and keeps the choice', async () => {
    const game = await insertGame(server, owner)
    await release(server, game.uid, { version: '1.0.0' })
    const build = await insertBuild(server, game.uid, { version: '2.0.0' })
    await insertFile(server, build, { scan: 'scanning' })
    const scanning = await act(owner, game, 'promote', { build_id: build.uid, channel: 'stable' })
    expect([scanning.status, await scanning.text()]).toEqual([
      409,
      expect.stringContaining('scanned and clean'),
    ])
    const unknown = await act(owner, game, 'promote', { build_id: build.uid, channel: 'No Channel' })
    expect([unknown.status, await unknown.text()]).toEqual([
      400,
      expect.stringContaining('value="No Channel"'),
    ])
  })

  test('a stranger gets the missing page', async () => {
    const game = await insertGame(server, owner)
    const build = await release(server, game.uid)
    const stranger = await signUp(server)
    expect((await act(stranger, game, 'promote', { build_id: build.uid, channel: 'beta' })).status).toBe(404)
  })
})

describe('approvals that programs asked for', () => {
  async function ask(game: GameRow, build: BuildRow): Promise<string> {
    const uid = createUid()
    await server.deps.db.insert(promotionRequests).values({
      uid,
      gameUid: game.uid,
      channel: 'stable',
      buildUid: build.uid,
      requestedBy: owner.uid,
      tokenHash: uid,
      expiresAt: new Date(Date.now() + 3_600_000),
    })
    return uid
  }

  test('the owner approves or rejects, once', async () => {
    const game = await insertGame(server, owner)
    const build = await release(server, game.uid, { version: '3.0.0', channel: 'beta' })
    const rejected = await ask(game, build)
    expect(await openTab(owner, game, 'channels')).toContain('aria-label="Approve 3.0.0 for linux x86_64"')
    expect((await act(owner, game, `approvals/${rejected}`, { decision: 'reject' })).status).toBe(303)
    expect(await readVersions(owner, game.uid)).toEqual([])
    const again = await act(owner, game, `approvals/${rejected}`, { decision: 'approve' })
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('no longer there')])
    const approved = await ask(game, build)
    expect((await act(owner, game, `approvals/${approved}`, { decision: 'approve' })).status).toBe(303)
    expect(await readVersions(owner, game.uid)).toEqual(['linux 3.0.0'])
  })

  test('an admin sees it but cannot decide, and no other project can', async () => {
    const [game, other] = [await insertGame(server, owner), await insertGame(server, owner)]
    const uid = await ask(game, await release(server, game.uid, { version: '3.1.0', channel: 'beta' }))
    const admin = await signUp(server)
    await insertAdmin(server, game.uid, admin, 'accepted')
    expect(await openTab(admin, game, 'channels')).toContain('Only the owner can approve it.')
    expect((await act(admin, game, `approvals/${uid}`, { decision: 'approve' })).status).toBe(403)
    expect((await act(owner, other, `approvals/${uid}`, { decision: 'approve' })).status).toBe(404)
    expect(await readVersions(owner, game.uid)).toEqual([])
  })
})
