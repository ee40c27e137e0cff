import { describe, expect, test } from 'bun:test'

import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { buildHealth } from '../../../../src/db/schema/telemetry.ts'
import { insertFile } from '../../../helpers/builds.ts'
import { makeCrash, postAsGame } from '../../../helpers/ingest.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { release } from '../../../helpers/releases.ts'
import { openTab } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const html = { headers: { accept: 'text/html' } }

async function readCsv(person: Person, path: string): Promise<string[]> {
  const answer = await person.fetch(path)
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toStartWith('attachment; filename="')
  return (await answer.text()).trimEnd().split('\r\n')
}

describe('health', () => {
  test('is a chart, a table and a CSV file', async () => {
    const game = await insertGame(server, owner)
    const build = await release(server, game.uid, { version: '1.4.0' })
    await server.deps.db.insert(buildHealth).values({
      buildUid: build.uid,
      band: 'mixed',
      devices: 200,
      bootOk: 170,
      crashed: 20,
      leftOut: 40,
      medianSessionS: 900,
      judgedAt: new Date(),
    })
    const page = await openTab(owner, game, 'health')
    expect(page).toMatch(/<svg class="chart"[^>]*role="img" aria-label="[^"]+"/)
    for (const text of ['Starts for most', '170 (85%)', '20 (10%)', '15 min', 'at most a fifth'])
      expect(page).toContain(text)
    expect(await readCsv(owner, `/studio/${game.vanityName}/health.csv`)).toEqual([
      'version,os,arch,channel,band,devices,boot_ok,crashed,left_out,median_session_s,app',
      '1.4.0,linux,x86_64,stable,mixed,200,170,20,40,900,main',
    ])
  })

  test('the CSV file has more builds than a page shows', async () => {
    const game = await insertGame(server, owner)
    for (let minor = 0; minor < 53; minor += 1) await release(server, game.uid, { version: `1.${minor}.0` })
    const rows = await readCsv(owner, `/studio/${game.vanityName}/health.csv`)
    expect(rows).toHaveLength(54)
    expect(rows[1]).toStartWith('1.52.0,')
  })

  test('says what to do while nothing was heard', async () => {
    expect(await openTab(owner, await insertGame(server, owner), 'health')).toContain('boot_ok')
  })
})

describe('crashes', () => {
  test('are grouped, with the newest report behind them', async () => {
    const game = await insertGame(server, owner)
    const build = await release(server, game.uid, { version: '2.0.0' })
    const crash = makeCrash({ reason: '=SUM(A1)', signature: 'sail, torn', log: 'the last words' })
    expect((await postAsGame(server, 'crashes', build, crash)).status).toBe(202)
    const page = await openTab(owner, game, 'crashes')
    for (const text of ['=SUM(A1)', '1 crash', '1 device', '2.0.0']) expect(page).toContain(text)
    const path = /href="(\/studio\/[^"]+\/crashes\/[0-9a-f-]{36})"/.exec(page)?.[1] ?? ''
    expect(await (await owner.fetch(path, html)).text()).toContain('the last words')
    const [, row = ''] = await readCsv(owner, `/studio/${game.vanityName}/crashes.csv`)
    // A spreadsheet must not run what a game sent.
    expect(row).toStartWith(`"sail, torn",'=SUM(A1),1,1,`)
    expect((await (await signUp(server)).fetch(path, html)).status).toBe(404)
    const other = await insertGame(server, owner)
    const elsewhere = path.replace(game.vanityName, other.vanityName)
    expect((await owner.fetch(elsewhere, html)).status).toBe(404)
  })
})

test('a CSV file holds nothing that a spreadsheet runs, however it splits the cells', async () => {
  const game = await insertGame(server, owner)
  const build = await release(server, game.uid, { version: '2.1.0' })
  const cells = [
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['a;=1+1', `"a;'=1+1"`],
    ['a; "=1+1', `"a;' ""=1+1"`],
    ['a\t+1+1', "a\t'+1+1"],
    ['\uFEFF=1+1', "'\uFEFF=1+1"],
    ['\u200B=1+1', "'\u200B=1+1"],
    ['\u00A0-1+1', "'\u00A0-1+1"],
    ['＝1+1', "'＝1+1"],
    ['a;＠SUM(A1)', `"a;'＠SUM(A1)"`],
    ['plain - text = fine', 'plain - text = fine'],
  ] as const
  for (const [index, [reason]] of cells.entries()) {
    const crash = makeCrash({ reason, signature: `kind-${index}` })
    expect((await postAsGame(server, 'crashes', build, crash)).status).toBe(202)
  }
  const rows = await readCsv(owner, `/studio/${game.vanityName}/crashes.csv`)
  for (const [index, [, cell]] of cells.entries())
    expect(rows.find((row) => row.startsWith(`kind-${index},`))).toStartWith(`kind-${index},${cell},1,`)
})

describe('downloads', () => {
  test('are counted per day and version, with the reasons of refusals', async () => {
    const game = await insertGame(server, owner)
    const build = await release(server, game.uid, { version: '3.0.0' })
    const { uid: fileUid } = await insertFile(server, build, { filename: 'more.zip' })
    const attempt = (outcome: number) => ({
      at: new Date(),
      gameUid: game.uid,
      fileUid,
      source: 'library' as const,
      client: 'Firefox',
      outcome,
    })
    await server.deps.db.insert(downloadEvents).values([200, 200, 4001, 4099, 4990].map(attempt))
    const page = await openTab(owner, game, 'downloads?days=7')
    expect(page).toContain('2 downloads and 3 refused attempts in 7 days.')
    for (const text of ['3.0.0', 'Had to sign in', 'Still being scanned', 'Firefox'])
      expect(page).toContain(text)
    const rows = await readCsv(owner, `/studio/${game.vanityName}/downloads.csv?days=7`)
    expect(rows).toHaveLength(8)
    expect(rows[0]).toStartWith('day,downloads,refused,had_to_sign_in,')
    const cells = Object.fromEntries(
      rows[0]?.split(',').map((name, index) => [name, rows.at(-1)?.split(',')[index]]) ?? [],
    )
    expect(cells).toMatchObject({ day: new Date().toISOString().slice(0, 10), downloads: '2', refused: '3' })
    expect(cells).toMatchObject({ had_to_sign_in: '1', still_being_scanned: '1', error_4990: '1' })
    expect(cells).toMatchObject({ had_to_buy_it: '0' })
  })

  test.each(['health.csv', 'crashes.csv', 'downloads.csv'])('%s is missing for a stranger', async (file) => {
    const game = await insertGame(server, owner)
    const answer = await (await signUp(server)).fetch(`/studio/${game.vanityName}/${file}`)
    expect(answer.status).toBe(404)
  })
})
