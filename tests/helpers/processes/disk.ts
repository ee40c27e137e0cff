import { createTempDir } from './child.ts'

/** A small disk of its own. */
export interface Disk {
  path: string
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
      if (!(await run('mount', '-o', `remount,${mode}`, path)))
        throw new Error(`The disk does not become ${mode}`)
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
