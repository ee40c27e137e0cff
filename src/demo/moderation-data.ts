import { DEV } from '../domain/builds/channels.ts'
import type { ReportReason } from '../domain/reports.ts'
import type { PlayerName } from './people.ts'

export interface DemoReport {
  about: string
  by: PlayerName
  reason: ReportReason
  text: string
  daysAgo: number
}

/** What players reported about the listings. */
export const REPORTS: readonly DemoReport[] = [
  {
    about: 'duck-parade',
    by: 'marguerite',
    reason: 'stolen',
    text: 'The brass band is my recording from a street festival, cut into a loop. I still have the tape, and can send it.',
    daysAgo: 4,
  },
  {
    about: 'the-tenant-below',
    by: 'tomasz-w',
    reason: 'mislabelled',
    text: 'The cellar scene is far bloodier than the warnings say. My son picked it because of the quiet title.',
    daysAgo: 2,
  },
  {
    about: 'duck-parade',
    by: 'nadia-k',
    reason: 'other',
    text: 'The link to the website ends at a page that sells umbrellas.',
    daysAgo: 1,
  },
]

/** A build whose scan found something, so that it was never offered. */
export const REFUSED_BUILD = {
  about: 'lighthouse-keepers-union',
  version: '9.0.0-dev.3',
  channel: DEV,
  filename: 'lighthouse-keepers-union-windows.zip',
  size: 48_120_331,
  detail: 'Eicar-Test-Signature in tools/updater.exe',
  daysAgo: 3,
} as const
