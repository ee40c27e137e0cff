import { readFile } from 'node:fs/promises'

/** A process that has ended and was not waited for does not run. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !stat.includes(') Z')
}
