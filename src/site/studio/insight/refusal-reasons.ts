import type { DownloadTotals } from '../../../features/catalog/downloads/totals.ts'

/** Why a download was refused, by error code. */
const REASONS: Readonly<Record<number, string>> = {
  4001: 'Had to sign in',
  4023: 'Had to buy it',
  4030: 'Had no licence',
  4040: 'File not there or not public',
  4099: 'Still being scanned',
  5030: 'Link could not be signed',
}

export function reasonText(outcome: number): string {
  return REASONS[outcome] ?? `Error ${outcome}`
}

/** A line per day, with a column for every reason. */
export function downloadLines({ days, refusals }: DownloadTotals): (string | number)[][] {
  const outcomes = [
    ...new Set([...Object.keys(REASONS).map(Number), ...refusals.map(({ outcome }) => outcome)]),
  ]
  return [
    [
      'day',
      'downloads',
      'refused',
      ...outcomes.map((outcome) => reasonText(outcome).toLowerCase().replaceAll(' ', '_')),
    ],
    ...days.map(({ day, served, refused, refusals: own }) => [
      day,
      served,
      refused,
      ...outcomes.map((outcome) => own.get(outcome) ?? 0),
    ]),
  ]
}
