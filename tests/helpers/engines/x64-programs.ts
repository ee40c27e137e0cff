import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const IS_ARM = process.platform === 'linux' && process.arch === 'arm64'
/** Libraries of the other processor. */
const LIBRARIES = '/usr/x86_64-linux-gnu'
const QEMU = ['qemu-x86_64', '-L', LIBRARIES]

/** Needs a fifteenth of qemu's time. It is newer than Debian 12, so it comes with the C library that it needs. */
const BOX64_PACKAGES = ['box64', 'libc6']
const BOX64_SUITE = 'testing'
const BOX64 = join(import.meta.dir, '../../../node_modules/.cache/box64')
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
function box64In(root: string): string[] {
  const libc = join(root, 'usr/lib/aarch64-linux-gnu')
  return [
    'env',
    `BOX64_LD_LIBRARY_PATH=${LIBRARIES}/lib`,
    // Other threads see writes in the order in which an x86-64 processor makes them.
    'BOX64_DYNAREC_STRONGMEM=3',
    'BOX64_LOG=0',
    join(libc, 'ld-linux-aarch64.so.1'),
    '--library-path',
    libc,
    join(root, 'usr/bin/box64'),
  ]
}

/** Only for ARM; without box64, qemu is thirty times slower than the processor itself. */
export const X64_PACKAGES = IS_ARM
  ? (['qemu-user', 'libc6-amd64-cross', 'libgcc-s1-amd64-cross'] as const)
  : ([] as const)

export function canRunX64(): boolean {
  return (
    process.platform === 'linux' && (process.arch === 'x64' || (IS_ARM && Bun.which('qemu-x86_64') !== null))
  )
}

export function isX64Slow(): boolean {
  return IS_ARM && !existsSync(BOX64)
}

/** What to write before the name of an x86-64 program. */
export function commandForX64(): readonly string[] {
  if (!IS_ARM) return []
  return isX64Slow() ? QEMU : box64In(BOX64)
}

/** Fetches box64 where it helps. Without it, programs are only slower. */
export async function installX64(): Promise<void> {
  if (!IS_ARM || !isX64Slow() || !Bun.which('apt-get')) return
  await mkdir(dirname(BOX64), { recursive: true })
  const dir = await mkdtemp(join(dirname(BOX64), 'fetch-'))
  try {
    await fetchBox64(dir)
  } catch (error) {
    console.log(`box64 could not be fetched: ${String(error)}`)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Asks the machine's own mirror for another release, and leaves its list of packages as it is. */
async function fetchBox64(dir: string): Promise<void> {
  const mirrors = await run(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Component: main'], dir)
  const [mirror] = mirrors.split('\n')
  if (!mirror) throw new Error('apt has no mirror')
  await Bun.write(join(dir, 'sources'), `deb [signed-by=${KEYRING}] ${mirror} ${BOX64_SUITE} main\n`)
  for (const folder of ['lists', 'cache/archives'])
    await mkdir(join(dir, folder, 'partial'), { recursive: true })
  const options = {
    'Dir::Etc::SourceList': join(dir, 'sources'),
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': join(dir, 'lists'),
    'Dir::Cache': join(dir, 'cache'),
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': '',
  }
  const apt = [
    'apt-get',
    '-qq',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
  ]
  await run([...apt, 'update'], dir)
  await run([...apt, 'download', ...BOX64_PACKAGES], dir)
  const unpacked = join(dir, 'unpacked')
  for (const name of await readdir(dir)) {
    if (name.endsWith('.deb')) await run(['dpkg-deb', '-x', name, unpacked], dir)
  }
  await run([...box64In(unpacked), '--version'], dir)
  // A concurrent run may have been faster.
  if (!existsSync(BOX64)) await rename(unpacked, BOX64)
}

export async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${err.trim() || out.trim()}`)
  return out
}
