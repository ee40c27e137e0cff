import { readFile } from 'node:fs/promises'

/** Zombies, which have ended but were not waited for, do not count as running. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !stat.includes(') Z')
}
