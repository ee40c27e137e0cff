import { join } from 'node:path'

import { attachmentDisposition } from '../../clients/objects/content-disposition.ts'
import type { Deps } from '../../deps.ts'
import { CLI_TARGETS, cliFileName, type CliTarget } from '../../domain/builds/platforms.ts'
import { describeShelfFile, SHELF_SCHEMA_PATH } from '../../domain/builds/shelf-file.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { isNotModified } from '../../http/output/caching.ts'
import { sendText, servePrepared } from '../../http/output/pages.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { prepareResponse } from '../../lib/net/prepared-response.ts'
import { writeInstallPs1, writeInstallSh } from './install-scripts.ts'

const internal = () => ({ open: true, detail: { hide: true } }) as const
const SCRIPT_SECONDS = 300
const SUM = '.sha256'

/** The uploader `shelf` for developers: its binaries, its installers and the schema of its configuration. */
export function cliRoutes(kit: HttpKit, { config }: Deps) {
  const { baseUrl } = config
  const binaries = createCliBinaries(config.cliDir)
  const schema = prepareResponse(JSON.stringify(describeShelfFile(baseUrl)), 'application/schema+json')
  const [sh, ps1] = [writeInstallSh(baseUrl), writeInstallPs1(baseUrl)]

  return createRoutes(kit, { name: 'cli' })
    .get(
      SHELF_SCHEMA_PATH,
      servePrepared(() => schema),
      internal(),
    )
    .get(
      '/install.sh',
      ({ request, set }) => sendText(sh, 'text/x-shellscript', request, set, SCRIPT_SECONDS),
      internal(),
    )
    .get(
      '/install.ps1',
      ({ request, set }) => sendText(ps1, 'text/plain', request, set, SCRIPT_SECONDS),
      internal(),
    )
    .get(
      '/cli/:target',
      async ({ params, request, set }) => {
        const wanted = params.target.replace(/\.sha256$/, '')
        const target = CLI_TARGETS.find((known) => known === wanted)
        const found = target && (await binaries.find(target))
        if (!target || !found) return missing(target)
        const name = cliFileName(target)
        // A new version replaces the file, so caches must revalidate every download.
        set.headers['cache-control'] = 'public, no-cache'
        if (params.target.endsWith(SUM)) return text(`${found.sha256}  ${name}\n`)
        set.headers['content-disposition'] = attachmentDisposition(name.replace(`-${target}`, ''))
        const etag = `"${found.sha256}"`
        set.headers.etag = etag
        if (isNotModified(request, etag)) return new Response(null, { status: 304 })
        return new Response(found.file, { headers: { 'content-type': 'application/octet-stream' } })
      },
      { limit: 'cli_download', ...internal() },
    )
}

/** Plain text: it is read in terminals more often than in browsers. */
function missing(target: CliTarget | undefined): Response {
  if (!target) return text(`There is no shelf for this system. There are: ${CLI_TARGETS.join(', ')}.\n`, 404)
  return text(
    `This store does not offer shelf for ${target}.

Developers: ask the operator of the store, or run it from a checkout of its program: bun src/cli/main.ts
Operators: "bun run build --all" makes ${cliFileName(target)}; put it into CLI_DIR (DATA_DIR/cli unless set).
`,
    404,
  )
}

function text(body: string, status = 200): Response {
  return new Response(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}

interface CliBinary {
  file: Bun.BunFile
  /** In lowercase hex. */
  sha256: string
}

/** Bounds the cache: checksums of replaced files are never asked for again. */
const MAX_CACHED = 20

/** Reads the uploader's binaries from a folder whose files may be replaced while the program runs. */
function createCliBinaries(folder: string) {
  const checksums = new BoundedCache<{ sha256: string }>({ maxEntries: MAX_CACHED })

  return {
    /** null where there is no binary for this system. */
    async find(target: CliTarget): Promise<CliBinary | null> {
      const file = Bun.file(join(folder, cliFileName(target)))
      if (!(await file.exists())) return null
      const version = `${target} ${file.size} ${file.lastModified}`
      const { sha256 } = await checksums.load(version, async () => ({ sha256: await hashFile(file) }))
      return { file, sha256 }
    },
  }
}

async function hashFile(file: Bun.BunFile): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const bytes of file.stream()) hasher.update(bytes)
  return hasher.digest('hex')
}
