import { expect, test } from 'bun:test'

import type { Jam } from '../../../src/features/jams/jams/model.ts'
import { writeCalendar } from '../../../src/site/jams/calendar.ts'

const JAM = {
  uid: '01980f5e-7a31-7c24-9d0b-52c1f6a3e8b4',
  url: 'https://store.example/jams/lantern',
  title: 'Light, dark; and \\ all\nthat',
  tagline: '',
  starts_at: '2026-03-01T12:00:00.000Z',
  ends_at: '2026-03-03T12:30:00.000Z',
  voting_ends_at: '2026-03-10T12:00:00.000Z',
  updated_at: '2026-02-01T08:00:00.123Z',
} as Jam

const unfold = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

test('a calendar has the jam and its voting, with texts escaped', () => {
  const lines = unfold(writeCalendar(JAM, 3, 'Lantern, Inc.'))
  expect(lines.slice(0, 3)).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Playshelf//Lantern\\, Inc.//EN',
  ])
  expect(lines.filter((line) => line.startsWith('SUMMARY:'))).toEqual([
    'SUMMARY:Light\\, dark\\; and \\\\ all\\nthat',
    'SUMMARY:Light\\, dark\\; and \\\\ all\\nthat: voting',
  ])
  expect(lines.filter((line) => /^(DT|UID|SEQ|URL)/.test(line))).toEqual([
    `UID:jam-${JAM.uid}@store.example`,
    'DTSTAMP:20260201T080000Z',
    'SEQUENCE:3',
    'DTSTART:20260301T120000Z',
    'DTEND:20260303T123000Z',
    `URL:${JAM.url}`,
    `UID:voting-${JAM.uid}@store.example`,
    'DTSTAMP:20260201T080000Z',
    'SEQUENCE:3',
    'DTSTART:20260303T123000Z',
    'DTEND:20260310T120000Z',
    `URL:${JAM.url}`,
  ])
  expect(lines.slice(-2)).toEqual(['END:VCALENDAR', ''])
})

test('no line is longer than 75 bytes, and no character is split', () => {
  const text = writeCalendar({ ...JAM, voting_ends_at: null, tagline: '🏮ö'.repeat(70) }, 1, 'Store')
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  expect(unfold(text)).toContain(`DESCRIPTION:${'🏮ö'.repeat(70)}`)
  expect(text).not.toContain('\uFFFD')
})
