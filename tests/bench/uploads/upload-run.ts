import { join } from 'node:path'

import { type Ceph, startCeph } from '../../helpers/engines/ceph.ts'
import {
  bareEnvironment,
  type Environment,
  ROOT,
  type ServerProcess,
  SERVERS,
  startServerProcess,
} from '../environment.ts'
import type { UploadTask } from './upload-child.ts'

const CHILD = join(import.meta.dir, 'upload-child.ts')

/** Returns the seconds it took. */
export async function runUpload(task: UploadTask, env: Record<string, string> = {}): Promise<number> {
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify(task)], {
    env: { ...bareEnvironment(), ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [out, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`The uploading process ended with ${code}`)
  const { seconds } = JSON.parse(out) as { seconds: number }
  return seconds
}

type Disposable<Thing> = Thing & AsyncDisposable

export async function startPlayshelf(
  environment: Environment,
  env: Record<string, string> = {},
): Promise<Disposable<ServerProcess>> {
  const command = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']
  return asDisposable(
    await startServerProcess({
      command,
      path: '/health',
      env: await environment.settings({ ROLE: 'upload', ...env }),
    }),
  )
}

export async function startEntry(
  file: string,
  env: Record<string, string>,
): Promise<Disposable<ServerProcess>> {
  const command = [process.execPath, join(SERVERS, file)]
  return asDisposable(await startServerProcess({ command, path: '/', env }))
}

export interface S3 extends Ceph {
  /** The settings of a server that uses it. */
  env: Record<string, string>
}

export async function startS3(environment: Environment): Promise<Disposable<S3>> {
  const { DATA_DIR: dir = '' } = await environment.settings()
  const ceph = await startCeph({ dir: join(dir, 'ceph') })
  const env = {
    STORAGE_URL: ceph.url,
    AWS_ACCESS_KEY_ID: ceph.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ceph.secretAccessKey,
  }
  return asDisposable({ ...ceph, env })
}

function asDisposable<Thing extends { stop(): Promise<void> }>(thing: Thing): Disposable<Thing> {
  return { ...thing, [Symbol.asyncDispose]: () => thing.stop() }
}
