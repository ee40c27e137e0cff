import { afterAll, beforeAll, expect, test } from 'bun:test'

import { noticeEvents } from '../../../src/db/schema/notices.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { followGame, readNotices } from '../../helpers/notices/notices.ts'
import { release } from '../../helpers/releases.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let machine: PlayerMachine
const owner = usePerson(server)
const player = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { name: 'Lantern Bay' })
  machine = await createPlayerMachine(server.url)
})
afterAll(async () => await machine?.remove())

async function createKey(...scopes: string[]): Promise<Record<string, string>> {
  const answer = await player.json('POST', '/api/v1/private/player-keys', { label: 'shelf', scopes })
  return { SHELF_PLAYER_KEY: (await readData<{ key: string }>(answer)).key }
}

test('shelf notices lists them, marks them and prints them for programs', async () => {
  const env = await createKey('player:read', 'player:library')
  const shelf = (...args: string[]) => machine.shelf(['notices', ...args], env)
  expect(await shelf()).toMatchObject({ code: 0, out: 'No notices.\n0 unread notices.\n' })
  await followGame(player, game)
  await release(server, game.uid)
  await server.deps.db.insert(noticeEvents).values({
    kind: 'operator',
    userUid: player.uid,
    facts: { title: 'Turned\u202Earound \u001B[31m\nand on' },
  })
  const listed = await shelf()
  expect(listed.code).toBe(0)
  expect(listed.out).toMatch(/^ +AT +KIND +GAME +NOTICE/)
  expect(listed.out).toMatch(/\* +\d{4}-\d\d-\d\d \d\d:\d\d +release +Lantern Bay +1\.0\.0 for Linux/)
  for (const hidden of ['\u202E', '\u001B']) expect(listed.out).not.toContain(hidden)
  expect(listed.out).toEndWith('2 unread notices.\n')
  expect(requireDone(await shelf('--json', '--unread'))).toMatchObject({
    items: [
      { kind: 'operator', game: null },
      { kind: 'release', title: '1.0.0 for Linux' },
    ],
    unread: 2,
    next_cursor: null,
    marked: false,
  })
  expect(requireDone(await shelf('--json', '--mark-read'))).toMatchObject({ unread: 0, marked: true })
  expect((await readNotices(player)).unread).toBe(0)
  expect((await shelf('--unread', '--mark-read')).out).toBe('No notices.\n0 unread notices.\n')
})

test('says what is missing', async () => {
  const stranger = await machine.shelf(['notices'])
  expect([stranger.code, stranger.err]).toEqual([3, expect.stringContaining('shelf signin')])
  await followGame(player, game)
  await release(server, game.uid, { version: '2.0.0' })
  const reads = await machine.shelf(['notices', '--mark-read'], await createKey('player:read'))
  expect([reads.code, reads.err]).toEqual([4, expect.stringContaining('player:library')])
  const bugs = await machine.shelf(['notices'], await createKey('player:bugs'))
  expect([bugs.code, bugs.err]).toEqual([4, expect.stringContaining('player:read')])
  expect((await machine.shelf(['notices', 'more'], await createKey('player:read'))).code).toBe(2)
})
