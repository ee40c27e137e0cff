import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { EICAR } from '../files/zips.ts'
import { findKeptPort } from '../processes/child.ts'
import { waitForPort } from './ports.ts'
import type { RunningEngine } from './redis.ts'

export const CLAMD_PACKAGES = ['clamav-daemon'] as const

export function isClamdInstalled(): boolean {
  return findClamd() !== null
}

export interface ClamdOptions {
  /** Set to restart on the same port. */
  port?: number
  /** Lines of clamd.conf, inserted above the default ones. */
  settings?: Record<string, string>
}

export interface RunningClamd extends RunningEngine {
  port: number
  socketPath: string
}

/** Starts a clamd with a single signature, because tests cannot download the signature database. */
export async function startClamd(dir: string, options: ClamdOptions = {}): Promise<RunningClamd> {
  const port = options.port ?? findKeptPort()
  const socketPath = join(dir, 'clamd.sock')
  await mkdir(join(dir, 'signatures'), { recursive: true })
  await Bun.write(join(dir, 'signatures/test.ndb'), `Test.Eicar:0:*:${EICAR.toString('hex')}\n`)
  const settings = {
    TCPSocket: port,
    TCPAddr: '127.0.0.1',
    LocalSocket: socketPath,
    DatabaseDirectory: join(dir, 'signatures'),
    TemporaryDirectory: dir,
    Foreground: 'yes',
    StreamMaxLength: '4000M',
    MaxFileSize: '4000M',
    MaxScanSize: '4000M',
    ...options.settings,
  }
  const conf = join(dir, 'clamd.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  await Bun.write(conf, lines.join(''))
  const child = Bun.spawn([findClamd() ?? 'clamd', '-c', conf], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  try {
    await waitForPort(port)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `clamd://127.0.0.1:${port}`, port, socketPath, stop }
}

/** Debian installs it outside the PATH of ordinary users. */
function findClamd(): string | null {
  return Bun.which('clamd', { PATH: `${process.env.PATH ?? ''}:/usr/sbin` })
}
