const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const
/** KB is 1,024 bytes. */
const STEP = 1024
const SIZE = /^(\d{1,16}(?:\.\d+)?)\s*(?:([kmgt])i?)?b?$/i

/** Reads "50 GB", "16MB", "500k" or a number of bytes; null if it is none, or too large to be exact. */
export function parseBytes(text: string): number | null {
  const [, number, unit = ''] = SIZE.exec(text.trim()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * STEP ** '_kmgt'.indexOf(unit.toLowerCase() || '_'))
  return Number.isSafeInteger(bytes) ? bytes : null
}

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < STEP ? 0 : Math.floor(Math.log2(bytes) / 10))
  const value = bytes / STEP ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
