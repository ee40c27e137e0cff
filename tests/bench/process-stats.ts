/** Linux reports CPU time in hundredths of a second, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100
const MIB_IN_KB = 1024

/** utime + stime of a `/proc/<pid>/stat` line: the whole process with all its threads. */
export function parseCpuSeconds(stat: string): number {
  // The second field, the name, may contain spaces and brackets, so fields are counted after its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  if (!Number.isFinite(ticks)) throw new Error('This is not a line of /proc/<pid>/stat')
  return ticks / TICKS_PER_SECOND
}

/** A memory field of `/proc/<pid>/status`, in MiB. */
export function parseMemory(status: string, field: 'VmRSS' | 'VmHWM'): number {
  const kb = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  if (kb === undefined) throw new Error(`/proc/<pid>/status has no ${field}`)
  return Number(kb) / MIB_IN_KB
}

export async function readCpuSeconds(pid: number): Promise<number> {
  return parseCpuSeconds(await Bun.file(`/proc/${pid}/stat`).text())
}

export async function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  return parseMemory(await Bun.file(`/proc/${pid}/status`).text(), field)
}
