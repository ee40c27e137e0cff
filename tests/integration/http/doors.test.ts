import { beforeAll, describe, expect, test } from 'bun:test'

import { LIBRARY_ROUTES } from '../../../src/features/accounts/sign-in/auth-routes.ts'
import { TOOLS } from '../../../src/features/agents/protocol.ts'
import { HARMLESS_CHANGES } from '../../helpers/authorization/harmless-changes.ts'
import { insertGame, verifyEmail } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { useQuietShop } from '../../helpers/selling/selling.ts'
import { ageConfirmation } from '../../helpers/sign-in/factors.ts'

interface Door {
  isFresh: boolean
  needsFactor: boolean
}

interface Act {
  name: string
  guards: string[]
  doors: string[]
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const UNDECLARED: Door = { isFresh: false, needsFactor: false }

const shop = useQuietShop()
/** Every way to change something, or to read what is guarded. Those of operators have one guard for all. */
let doors: Map<string, Door>
let acts: Act[]

beforeAll(async () => {
  const routes = shop.server.app.routes.flatMap(({ method, path, hooks }): [string, Door][] => {
    const detail: Record<string, unknown> = hooks.detail ?? {}
    const isFresh = detail['x-fresh'] === true
    if (detail['x-access'] === 'operator' || path === '/mcp' || path.startsWith('/api/auth/')) return []
    if (SAFE.has(method) && !isFresh) return []
    return [[`${method} ${path}`, { isFresh, needsFactor: detail['x-second-factor'] !== undefined }]]
  })
  const library = LIBRARY_ROUTES.map((route) => route.replace(' ', ' /api/auth'))
  const tools = TOOLS.flatMap(({ name, effect }) => (effect === 'read' ? [] : [`tool ${name}`]))
  doors = new Map([...routes, ...[...library, ...tools].map((door): [string, Door] => [door, UNDECLARED])])
  acts = readActs(await Bun.file(new URL('../../../infra/docs/security.md', import.meta.url)).text())
})

/** The list of the chapter: the name of each act, its guards in brackets, its doors. */
function readActs(chapter: string): Act[] {
  const [, section = ''] = /\n## Doors of guarded acts\n(.*?)\n## /s.exec(chapter) ?? []
  return [...section.matchAll(/^- \*\*(.+?)\*\* \((.+?)\):(.*(?:\n {2}.*)*)/gm)].map(
    ([, name = '', guards = '', list = '']) => ({
      name,
      guards: guards.split(', '),
      doors: [...list.matchAll(/`((?:[A-Z]+|tool) [^`]+)`/g)].map(([, door = '']) => door),
    }),
  )
}

const listed = () => acts.flatMap((act) => act.doors)

describe('the doors of guarded acts', () => {
  test('are all in the list of the chapter, or known to be harmless', () => {
    expect(acts.length).toBeGreaterThan(20)
    const known = new Set([...listed(), ...HARMLESS_CHANGES])
    expect([...doors.keys()].filter((door) => !known.has(door))).toEqual([])
  })

  test('of the list exist, and none stands twice', () => {
    const all = [...listed(), ...HARMLESS_CHANGES]
    expect(all.filter((door) => !doors.has(door))).toEqual([])
    expect(all.filter((door, at) => all.indexOf(door) !== at)).toEqual([])
  })

  test('declare the guards that the list says, and no others do', () => {
    const unguarded: string[] = []
    for (const { guards, doors: ways } of acts) {
      for (const way of ways.filter((door) => !door.includes(' /api/auth/'))) {
        const { isFresh, needsFactor } = doors.get(way) ?? UNDECLARED
        if (guards.includes('fresh') !== isFresh) unguarded.push(`${way}: fresh`)
        if (guards.includes('second factor') !== needsFactor) unguarded.push(`${way}: second factor`)
      }
    }
    expect(unguarded).toEqual([])
    expect(HARMLESS_CHANGES.filter((door) => doors.get(door)?.isFresh)).toEqual([])
  })

  test('that are pages lead a session that is not fresh to the confirmation', async () => {
    const { server } = shop
    const person: Person = await signUp(server)
    await verifyEmail(server, person)
    await person.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    const game = await insertGame(server, person)
    await ageConfirmation(server, person)
    const pages = acts
      .filter(({ guards }) => guards.includes('fresh'))
      .flatMap((act) => act.doors.filter((door) => !door.includes(' /api/')))
    const open: string[] = []
    for (const door of pages) {
      const [method = '', path = ''] = door.split(' ')
      const form = new URLSearchParams({ enable_auth: 'on', groups: 'text', app_id: '1', web_api_key: '' })
      const answer = await person.fetch(
        path.replace(':uid', game.uid).replaceAll(/:\w+/g, crypto.randomUUID()),
        {
          method,
          headers: { accept: 'text/html' },
          ...(method !== 'GET' && { body: form }),
        },
      )
      if (!answer.headers.get('location')?.startsWith('/confirm?next='))
        open.push(`${door}: ${answer.status}`)
    }
    expect(open).toEqual([])
    expect(pages.length).toBeGreaterThan(20)
  })
})
