/** The memory of the process, in MB. */
export async function readMemoryMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kilobytes === undefined) throw new Error(`Process ${pid} does not tell its memory`)
  return Number(kilobytes) / 1024
}
