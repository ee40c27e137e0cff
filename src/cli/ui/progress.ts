import { toPrintableLine } from '../../lib/text/characters.ts'
import { formatBytes } from '../../lib/text/show.ts'

/** 0:05, 12:30 or 1:02:03. */
export function formatTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const pad = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`
}

/** Columns as wide as their longest cell. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(toPrintableLine))]
  const widths = head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ''))))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

interface BarState {
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

const REDRAW_MS = 100
const LINE_MS = 10_000
/** Speed is measured over this time. */
const WINDOW_MS = 5000

interface ProgressSink {
  /** The width of the terminal; null where there is none. */
  columns(): number | null
  /** Replaces the current line of the terminal. */
  draw(line: string): void
  /** Writes a line of its own. */
  line(text: string): void
}

interface PhaseOptions {
  phase: string
  name: string
  total: number
  describe?: (() => string) | undefined
}

export interface Phase extends Disposable {
  advance(count: number): void
  /** Sets the position, such as after a resumed upload. */
  moveTo(position: number): void
  /** Changes the total when there is more or less to do than was known. */
  resize(total: number): void
}

/** A bar in a terminal, a line every ten seconds elsewhere. `describe` says in words what was done. */
export function startPhase(
  sink: ProgressSink,
  { phase, name, total: expected, describe }: PhaseOptions,
): Phase {
  let total = expected
  let done = 0
  let marks: { at: number; done: number }[] = [{ at: performance.now(), done }]
  const isTerminal = sink.columns() !== null

  function speed(): number | null {
    const now = performance.now()
    marks = [
      ...marks.filter(({ at }, index) => now - at < WINDOW_MS || index === marks.length - 1),
      { at: now, done },
    ]
    const first = marks[0]
    return first && now - first.at > 500 ? ((done - first.done) / (now - first.at)) * 1000 : null
  }

  function show(): void {
    const detail = describe?.()
    const state = { phase, name, done, total, speed: speed(), ...(detail !== undefined && { detail }) }
    const columns = sink.columns()
    if (columns !== null) return sink.draw(renderBar(state, columns))
    if (total === 0) return sink.line(`${phase} ${name}`)
    const share = Math.floor(Math.min(1, done / total) * 100)
    const pace = state.speed
      ? `, ${formatBytes(state.speed)}/s, ${formatTime((total - done) / state.speed)} left`
      : ''
    sink.line(`${phase} ${name}: ${share} % of ${formatBytes(total)}${detail ? `, ${detail}` : ''}${pace}`)
  }

  if (isTerminal) show()
  else sink.line(total > 0 ? `${phase} ${name}, ${formatBytes(total)}` : `${phase} ${name}`)
  const timer = setInterval(show, isTerminal ? REDRAW_MS : LINE_MS)
  return {
    advance: (count) => void (done += count),
    moveTo(position) {
      // A jump must not count as speed.
      const jump = position - done
      for (const mark of marks) mark.done += jump
      done = position
    },
    resize: (size) => void (total = size),
    [Symbol.dispose]() {
      clearInterval(timer)
      if (isTerminal) sink.draw('')
    },
  }
}
