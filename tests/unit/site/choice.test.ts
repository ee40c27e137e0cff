import { describe, expect, test } from 'bun:test'

import { MAIN_APP } from '../../../src/domain/builds/channels.ts'
import type { OperatingSystem } from '../../../src/domain/builds/platforms.ts'
import { chooseFor } from '../../../src/site/listing/page/choice.ts'

type Offered = Parameters<typeof chooseFor>[0]
type File = Offered['files'][number]

const fileFor = (os: OperatingSystem, arch = 'x86_64', app = MAIN_APP) => ({ os, arch, app }) as File
const PLAYER = { mobile: true, downloadable: false } as NonNullable<Offered['web_player']>
const FREE = { cents: 0, free: true } as Offered['price']
const PAID = { cents: 900, free: false } as Offered['price']
const WINDOWS = fileFor('windows')
const LINUX = fileFor('linux')

interface Case {
  files?: File[]
  web_player?: Offered['web_player']
  price?: Offered['price']
  os?: OperatingSystem | null
  isTheirs?: boolean
  mayDownload?: boolean
}

function choose({ files = [WINDOWS, LINUX], web_player = null, price = FREE, ...standing }: Case) {
  const { os = 'linux', isTheirs = false, mayDownload = isTheirs } = standing
  return chooseFor({ files, web_player, price }, { os, isTheirs, mayDownload, isOpen: true })
}

describe('the one button', () => {
  test.each<[what: string, given: Case, action: ReturnType<typeof choose>['action']]>([
    ['plays what is free in the browser', { web_player: PLAYER }, 'play'],
    ['plays what was bought', { web_player: PLAYER, price: PAID, isTheirs: true }, 'play'],
    ['buys before it plays', { web_player: PLAYER, price: PAID }, 'buy'],
    ['downloads for this system', { mayDownload: true }, 'download'],
    ['gets what needs an account', {}, 'get'],
    ['gets what only other systems run', { os: 'macos', mayDownload: true }, 'get'],
    ['is missing for owners on another system', { os: 'macos', isTheirs: true }, null],
    ['downloads for whoever hides their system', { os: null, mayDownload: true }, 'download'],
  ])('%s', (_what, given, action) => {
    expect(choose(given).action).toBe(action)
  })

  test('is for the usual processor of a system; the others are listed', () => {
    const files = [fileFor('linux', 'arm64'), LINUX, WINDOWS]
    const { file, others } = choose({ files, mayDownload: true })
    expect(file).toBe(LINUX)
    expect(others).toEqual([fileFor('linux', 'arm64'), WINDOWS])
  })

  test('leaves out other programs, and web builds without permission', () => {
    const files = [WINDOWS, fileFor('web', 'wasm32'), fileFor('linux', 'x86_64', 'server')]
    expect(choose({ files, web_player: PLAYER }).others).toEqual([WINDOWS])
    const allowed = choose({ files, web_player: { ...PLAYER, downloadable: true } })
    expect(allowed.others.map(({ os }) => os)).toEqual(['windows', 'web'])
    expect(choose({ files }).others.map(({ os }) => os)).toEqual(['windows', 'web'])
  })
})

describe('before anything is paid', () => {
  test.each<[os: OperatingSystem, player: Offered['web_player'], runsOn: string | null]>([
    ['android', null, 'Windows and Linux'],
    ['ios', { ...PLAYER, mobile: false }, 'Windows, Linux and in browsers on computers'],
    ['android', PLAYER, null],
    ['linux', null, null],
    ['macos', null, 'Windows and Linux'],
  ])('%s is told what runs it', (os, web_player, runsOn) => {
    expect(choose({ os, web_player, price: PAID }).warning?.runsOn ?? null).toBe(runsOn)
  })

  test('nothing is said where nothing is known', () => {
    expect(choose({ os: null }).warning).toBeNull()
    expect(choose({ os: 'android', files: [] }).warning).toBeNull()
  })
})
