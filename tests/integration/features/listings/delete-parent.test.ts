import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type { Listing } from '../../../../src/features/catalog/pages/model.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { readMails, waitForMail } from '../../../helpers/mails.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
const modder = usePerson(server)

async function remove(game: GameRow): Promise<void> {
  await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, game.uid))
  expect((await owner.json('DELETE', `/api/v1/private/games/${game.uid}`)).status).toBe(200)
}

const readPage = async (game: GameRow) =>
  await readData<Listing>(await server.fetch(`/api/v1/public/games/${game.vanityName}`))

test('children of a deleted listing name it as an external parent, and their owners are told', async () => {
  const parent = await insertPublicGame(server, owner, { website: 'https://meadow.example/game' })
  const values = { assetType: 'mod', parentUid: parent.uid } as const
  const mods = [
    await insertPublicGame(server, modder, values),
    await insertGame(server, modder, { ...values, visibility: 'draft' }),
  ]
  const own = await insertPublicGame(server, owner, values)
  await remove(parent)

  const external = { external_name: parent.name, external_url: 'https://meadow.example/game' }
  for (const mod of [mods[0], own]) {
    expect(mod && (await readPage(mod)).parent).toMatchObject(external)
  }
  const path = `/api/v1/private/games/${mods[0]?.uid}`
  const read = await modder.fetch(path)
  expect(read.headers.get('etag')).not.toBe(`"${mods[0]?.revision}"`)
  expect((await readData<{ parent: unknown }>(read)).parent).toMatchObject(external)
  const mail = await waitForMail(server, modder.email, `${parent.name} was deleted from the store`)
  for (const mod of mods) expect(mail.text).toContain(`/games/${mod.vanityName}`)
  const told = (await readMails(server)).filter(({ subject }) =>
    subject.endsWith('was deleted from the store'),
  )
  expect(told.map(({ to }) => to)).toEqual([modder.email])
})

test('without a website the parent keeps the address that its page had', async () => {
  const parent = await insertPublicGame(server, owner)
  const mod = await insertPublicGame(server, modder, { assetType: 'mod', parentUid: parent.uid })
  await remove(parent)
  const external_url = `${server.deps.config.baseUrl}/games/${parent.vanityName}`
  expect((await readPage(mod)).parent).toMatchObject({ external_name: parent.name, external_url })
})
