import { formatBytes } from '../../lib/text/byte-sizes.ts'
import { formatTime } from './format.ts'

export interface BarState {
  /** packing, sending, scanning */
  phase: string
  /** What is worked on. */
  name: string
  done: number
  total: number
  /** What was done, in words, where it is more than one kind of bytes. */
  detail?: string
  /** Bytes per second; null while unknown. */
  speed: number | null
}

const BAR_MIN = 8
const BAR_MAX = 30

/** One line of progress, never wider than the terminal. Less important parts give way in narrow ones. */
export function renderBar(state: BarState, columns: number): string {
  const { phase, name, done, total, speed } = state
  if (total === 0) return `${phase}  ${name}`.slice(0, columns - 1)
  const share = Math.min(1, done / total)
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`
  const size = state.detail ?? `${formatBytes(done)} of ${formatBytes(total)}`
  const pace = speed === null ? '' : `${formatBytes(speed)}/s`
  const left = speed === null || speed === 0 ? '' : formatTime((total - done) / speed)
  const layouts = [
    [phase, name, null, percent, size, pace, left && `${left} left`],
    [phase, name, null, percent, pace, left && `${left} left`],
    [phase, null, percent, pace, left],
    [phase, null, percent, left],
    [phase, percent],
  ]
  for (const layout of layouts) {
    const parts = layout.filter((part) => part !== '')
    const text = parts.filter((part) => part !== null)
    const used = text.reduce((sum, part) => sum + Bun.stringWidth(part) + 2, 0)
    const room = columns - 1 - used
    if (!parts.includes(null)) return text.join('  ')
    if (room < BAR_MIN) continue
    const width = Math.min(BAR_MAX, room)
    return parts.map((part) => part ?? drawBar(share, width)).join('  ')
  }
  return phase
}

function drawBar(share: number, width: number): string {
  const filled = Math.floor(share * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}
