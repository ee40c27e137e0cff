import { afterAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import Ajv from 'ajv/dist/2020.js'

import { planBuilds } from '../../../src/cli/push/plan.ts'
import { CredentialStore } from '../../../src/cli/settings/credentials.ts'
import { findShelfJson, loadSettings, parseShelfJson } from '../../../src/cli/settings/settings.ts'
import { describeShelfFile } from '../../../src/domain/builds/shelf-file.ts'
import { createTempDir } from '../../helpers/processes/child.ts'

const dir = await createTempDir('settings')
afterAll(() => dir.remove())

const BUILD = { os: 'linux', arch: 'x86_64', path: 'dist' }
const VALID = [
  { builds: [BUILD] },
  { server: 'https://store.example', game: 'moss-garden', version: { git: true }, builds: [BUILD] },
  {
    version: { file: 'VERSION' },
    channel: 'beta',
    changelog: 'CHANGELOG.md',
    builds: [{ ...BUILD, symbols: ['a'] }],
  },
  {
    builds: [
      { ...BUILD, launch: 'bin/game' },
      { ...BUILD, launch: { path: 'bin/game', args: ['-x'] } },
    ],
  },
  {
    builds: [BUILD],
    saves: { slots: { main: { linux: ['~/.config/moss/*'], macos: ['~/Documents/moss/*'] } } },
  },
  { version: '1.2.0', changelog: [{ title: 'New' }], builds: [{ ...BUILD, name: 'linux', app: 'server' }] },
]
const INVALID = [
  {},
  { builds: [] },
  { builds: [{ os: 'linux', arch: 'x86_64' }] },
  { builds: [{ ...BUILD, os: 'amiga' }] },
  { builds: [{ ...BUILD, secret_key: 'x' }] },
  { builds: [{ ...BUILD, launch: { args: ['-x'] } }] },
  { builds: [{ ...BUILD, launch: 'x'.repeat(256) }] },
  { builds: [BUILD], saves: {} },
  { builds: [BUILD], saves: { slots: { main: { amiga: ['~/.config/moss/*'] } } } },
  { builds: [BUILD], saves: { slots: { main: { linux: [] } } } },
  { builds: [BUILD], channel: 'Not A Channel' },
  { builds: [BUILD], version: { git: false } },
  { builds: [BUILD], server: 'store.example' },
]

describe('shelf.json', () => {
  const isValid = new Ajv({ strict: false }).compile(describeShelfFile('https://store.example'))

  test('is read exactly as its schema says', () => {
    for (const content of VALID) {
      expect(isValid(content)).toBe(true)
      expect(parseShelfJson(JSON.stringify(content), 'shelf.json')).toEqual(content as never)
    }
    for (const content of INVALID) {
      expect(isValid(content)).toBe(false)
      expect(() => parseShelfJson(JSON.stringify(content), 'shelf.json')).toThrow('shelf.json is not valid')
    }
  })

  test('says which field is wrong, and what it takes', () => {
    const text = JSON.stringify({ builds: [{ ...BUILD, os: 'amiga' }] })
    expect(() => parseShelfJson(text, 'shelf.json')).toThrow('builds[0].os must be one of windows, macos')
    expect(() => parseShelfJson('{', 'shelf.json')).toThrow('not valid JSON')
  })

  test('names what starts a build, with or without arguments', async () => {
    const folder = join(dir.path, 'launch')
    await mkdir(join(folder, 'dist'), { recursive: true })
    const launch = { path: 'bin/game', args: ['-x'] }
    const content = {
      builds: [
        { ...BUILD, launch: 'bin/game' },
        { ...BUILD, name: 'b', launch },
      ],
    }
    const shelfJson = { folder, content: parseShelfJson(JSON.stringify(content), 'shelf.json') }
    const options = {
      cwd: folder,
      shelfJson,
      path: undefined,
      flags: {},
      version: '1.0.0',
      changelog: undefined,
    }
    const builds = await planBuilds({ ...options, onWarning: () => undefined })
    expect(builds.map(({ registration }) => registration.launch)).toEqual([{ path: 'bin/game' }, launch])
  })

  test('names the saves of all builds, which are checked before anything is sent', async () => {
    const folder = join(dir.path, 'saves')
    await mkdir(join(folder, 'dist'), { recursive: true })
    const plan = (pattern: string) => {
      const saves = { slots: { main: { linux: [pattern] } } }
      const content = parseShelfJson(JSON.stringify({ builds: [BUILD], saves }), 'shelf.json')
      const options = { path: undefined, flags: {}, version: '1.0.0', changelog: undefined }
      return planBuilds({
        ...options,
        cwd: folder,
        shelfJson: { folder, content },
        onWarning: () => undefined,
      })
    }
    const [build] = await plan('~/.config/moss/*')
    expect(build?.registration.saves).toEqual({ slots: { main: { linux: ['~/.config/moss/*'] } } })
    expect(plan('~/.ssh/*')).rejects.toThrow('saves.slots.main.linux.0 must begin with')
  })

  test('is found in the nearest parent', async () => {
    const deep = join(dir.path, 'a/b/c')
    await mkdir(deep, { recursive: true })
    await Bun.write(join(dir.path, 'a/shelf.json'), JSON.stringify(VALID[0]))
    expect((await findShelfJson(deep))?.folder).toBe(join(dir.path, 'a'))
  })
})

describe('settings', () => {
  const content = { server: 'https://file.example', game: 'file-game', builds: [BUILD] } as never
  const shelfJson = { folder: '/', content }
  const key = { SHELF_ACCESS_TOKEN: 'token-of-env', SHELF_SECRET_KEY: 'secret-of-env' }
  const store = () => new CredentialStore(join(dir.path, crypto.randomUUID()))
  const saved = (server: string, game: string) => ({
    server,
    game,
    game_uid: `uid-of-${game}`,
    access_token: `token-of-${game}`,
    secret_key: 'secret',
  })

  test('come from flags, then the environment, then shelf.json, then the login', async () => {
    const env = { SHELF_SERVER: 'https://env.example', ...key }
    const read = async (sources: Partial<Parameters<typeof loadSettings>[0]>) =>
      await loadSettings({ flags: {}, env: {}, shelfJson: null, store: store(), ...sources })
    const flags = { server: 'https://flag.example/', game: 'flag-game' }
    expect(await read({ flags, env, shelfJson })).toMatchObject({
      server: 'https://flag.example',
      game: 'flag-game',
    })
    expect(await read({ env, shelfJson })).toMatchObject({ server: 'https://env.example', game: 'file-game' })
    expect(await read({ env: key, shelfJson })).toMatchObject({
      server: 'https://file.example',
      credentials: null,
    })
    const ofEnv = { accessToken: 'token-of-env' }
    expect(await read({ env, shelfJson })).toMatchObject({ credentials: ofEnv })
    expect(await read({ env: { ...env, SHELF_SERVER: 'HTTPS://Flag.example' }, flags })).toMatchObject({
      credentials: ofEnv,
    })
    expect(await read({ env: key, flags })).toMatchObject({ credentials: ofEnv })
    expect(await read({ env, flags })).toMatchObject({ credentials: null })
    const logins = store()
    await logins.save(saved('https://saved.example', 'moss'))
    expect(await read({ store: logins })).toMatchObject({
      server: 'https://saved.example',
      credentials: { accessToken: 'token-of-moss' },
    })
    expect(read({})).rejects.toThrow('server is not known')
    expect(read({ env: { SHELF_ACCESS_TOKEN: 'half' }, shelfJson })).rejects.toThrow(
      'SHELF_SECRET_KEY is not set',
    )
  })

  test('never use the key of another server or game', async () => {
    const logins = store()
    await logins.save(saved('https://one.example', 'moss'))
    await logins.save(saved('https://two.example', 'fern'))
    expect(await logins.find('https://two.example/', null)).toMatchObject({ game: 'fern' })
    expect(await logins.find('https://two.example', 'moss')).toBeNull()
    expect(logins.find(null, null)).rejects.toThrow('several games')
    expect(await logins.remove('https://one.example', null)).toBe(1)
    expect(await logins.list()).toHaveLength(1)
  })
})
