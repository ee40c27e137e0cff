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

/**
 * The peak until the process ends, in MiB. The kernel's own figure (`resourceUsage().maxRSS`) cannot serve: it starts
 * with the peak of the process that spawned this one.
 */
export async function watchPeakMemory(pid: number, ended: Promise<unknown>): Promise<number> {
  let peak = 0
  let isRunning = true
  void ended.finally(() => (isRunning = false))
  while (isRunning) {
    // A process that ended has no status, or one without memory.
    peak = Math.max(peak, await readMemory(pid, 'VmHWM').catch(() => 0))
    await Bun.sleep(10)
  }
  return peak
}
