import { beforeAll, expect, test } from 'bun:test'

import type { WrittenSave } from '../../../../src/features/saves/slots/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { readData } from '../../../helpers/json.ts'
import type { GameRow } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import {
  listObjects,
  newSaveGame,
  newSavePlayer,
  readConflict,
  type SaveCalls,
} from '../../../helpers/saves.ts'
import { useStore } from '../../../helpers/store.ts'

const ROUNDS = 200

const server = useStore({ TRUST_PROXY: '1' })
let game: GameRow
beforeAll(async () => {
  game = await newSaveGame(server, await signUp(server))
  // What a minute allows is not what this is about.
  server.deps.rates.add = () => ({ count: 1, resetMs: 60_000 })
})

/** Everything that the store answered for: what it accepted, and what it refused but kept. */
type Kept = Map<string, string>

async function writeTracked(saves: SaveCalls, text: string, base: string | null, kept: Kept) {
  const answer = await saves.put('main', text, base)
  if (answer.status === 201) {
    const { revision } = await readData<WrittenSave>(answer)
    kept.set(revision, text)
    return revision
  }
  const { theirs, yours_kept_as } = await readConflict(answer)
  kept.set(yours_kept_as, text)
  return theirs
}

async function requireAllKept(saves: SaveCalls, kept: Kept): Promise<void> {
  const found = new Map<string, boolean>()
  for (let page = 1; found.size < kept.size; page += 1) {
    const { items } = await saves.history('main', `?page=${page}&page_size=50`)
    if (items.length === 0) break
    for (const { revision, refused } of items) found.set(revision, refused)
  }
  expect(new Set(found.keys())).toEqual(new Set(kept.keys()))
  for (const [revision, text] of kept) expect(await saves.text('main', revision)).toBe(text)
}

test(`two devices at once for ${ROUNDS} rounds: one wins each, and every byte is found again`, async () => {
  const { saves } = await newSavePlayer(server, game)
  const kept: Kept = new Map()
  let known: string | null = null
  for (let round = 0; round < ROUNDS; round += 1) {
    const size = kept.size
    const [left, right] = await Promise.all(
      ['left', 'right'].map((device) => writeTracked(saves, `${device} ${round}`, known, kept)),
    )
    expect(kept.size).toBe(size + 2)
    // The winner's answer names its revision, the loser's the same one.
    expect(left).toBe(right ?? null)
    known = left ?? null
  }
  await requireAllKept(saves, kept)
  expect((await saves.list()).slots[0]?.revision).toBe(known ?? '')
})

test(`two devices in turn for ${ROUNDS} rounds, each with what it last saw`, async () => {
  const { saves } = await newSavePlayer(server, game)
  const kept: Kept = new Map()
  const seen: Record<string, string | null> = { left: null, right: null }
  for (let round = 0; round < ROUNDS; round += 1) {
    const device = round % 3 === 0 ? 'left' : 'right'
    seen[device] = await writeTracked(saves, `${device} ${round}`, seen[device] ?? null, kept)
  }
  await requireAllKept(saves, kept)
})

test('writes of the same bytes while others are deleted for good: what is answered for is there', async () => {
  const { saves } = await newSavePlayer(server, game)
  let { revision } = await saves.write('main', 'base', null)
  const bytes = `shared ${createUid()}`
  for (let round = 0; round < 40; round += 1) {
    const earlier = await saves.write('main', bytes, revision)
    const current = await saves.write('main', `between ${round}`, earlier.revision)
    const [written] = await Promise.all([
      saves.write('main', bytes, current.revision),
      saves.remove('main', `?revision=${earlier.revision}`),
    ])
    expect(await saves.text('main', written.revision)).toBe(bytes)
    revision = written.revision
  }
  expect((await listObjects(server)).length).toBeGreaterThan(0)
})
