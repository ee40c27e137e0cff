import { describe, expect, test } from 'bun:test'

import type { HealthBand } from '../../../../../src/domain/builds/health.ts'
import { mergeLaunches } from '../../../../../src/features/telemetry/health/launches.ts'
import { bandOf, worstBand } from '../../../../../src/features/telemetry/health/rate-build.ts'

describe('the band of a build', () => {
  test.each<[HealthBand, devices: number, bootOk: number, crashed: number]>([
    ['unrated', 0, 0, 0],
    ['unrated', 19, 19, 0],
    ['excellent', 20, 20, 0],
    ['excellent', 100, 98, 1],
    ['healthy', 100, 97, 0],
    ['healthy', 100, 98, 2],
    ['healthy', 100, 93, 3],
    ['mixed', 100, 92, 3],
    ['mixed', 100, 93, 4],
    ['mixed', 100, 80, 10],
    ['problematic', 100, 79, 0],
    ['problematic', 100, 100, 11],
    ['problematic', 20, 0, 20],
    // Exactly on the edge, where a share in floating point is not.
    ['excellent', 700, 686, 7],
    ['healthy', 700, 685, 7],
    ['healthy', 300, 279, 9],
    ['mixed', 300, 278, 9],
    ['mixed', 30, 24, 3],
    ['problematic', 30, 23, 3],
  ])('is %s for %i devices, %i of them with boot_ok and %i crashed', (band, devices, bootOk, crashed) => {
    expect(bandOf({ devices, bootOk, crashed })).toBe(band)
  })

  test.each<[HealthBand, HealthBand[]]>([
    ['unrated', []],
    ['unrated', ['unrated', 'unrated']],
    ['excellent', ['excellent', 'unrated']],
    ['healthy', ['excellent', 'healthy']],
    ['mixed', ['mixed', 'excellent', 'unrated']],
    ['problematic', ['healthy', 'problematic', 'mixed']],
  ])('%s is the worst of %p', (worst, bands) => {
    expect(worstBand(bands)).toBe(worst)
  })
})

test('the events of a session become one mark, the earliest and the latest of each kind', () => {
  const session = { buildUid: 'build', deviceId: 'device', sessionId: 'session' }
  const event = { ...session, network: '7' }
  const { devices, sessions } = mergeLaunches([
    { ...event, mark: 'alive', at: 50 },
    { ...event, mark: 'boot', at: 20 },
    { ...event, mark: 'crash', at: 70 },
    { ...event, mark: 'boot', at: 10 },
    { ...event, mark: 'crash', at: 60 },
    { ...event, mark: 'alive', at: 30 },
    { ...event, mark: null, at: 90 },
    { ...event, sessionId: 'other', network: '8', mark: 'boot', at: 5 },
    { ...event, deviceId: 'silent', network: '8', mark: null, at: 5 },
  ])
  expect(sessions).toEqual([
    { ...session, bootAt: 10, crashAt: 60, firstAt: 30, lastAt: 50 },
    { ...session, sessionId: 'other', bootAt: 5, crashAt: null, firstAt: null, lastAt: null },
  ])
  expect(devices).toEqual([
    { buildUid: 'build', deviceId: 'device', bootAt: 5, network: '7' },
    { buildUid: 'build', deviceId: 'silent', bootAt: null, network: '8' },
  ])
})
