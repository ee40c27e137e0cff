import { NO_ANTIVIRUS } from '../../../domain/builds/files.ts'
import type { Provenance } from '../../../features/builds/scans/model.ts'
import type { GameRow } from '../../../features/games/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { Pager, Table } from '../../components/lists.tsx'
import { Submit } from '../../kit/form.tsx'
import { bytesText, countText, isMain, Moment, ScanBadge, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import { BackLink } from '../back-link.tsx'

interface FilePageProps {
  visit: Visit
  game: GameRow
  file: Provenance
  /** The search text for the inner files. */
  q: string
  baseUrl: string
}

/** The provenance of a file, its scan, its contents, and a form to compare one's own copy. */
export function FilePage({ visit, game, file, q, baseUrl }: FilePageProps) {
  const title = `${file.filename} of ${game.name}`
  return (
    <Layout visit={visit} title={title} scripts={['compare', 'verify']}>
      <div class="stack file-page">
        <BackLink game={game} />
        <h1>
          <bdi>{file.filename}</bdi>
        </h1>
        <div class="split">
          <Origin file={file} />
          <ScanHistory scan={file.scan} />
        </div>
        <CompareForm file={file} />
        {file.scan.state === 'clean' ? <VerifyForm {...{ file, baseUrl }} gameUid={game.uid} /> : null}
        <Entries visit={visit} file={file} q={q} />
      </div>
    </Layout>
  )
}

function Origin({ file }: { file: Provenance }) {
  const { build, source } = file
  return (
    <section class="panel" aria-labelledby="origin">
      <h2 id="origin">Origin</h2>
      <dl class="pairs">
        <dt>Build</dt>
        <dd>
          {build.version} for {SYSTEM_LABELS[build.os]} {build.arch}
        </dd>
        {isMain(build) ? null : (
          <>
            <dt>App</dt>
            <dd dir="auto">{build.app_name}</dd>
          </>
        )}
        <dt>Channel</dt>
        <dd>{build.channel}</dd>
        <dt>Uploaded</dt>
        <dd>
          <Moment at={file.uploaded_at} />
        </dd>
        <dt>Sent by</dt>
        <dd>
          <Sender source={source} />
        </dd>
        <dt>Size</dt>
        <dd>{bytesText(file.size)}</dd>
        <dt>SHA-256</dt>
        <dd>
          <code>{file.checksum}</code>
        </dd>
      </dl>
    </section>
  )
}

function Sender({ source }: Pick<Provenance, 'source'>) {
  if (source.kind === 'website') return <>the developer, signed in on this website</>
  if (source.kind === 'deploy_key')
    return <>a build pipeline with the deploy key ending in {source.key_last4 ?? '????'}</>
  const { repository, commit, commit_url, builder, run_url } = source
  return (
    <>
      Built by{' '}
      <a href={commit_url} rel="noopener nofollow">
        {repository} at {commit?.slice(0, 7)}
      </a>{' '}
      in{' '}
      <a href={run_url ?? undefined} rel="noopener nofollow">
        {builder}
      </a>
    </>
  )
}

function ScanHistory({ scan }: Pick<Provenance, 'scan'>) {
  return (
    <section class="panel stack" aria-labelledby="scan">
      <h2 id="scan">Scan</h2>
      <p>
        <ScanBadge scan={scan.state} engine={scan.engine} />
      </p>
      {scan.history.length === 0 ? (
        <p class="quiet small">No scan has finished yet.</p>
      ) : (
        <ol class="plain-list small" aria-label="Scan history">
          {scan.history.map(({ at, state, engine, detail }) => (
            <li key={at + state}>
              <Moment at={at} /> <ScanBadge scan={state} engine={engine} />
              {engine === null || engine === NO_ANTIVIRUS ? null : <span class="quiet"> {engine}</span>}
              {detail === null ? null : <p>{detail}</p>}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Entries({ visit, file, q }: Omit<FilePageProps, 'game' | 'baseUrl'>) {
  return (
    <section aria-labelledby="inside" class="stack">
      <h2 id="inside">Inside</h2>
      <form class="row" method="get" action={visit.url.pathname}>
        <label class="small" for="entry-q">
          Find by path or SHA-256
        </label>
        <input class="input entry-q" id="entry-q" type="search" name="q" value={q} maxLength={300} />
        <Submit look="second">Find</Submit>
      </form>
      <p role="status" class="quiet small">
        {q === '' ? countText(file.entries_total, 'file') : `${countText(file.entries_total, 'file')} found`}
      </p>
      {file.entries.length === 0 ? null : (
        <Table label="Files inside the zip" columns={['Path', { number: 'Size' }, 'SHA-256']}>
          {file.entries.map(({ path, size, sha256 }) => (
            <tr key={path}>
              <th scope="row">
                <bdi data-path>{path}</bdi>
              </th>
              <td class="number">{bytesText(size)}</td>
              <td>
                <code>{sha256}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager page={file.page} page_size={file.page_size} total={file.entries_total} url={visit.url} />
    </section>
  )
}

/** Compares a file on the visitor's computer; without script it explains how to do that by hand. */
function CompareForm({ file }: { file: Provenance }) {
  return (
    <section class="panel stack" aria-labelledby="compare">
      <h2 id="compare">Is your copy the same?</h2>
      <div data-compare={file.checksum} class="stack with-script">
        <div class="drop" data-drop>
          <label for="compare-file">Choose a file, or drop it here</label>
          <input id="compare-file" type="file" />
          <p class="quiet small">
            The zip itself, or one file from inside it. It is hashed in your browser and never sent anywhere.
          </p>
        </div>
        <progress max={1} value={0} aria-label="Hashing" hidden />
        <p role="status" data-result />
      </div>
      <details class="small">
        <summary>By hand</summary>
        <p>
          Print the SHA-256 of your copy and compare it with the one above, or find it among the inner files:
        </p>
        <dl class="pairs">
          <dt>Windows</dt>
          <dd>
            <code>certutil -hashfile file.zip SHA256</code>
          </dd>
          <dt>macOS</dt>
          <dd>
            <code>shasum -a 256 file.zip</code>
          </dd>
          <dt>Linux</dt>
          <dd>
            <code>sha256sum file.zip</code>
          </dd>
        </dl>
      </details>
    </section>
  )
}

interface VerifyProps {
  file: Provenance
  gameUid: string
  baseUrl: string
}

/** Checks what the store signed about the file, in the browser or with the uploader. */
function VerifyForm({ file, gameUid, baseUrl }: VerifyProps) {
  const path = `/api/v1/public/games/${gameUid}/files/${file.file_uid}/attestation`
  return (
    <section class="panel stack" aria-labelledby="verify">
      <h2 id="verify">Verify</h2>
      <p>
        This store signed what it knows about the file: <a href={path}>the statement</a>,{' '}
        <a href="/.well-known/playshelf/keys.json">the keys</a>.
      </p>
      <div data-verify={path} data-checksum={file.checksum} class="stack with-script">
        <p>
          <button class="button second" type="button">
            Verify
          </button>
        </p>
        <p role="status" data-verified />
        <ul class="plain-list small" data-statements hidden />
      </div>
      <p>
        Your own copy, with the uploader:{' '}
        <code>
          shelf verify '<bdi>{file.filename.replaceAll("'", '')}</bdi>' --server {baseUrl}
        </code>
      </p>
    </section>
  )
}
