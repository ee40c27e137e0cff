import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * The niceness of the thread that runs jobs, so that requests go first: 19 is the lowest of 40 priorities.
 */
const JOBS_NICENESS = 19
/** The niceness of the runtime's helper threads, which requests wait for too. */
const HELPERS_NICENESS = 15
/** Threads of the runtime: one kind hashes passwords, compresses and reads files, the other compiles. */
const HELPERS = /^(?:Bun Pool|JITWorker)/
/** How often to look for new helper threads: the runtime starts more under load. */
const LOOK_EVERY_MS = 10_000

/**
 * Call it in the thread that runs jobs: people wait for requests, while a scan or a webhook can take a little
 * longer.
 */
export function lowerJobsPriority(): void {
  onLinux(() => setPriority(Number(basename(readlinkSync('/proc/thread-self'))), JOBS_NICENESS))
}

/**
 * Gives the runtime's helper threads, also later ones, a lower priority than the thread that answers
 * requests. Disposing the result stops looking for new ones.
 */
export function lowerHelpersPriority(): Disposable {
  const look = () =>
    onLinux(() => {
      for (const id of readdirSync('/proc/self/task'))
        if (HELPERS.test(readFileSync(`/proc/self/task/${id}/comm`, 'utf8')))
          setPriority(Number(id), HELPERS_NICENESS)
    })
  look()
  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Only Linux has priorities of threads. */
function onLinux(change: () => void): void {
  if (process.platform !== 'linux') return
  try {
    change()
  } catch {
    // Some sandboxes forbid it, and a thread may just have ended. The program works without it.
  }
}
