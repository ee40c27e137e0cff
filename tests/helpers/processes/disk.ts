import { waitFor } from '../wait.ts'
import { createTempDir } from './child.ts'

/** A small disk of its own. */
export interface Disk {
  path: string
  /** A disk with a file that is still open for writing is busy: waits until it is closed. */
  remount(mode: 'ro' | 'rw'): Promise<void>
  unmount(): Promise<void>
}

/** Null where it is not permitted: only root may mount. */
export async function mountDisk(bytes: number): Promise<Disk | null> {
  const { path, remove } = await createTempDir('disk')
  if (!(await run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path))) {
    await remove()
    return null
  }
  return {
    path,
    async remount(mode) {
      await waitFor(`the disk becomes ${mode}`, () => run('mount', '-o', `remount,${mode}`, path))
    },
    async unmount() {
      await run('umount', '-l', path)
      await remove()
    },
  }
}

async function run(...command: string[]): Promise<boolean> {
  return Bun.which(command[0] ?? '') !== null && (await Bun.spawn(command, { stderr: 'ignore' }).exited) === 0
}
