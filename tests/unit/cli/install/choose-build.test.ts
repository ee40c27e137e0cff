import { describe, expect, test } from 'bun:test'

import { type BuildWish, chooseBuild, hostArchitectures } from '../../../../src/cli/install/choose-build.ts'
import type { InstallBuilds } from '../../../../src/features/catalog/installs/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'

type Build = InstallBuilds['builds'][number]

function build(os: Build['os'], arch: Build['arch'], app = 'main'): Build {
  const file = {
    file_uid: createUid(),
    filename: 'game.zip',
    size: 1,
    checksum: 'a',
    blocks: true,
    installed_size: 1,
    launch: null,
  }
  const target = { channel: 'stable', app, app_name: app, os, arch }
  return { ...target, version: '1.2.0', build_id: createUid(), files: [file] }
}

const GAME = { uid: createUid(), vanity_name: 'moss-garden', name: 'Moss Garden' }
const BUILDS = [
  build('windows', 'x86'),
  build('linux', 'x86'),
  build('linux', 'x86_64'),
  build('linux', 'x86_64', 'server'),
]
const WISH: BuildWish = {
  channel: 'stable',
  app: 'main',
  os: 'linux',
  archs: hostArchitectures('linux', 'x64'),
  version: null,
}
const choose = (wish: Partial<BuildWish>) => {
  const { os, arch, app } = chooseBuild({ game: GAME, builds: BUILDS }, { ...WISH, ...wish }).build
  return `${os} ${arch} ${app}`
}

describe('the build to install', () => {
  test('is the best for the machine, or what was asked for', () => {
    expect(choose({})).toBe('linux x86_64 main')
    expect(choose({ archs: ['x86'] })).toBe('linux x86 main')
    expect(choose({ app: 'server' })).toBe('linux x86_64 server')
    expect(choose({ os: 'windows', archs: hostArchitectures('win32', 'x64') })).toBe('windows x86 main')
    expect(choose({ version: '1.2.0' })).toBe('linux x86_64 main')
  })

  test('that is not there is refused with what there is', () => {
    expect(() => choose({ os: 'macos' })).toThrow('has no build for macos x86_64 on the channel stable')
    expect(() => choose({ version: '1.0.0' })).toThrow('The channel stable has version 1.2.0, not 1.0.0.')
  })
})
