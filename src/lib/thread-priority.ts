import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/** Of the scheduler's 40 steps, how far jobs stand behind requests of the same process. */
const JOBS_NICENESS = 19
/** The same for threads that requests wait for, too. */
const HELPERS_NICENESS = 15
/** Threads of the runtime: one kind hashes passwords, compresses and reads files, the other compiles. */
const HELPERS = /^(?:Bun Pool|JITWorker)/
/** The runtime starts more of them when they have much to do. */
const LOOK_EVERY_MS = 10_000

/** Call it in the thread that runs jobs: somebody waits for each request; a scan or a webhook may take a little longer. */
export function letRequestsGoFirst(): void {
  onLinux(() => setPriority(Number(basename(readlinkSync('/proc/thread-self'))), JOBS_NICENESS))
}

/** Keeps the threads that help the one which answers requests behind it, for as long as the result is not disposed. */
export function putHelpersBehind(): Disposable {
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
    // Some sandboxes forbid it, and a thread may just have ended; everything works all the same.
  }
}
