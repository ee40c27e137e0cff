import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { InstallProgress } from '../../../src/cli/install/progress.ts'
import { renderBar, startPhase } from '../../../src/cli/ui/progress.ts'
import { type InstallStore, startInstallStore } from '../../helpers/cli/install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { randomBytes } from '../../helpers/files/packed-zip.ts'

const MIB = 1024 ** 2

describe('the bar of an installation', () => {
  test('is one, with what is fetched, copied and checked, and follows what is left to do', () => {
    const bars: string[] = []
    const lines: string[] = []
    let describePhase = () => ''
    const output = {
      phase(phase: string, name: string, total: number, describe: () => string = () => '') {
        bars.push(`${phase} ${name} ${total}`)
        describePhase = describe
        return startPhase(
          { columns: () => null, draw: () => undefined, line: (text) => void lines.push(text) },
          { phase, name, total, describe },
        )
      },
    }
    using progress = new InstallProgress(output, 'updating', 'moss-garden')
    progress.expect(0)
    expect(bars).toEqual([])
    progress.expect(10 * MIB)
    progress.advance('copied', 4 * MIB)
    progress.advance('fetched', MIB)
    progress.expect(3 * MIB)
    progress.advance('checked', 3 * MIB)
    expect(bars).toEqual([`updating moss-garden ${10 * MIB}`])
    expect(describePhase()).toBe('1.0 MB fetched, 4.0 MB copied, 3.0 MB checked')
    expect(progress.fetched).toBe(MIB)
  })

  test('names the kinds of bytes where the terminal is wide enough', () => {
    const state = { phase: 'updating', name: 'moss-garden', done: 5, total: 10, speed: null }
    const detail = '1.0 GB fetched, 4.0 GB copied, 3.0 GB checked'
    expect(renderBar({ ...state, detail }, 120)).toContain(`50 %  ${detail}`)
    expect(renderBar({ ...state, detail }, 60)).not.toContain('fetched')
  })
})

describe('in a terminal', () => {
  let store: InstallStore
  let player: PlayerMachine
  beforeEach(async () => {
    store = await startInstallStore()
    player = await createPlayerMachine(store.url)
  })
  afterEach(async () => {
    await store.stop()
    await player.remove()
  })

  test('an installation is one line that changes; elsewhere one that tells it', async () => {
    await store.offer({ data: randomBytes(MIB) })
    const { code, text } = await player.terminal(['get', 'moss-garden', '--limit-rate', '500KB'])
    expect(code).toBe(0)
    const bars = text.split('\r\u001B[2K').filter((bar) => bar.startsWith('installing'))
    expect(bars.length).toBeGreaterThan(3)
    expect(bars.filter((bar) => !/^installing {2}moss-garden {2}[█░]+ {2}[ \d]+ %/.test(bar))).toEqual([])
    expect(bars.at(-1)).toMatch(/MB fetched|KB fetched/)

    await store.offer({ data: randomBytes(MIB) }, '2')
    const updated = await player.shelf(['update', '--json'])
    requireDone(updated)
    expect(updated.err).toBe('updating moss-garden, 1.0 MB\n')
  })
})
