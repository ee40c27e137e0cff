import { Elysia } from 'elysia'

import { attachmentDisposition } from '../../clients/object-store/content-disposition.ts'
import type { Deps } from '../../deps.ts'
import { CLI_TARGETS, cliFileName, type CliTarget } from '../../domain/builds/cli-targets.ts'
import { describeShelfFile, SHELF_SCHEMA_PATH } from '../../domain/builds/shelf-file.ts'
import type { HttpKit } from '../../http/kit.ts'
import { isNotModified } from '../../http/output/etags.ts'
import { sendText, servePrepared } from '../../http/output/pages.ts'
import { prepareResponse } from '../../lib/net/prepared.ts'
import { createCliBinaries } from './binaries.ts'
import { writeInstallPs1, writeInstallSh } from './install-scripts.ts'

const internal = () => ({ open: true, detail: { hide: true } }) as const
const SCRIPT_SECONDS = 300
const SUM = '.sha256'

/** The uploader `shelf` for the developers of this store: its binaries, installers and the schema of its file. */
export function cliRoutes(kit: HttpKit, { config }: Deps) {
  const { baseUrl } = config
  const binaries = createCliBinaries(config.cliDir)
  const schema = prepareResponse(JSON.stringify(describeShelfFile(baseUrl)), 'application/schema+json')
  const [sh, ps1] = [writeInstallSh(baseUrl), writeInstallPs1(baseUrl)]

  return new Elysia({ name: 'cli' })
    .use(kit)
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
        // A new version replaces the file, so every download asks whether it is still the same.
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
