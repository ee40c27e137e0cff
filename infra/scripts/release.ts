import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { CLI_TARGETS, cliFileName } from '../../src/domain/builds/platforms.ts'
import { writeChecksums } from './checksums.ts'
import { setVersion } from './set-version.ts'

/**
 * `bun run release 1.2.0`: names the version everywhere, then builds the binaries, the image if Docker runs, and the
 * checksums in `dist`. Commit and tag the result: nothing is published.
 */
const ROOT = join(import.meta.dir, '../..')
const DIST = join(ROOT, 'dist')
const [version] = parseArgs({ allowPositionals: true }).positionals
if (version === undefined) {
  console.error('Name the version to release: bun run release 1.2.0')
  process.exit(2)
}

await setVersion(ROOT, version, new Date().toISOString().slice(0, 10))
await run([process.execPath, 'infra/scripts/build.ts', '--all', join(DIST, 'playshelf')])
const binaries = ['playshelf', ...CLI_TARGETS.map(cliFileName)].map((name) => join(DIST, name))
console.log(await writeChecksums(DIST, 'checksums.txt', binaries))
if (await isDockerRunning()) await buildImage(version)
else console.log('No image was built: Docker does not run here.')
console.log(`Commit this as the release, then: git tag v${version}`)

async function buildImage(tag: string): Promise<void> {
  const revision = (await Bun.$`git rev-parse HEAD`.cwd(ROOT).text()).trim()
  const labels = ['--build-arg', `VERSION=${tag}`, '--build-arg', `REVISION=${revision}`]
  await run(['docker', 'build', '-f', 'infra/Dockerfile', '-t', `playshelf:${tag}`, ...labels, '.'])
}

async function isDockerRunning(): Promise<boolean> {
  if (Bun.which('docker') === null) return false
  return (await Bun.$`docker info`.quiet().nothrow()).exitCode === 0
}

async function run(command: string[]): Promise<void> {
  const code = await Bun.spawn(command, { cwd: ROOT, stdout: 'inherit', stderr: 'inherit' }).exited
  if (code !== 0) throw new Error(`${command.join(' ')} failed`)
}
