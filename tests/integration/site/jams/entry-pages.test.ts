import { describe, expect, test } from 'bun:test'

import { endAndPin, insertFit, insertRunning, readState, submit } from '../../../helpers/jams/entries.ts'
import { insertCover, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { releaseWeb } from '../../../helpers/play.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const visitor = usePerson(server)

const form = (person: Person, path: string, fields: Record<string, string>) =>
  person.fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
const read = async (person: Person, path: string) => {
  const answer = await person.fetch(path)
  expect(answer.status).toBe(200)
  return await answer.text()
}

describe('the tab Jams of the studio', () => {
  test('says what is missing, enters, saves the note and withdraws', async () => {
    const jam = await insertRunning(server)
    const game = await insertGame(server, owner)
    const tab = `/studio/${game.vanityName}/jams`
    const before = await read(owner, tab)
    expect(before).toContain(jam.title)
    expect(before).toContain('Upload a cover.')
    expect(before).toContain('Release a build on stable')
    expect(before).not.toContain('Enter it<')
    await insertCover(server, game.uid)
    await releaseWeb(server, game.uid)
    expect(await read(owner, tab)).toContain('Enter it')
    const entered = await form(owner, `${tab}/${jam.uid}`, { note: 'Press space.' })
    expect(entered.headers.get('location')).toBe(`${tab}?done=entered`)
    expect(await readState(owner, jam, game)).toMatchObject({ entered: true, note: 'Press space.' })
    expect(await read(owner, tab)).toContain('Press space.')
    const long = await form(owner, `${tab}/${jam.uid}`, { note: 'x'.repeat(1001) })
    expect(long.status).toBe(400)
    expect(await long.text()).toContain('at most 1000 characters')
    await form(owner, `${tab}/${jam.uid}/withdraw`, {})
    expect(await readState(owner, jam, game)).toMatchObject({ entered: false })
    expect((await visitor.fetch(tab)).status).toBe(404)
  })

  test('names the version of the jam after its end, and takes the entry out', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await submit(owner, jam, game)
    await endAndPin(server, jam)
    const tab = `/studio/${game.vanityName}/jams`
    const page = await read(owner, tab)
    expect(page).toContain('The version of the jam: 1.0.0 for Linux.')
    expect(page).toContain('Take it out for good')
    await form(owner, `${tab}/${jam.uid}/withdraw`, {})
    expect(await readState(owner, jam, game)).toMatchObject({ entered: false, open: false })
  })
})

describe('the pages of entries', () => {
  test('let one pick a listing, and show it at once', async () => {
    const jam = await insertRunning(server)
    const person = await signUp(server)
    const [able, unable] = [
      await insertFit(server, person, { name: 'Able owl' }),
      await insertGame(server, person),
    ]
    const enter = `/jams/${jam.slug}/enter`
    const page = await read(person, enter)
    expect(page).toContain(`value="${able.uid}"`)
    expect(page).toContain(unable.name)
    expect(page).toContain('Upload a cover.')
    expect((await form(person, enter, {})).status).toBe(400)
    const refused = await form(person, enter, { game: unable.uid })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('Upload a cover.')
    const sent = await form(person, enter, { game: able.uid, note: 'Hello' })
    expect(sent.headers.get('location')).toContain(`/jams/${jam.slug}/entries`)
    expect(await read(visitor, `/jams/${jam.slug}/entries?q=owl&sort=random`)).toContain('Able owl')
    expect((await server.fetch(`/jams/${jam.slug}/enter`)).status).toBe(303)
  })

  test('play the version of a draft in the jam, and say on its store page which one that is', async () => {
    const jam = await insertRunning(server, { entriesPerPerson: 2 })
    const [open, draft] = [
      await insertFit(server, owner),
      await insertFit(server, owner, { name: 'Hidden <b>fox</b>', visibility: 'draft' }),
    ]
    await releaseWeb(server, draft.uid)
    for (const game of [open, draft]) await submit(owner, jam, game, { note: 'Use <i>arrows</i>.' })
    await endAndPin(server, jam)
    const list = await read(visitor, `/jams/${jam.slug}/entries?os=web&played=not_yet`)
    expect(list).toContain('Hidden &lt;b>fox')
    expect(list).toContain(`/games/${draft.vanityName}/play?jam=${jam.slug}`)
    expect(list).not.toContain(open.name)
    const entry = await read(visitor, `/jams/${jam.slug}/entries/${draft.vanityName}`)
    expect(entry).toContain('The version of the jam: 1.0.0')
    expect(entry).toContain('Use &lt;i>arrows')
    expect((await visitor.fetch(`/games/${draft.vanityName}`)).status).toBe(404)
    const play = await read(visitor, `/games/${draft.vanityName}/play?jam=${jam.slug}`)
    expect(play).toContain('data-beat="15"')
    expect(play).toContain(`data-jam="${jam.slug}"`)
    const store = await read(visitor, `/games/${open.vanityName}`)
    expect(store).toContain(`Entered in`)
    expect(store).toContain(jam.title)
    expect(store).toContain('with version 1.0.0')
    for (const path of ['entries/no-such-game', 'late/wrong-code'])
      expect((await visitor.fetch(`/jams/${jam.slug}/${path}`)).status).toBeOneOf([200, 404])
    expect((await visitor.fetch(`/jams/${jam.slug}/entries/no-such-game`)).status).toBe(404)
  })
})
