const REPORT_EVERY_MS = 3000

export interface Progress {
  done: number
  total: number
}

/** Prints how far the work is, regularly. The speed is that since the start of this process. */
export function createProgress(doing: string): (progress: Progress) => void {
  let start: { at: number; done: number } | null = null
  let reportedAt = 0
  return ({ done, total }) => {
    const now = performance.now()
    start ??= { at: now, done }
    if (reportedAt > 0 && now - reportedAt < REPORT_EVERY_MS && done < total) return
    reportedAt = now
    console.log(`${doing}: ${describeProgress({ done, total }, done - start.done, now - start.at)}`)
  }
}

/** `recent` of the listings were done within `elapsedMs`. */
export function describeProgress({ done, total }: Progress, recent: number, elapsedMs: number): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
  const far = `${format(done)} of ${format(total)} listings (${percent} %)`
  if (recent <= 0 || elapsedMs <= 0) return far
  const perSecond = (1000 * recent) / elapsedMs
  const speed = `${far}, ${format(Math.round(perSecond))} per second`
  return done >= total ? speed : `${speed}, about ${formatDuration((total - done) / perSecond)} left`
}

function format(count: number): string {
  return count.toLocaleString('en')
}
import { formatDuration } from '../lib/text/plural.ts'
