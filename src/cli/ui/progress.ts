import { formatBytes } from '../../lib/text/byte-sizes.ts'
import { renderBar } from './bar.ts'
import { formatTime } from './format.ts'

const REDRAW_MS = 100
const LINE_MS = 10_000
/** Speed is measured over this time. */
const WINDOW_MS = 5000

export interface ProgressSink {
  /** The width of the terminal; null where there is none. */
  columns(): number | null
  /** Replaces the current line of the terminal. */
  draw(line: string): void
  /** Writes a line of its own. */
  line(text: string): void
}

export interface PhaseOptions {
  phase: string
  name: string
  total: number
  describe?: (() => string) | undefined
}

export interface Phase extends Disposable {
  advance(count: number): void
  /** Sets the position, such as after a resumed upload. */
  moveTo(position: number): void
  /** There is more to do than was known, or less. */
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
      // A jump is no speed.
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
