/**
 * Scans one object of a folder store in its own process. Takes folder and key in argv, prints the figures.
 */
import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import { openScanner } from '../../src/clients/scanner/open-scanner.ts'
import { inspectFile } from '../../src/features/builds/scans/inspect.ts'
import { createLogger } from '../../src/lib/log.ts'

export interface ScanFigures {
  seconds: number
  cpuSeconds: number
  packedMb: number
  unpackedMb: number
  peakRssMb: number
}

if (import.meta.main) {
  const [path = '', objectKey = ''] = process.argv.slice(2)
  const log = createLogger({ level: 'error', pretty: false })
  const objects = await openObjectStore(
    { kind: 'folder', path },
    { baseUrl: 'http://localhost', linkKeys: { signing: 'unused' } },
  )
  const scanner = openScanner({ kind: 'builtin' }, path, log)
  const size = (await objects.head(objectKey))?.size ?? 0
  const started = performance.now()
  const before = process.cpuUsage()
  const file = { objectKey, size, checksum: '' }
  const outcome = await inspectFile(
    { objects, scanner },
    file,
    new AbortController().signal,
    new DisposableStack(),
  )
  if (outcome.state !== 'clean') throw new Error(outcome.detail)
  const cpu = process.cpuUsage(before)
  const peakKb = /VmHWM:\s+(\d+)/.exec(await Bun.file('/proc/self/status').text())?.[1]
  const figures: ScanFigures = {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1_000_000,
    packedMb: size / 1_000_000,
    unpackedMb: outcome.entries.reduce((sum, entry) => sum + entry.size, 0) / 1_000_000,
    peakRssMb: Number(peakKb) / 1024,
  }
  console.log(JSON.stringify(figures))
}
