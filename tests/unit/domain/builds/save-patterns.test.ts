import { describe, expect, test } from 'bun:test'

import { listSaveSlots, parseSaveFiles, SAVE_PATTERNS_MAX } from '../../../../src/domain/builds/save-files.ts'
import {
  matchesSave,
  mayHoldSaves,
  parseSavePattern,
  SavePatternError,
  type SaveSystem,
} from '../../../../src/domain/builds/save-patterns.ts'

function accepts(text: string, system: SaveSystem = 'linux'): boolean {
  try {
    parseSavePattern(text, system)
    return true
  } catch (error) {
    if (error instanceof SavePatternError) return false
    throw error
  }
}

function faultsOf(value: unknown): string[] {
  const faults: string[] = []
  parseSaveFiles(value, (path, message) => faults.push(`${path.join('.')} ${message}`))
  return faults
}
const linux = (...slots: string[][]) => ({
  slots: Object.fromEntries(slots.map((texts, index) => [`slot ${index}`, { linux: texts }])),
})

describe('a pattern', () => {
  test.each([
    ['~/.local/share/moss/*.sav', 'linux'],
    ['~/.config/unity3d/Studio/Moss/**', 'linux'],
    ['~/Documents/My Games/Moss/save?.dat', 'windows'],
    ['%APPDATA%/Moss/**', 'windows'],
    ['%LOCALAPPDATA%/Moss/Saved/SaveGames/*.sav', 'windows'],
    ['~/AppData/LocalLow/Studio/Moss/**', 'windows'],
    ['~/Saved Games/Moss/*', 'windows'],
    ['~/Library/Application Support/Moss/**/*.json', 'macos'],
    ['./saves/**', 'linux'],
    ['~/.local/share/godot/app_userdata/Moss/save.dat', 'linux'],
    ['~/.local/share/Мох/*.sav', 'linux'],
  ] as const)('%s of %s names the saves of one game', (text, system) => {
    expect(accepts(text, system)).toBe(true)
  })

  test.each([
    '~',
    '~/',
    '~/*',
    '~/**',
    '~/save.dat',
    '~/.local/share',
    '~/.local/share/',
    '~/.local/share/*',
    '~/.local/share/*/save.dat',
    '~/.local/share/**',
    '~/.local/share/save.dat',
    '~/.config/**/moss/*',
    '/etc/passwd',
    '/home/me/.local/share/moss/*',
    'C:/Users/me/moss/*',
    'C:\\Users\\me\\*',
    '//server/x/y',
    '../moss/*',
    '~/../other/moss/*',
    '~/.local/share/../../.ssh/*',
    '~/.local/share/moss/../../../.ssh/id',
    '~/.local/share/./moss/*',
    '~/.local/share//moss/*',
    '~/.local/share/moss//*',
    '~/.local/share/moss/',
    '~/.ssh/*',
    '~/.config/.ssh/*',
    '~/.local/share/moss/.ssh/*',
    '~/.local/share/moss/.SSH/id_rsa',
    '~/.config/google-chrome/Default/*',
    '~/.config/Google-Chrome-Beta/*',
    '~/.config/chromium/**',
    '~/.config/mozilla/firefox/*',
    '~/.config/BraveSoftware/x/*',
    '~/.config/ﬁrefox/../x/*',
    '~/.config/shelf/credentials.json',
    '~/.config/Shelf/*',
    './.shelf/*',
    './saves/.shelf/x',
    './.SHELF/**',
    '~/.config/autostart/*.desktop',
    '~/.config/systemd/user/*',
    '~/.local/share/applications/*',
    '$HOME/moss/*',
    '${HOME}/.ssh/*',
    '~/.local/share/$USER/*',
    '~/.local/share/moss/%APPDATA%/*',
    '%USERPROFILE%/moss/*',
    '%APPDATA%/moss/*',
    '%TEMP%/moss/*',
    '~root/moss/*',
    '~other/.local/share/m/*',
    '~/.local/share/moss./*',
    '~/.local/share/moss /*',
    '~/.local/share/.../*',
    '~/.local/share/ moss/*',
    '~/.local/share/mo\u200Bss/*',
    '~/.local/share/mo\u0000ss/*',
    '~/.local/share/mo\u202Ess/*',
    '~/.local/share/m\uD800/*',
    '~/.local/share/moss:hidden/*',
    '~/.local/share/moss\\*',
    '~/.local/share/CON/*',
    '~/.local/share/MOSSGA~1/*',
    '~/.local/share/moss/*.{sav,dat}',
    '~/.local/share/moss/[ab].sav',
    '~/.local/share/moss/a**',
    './*',
    './save.dat',
    '.',
    '~/.local/share/godot/**',
    '~/.local/share/godot/app_userdata/*',
    '~/.config/unity3d/*',
    '~/Documents/My Games/*',
    `~/.local/share/moss/${'x'.repeat(255)}`,
  ])('%j is refused', (text) => {
    expect(accepts(text)).toBe(false)
  })

  test('of another system is refused', () => {
    expect(accepts('~/.local/share/moss/*', 'windows')).toBe(false)
    expect(accepts('~/Library/Application Support/moss/*', 'linux')).toBe(false)
    expect(accepts('%APPDATA%/Microsoft/Credentials/*', 'windows')).toBe(false)
    expect(accepts('%APPDATA%/mozilla/Firefox/*', 'windows')).toBe(false)
    expect(accepts('%LOCALAPPDATA%/Google/Chrome/*', 'windows')).toBe(false)
    expect(accepts('~/Library/Application Support/com.apple.TCC/*', 'macos')).toBe(false)
  })

  test('matches names by its wildcards, whatever their case', () => {
    const matches = (text: string, path: string) => matchesSave(parseSavePattern(text, 'linux'), path)
    expect(matches('~/.config/moss/*.sav', 'SLOT.SAV')).toBe(true)
    expect(matches('~/.config/moss/*.sav', 'deep/slot.sav')).toBe(false)
    expect(matches('~/.config/moss/**', 'deep/er/slot.sav')).toBe(true)
    expect(matches('~/.config/moss/**/*.sav', 'slot.sav')).toBe(true)
    expect(matches('~/.config/moss/**/*.sav', 'a/b/slot.dat')).toBe(false)
    expect(matches('~/.config/moss/s?.sav', 's1.sav')).toBe(true)
    expect(matches('~/.config/moss/s?.sav', 's12.sav')).toBe(false)
    expect(matches('~/.config/moss/one.sav', '*')).toBe(false)
    expect(matches('~/.config/moss/one.sav', 'one?sav')).toBe(false)
    expect(matches(`~/.config/moss/${'*a'.repeat(60)}`, 'a'.repeat(2000))).toBe(true)
    expect(matches(`~/.config/moss/${'*a'.repeat(60)}b`, 'a'.repeat(2000))).toBe(false)
  })

  test('looks only into folders that can hold a match', () => {
    const looks = (text: string, path: string) => mayHoldSaves(parseSavePattern(text, 'linux'), path)
    expect(looks('~/.config/moss/*.sav', '')).toBe(true)
    expect(looks('~/.config/moss/*.sav', 'cache')).toBe(false)
    expect(looks('~/.config/moss/*/x.sav', 'cache')).toBe(true)
    expect(looks('~/.config/moss/s*/**', 'saves/deep/er')).toBe(true)
    expect(looks('~/.config/moss/s*/**', 'cache/deep')).toBe(false)
  })
})

describe('the saves of a build', () => {
  test('are slots with patterns for each system', () => {
    const saves = {
      slots: { main: { linux: ['~/.config/moss/a'], windows: ['%APPDATA%/Moss/a'] }, more: {} },
    }
    expect(faultsOf(saves)).toEqual([])
    expect(parseSaveFiles(saves, () => undefined)).toEqual(saves)
    expect(listSaveSlots(saves, 'linux')).toMatchObject([{ name: 'main', isSingle: true }])
    expect(listSaveSlots(saves, 'macos')).toEqual([])
  })

  test('have one form', () => {
    const wrong = [
      null,
      [],
      'x',
      {},
      { slots: [] },
      { slots: { a: [] } },
      { slots: { a: { linux: [] } } },
      { slots: { a: { linux: [7] } } },
      { slots: { a: { amiga: ['~/x/y'] } } },
      { slots: {}, other: 1 },
      { slots: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`${index}`, {}])) },
    ]
    expect(wrong.filter((value) => faultsOf(value).length === 0)).toEqual([])
  })

  test.each(['', 'a/b', '..', 'CON', 'x'.repeat(65), 'a.', ' a', 'a:b', 'a\u0000'])(
    'have no slot %j',
    (name) => {
      expect(faultsOf({ slots: { [name]: {} } })).not.toEqual([])
    },
  )

  test('have 20 patterns at most, in all', () => {
    const texts = (count: number) =>
      Array.from({ length: count }, (_, index) => `~/.config/moss/${index}.sav`)
    expect(faultsOf(linux(texts(SAVE_PATTERNS_MAX)))).toEqual([])
    expect(faultsOf(linux(texts(SAVE_PATTERNS_MAX + 1)))).toEqual([' must have at most 20 patterns in all.'])
    expect(
      faultsOf(
        linux(
          texts(11),
          texts(10).map((text) => `${text}x`),
        ),
      ),
    ).not.toEqual([])
  })

  test('never give a file to two slots, or one name to two files', () => {
    expect(faultsOf(linux(['~/.config/moss/**'], ['~/.config/moss/settings.ini']))).toEqual([
      'slots.slot 1.linux can match files of another slot; a file belongs to one slot.',
    ])
    expect(faultsOf(linux(['~/.config/moss/a/**', '~/.config/moss/b/*.sav']))).toEqual([
      expect.stringContaining('slots.slot 0.linux.1 can match files of the same names as'),
    ])
    expect(faultsOf(linux(['~/.config/moss/a/*.ini', '~/.config/moss/b/*.sav']))).toEqual([])
    expect(faultsOf(linux(['~/.config/moss/*.ini', '~/.config/moss/*']))).toEqual([])
    expect(
      faultsOf({ slots: { Main: { linux: ['~/.config/m/a'] }, main: { linux: ['~/.config/m/b'] } } }),
    ).toEqual([expect.stringContaining('by case alone')])
  })

  test('are one file on all systems, or several on all', () => {
    const saves = { slots: { main: { linux: ['~/.config/moss/a'], windows: ['%APPDATA%/Moss/**'] } } }
    expect(faultsOf(saves)).toEqual([expect.stringContaining('use a wildcard on all of them')])
  })
})
