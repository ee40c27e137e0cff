import { NO_ANTIVIRUS } from '../../../domain/builds/files.ts'
import type { BuildDifference, EntryDifference } from '../../../features/builds/comparison/service.ts'
import type { Build } from '../../../features/builds/registry/model.ts'
import type { ScanMoment } from '../../../features/builds/scans/service.ts'
import type { Symbols } from '../../../features/builds/symbols/model.ts'
import type { Page } from '../../../lib/paging.ts'
import { Pager, Table } from '../../components/lists.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import {
  Badge,
  bytesText,
  countText,
  Day,
  Moment,
  otherAppText,
  ScanBadge,
  SYSTEM_LABELS,
} from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { ScanDetail } from './scan.tsx'

interface BuildPageProps extends TabProps {
  build: Build
  history: readonly ScanMoment[]
  symbols: readonly Symbols[]
  difference: BuildDifference | null
  page: Page
}

export function BuildPage({ project, state, build, history, symbols, difference, page }: BuildPageProps) {
  const { visit } = state
  const base = `/studio/${project.listing.vanity_name}/builds`
  const path = `${base}/${build.build_id}`
  return (
    <StudioPage
      {...{ visit, project }}
      tab="builds"
      lead={<a href={base}>All builds</a>}
      notices={{ symbols: 'The symbols are deleted.' }}
      scripts={['live']}
    >
      <FaultSummary form={formOf(state, 'symbols')} />
      <header class="stack" data-events={`${base}/events`}>
        <h2>
          {build.version} for {SYSTEM_LABELS[build.os]} {build.arch}
        </h2>
        <p class="quiet small">
          Registered for {build.channel} on <Day at={build.created_at} />
          {otherAppText(build, ', app ')}
          {build.engine_version === null ? '' : `, engine ${build.engine_version}`}. Build id{' '}
          <code>{build.build_id}</code>
        </p>
        {build.title === '' ? null : <p>{build.title}</p>}
      </header>
      <div class="stack" data-live="files">
        <Files build={build} listing={project.listing.vanity_name} />
        <History history={history} />
      </div>
      <Difference {...{ difference, page }} url={visit.url} />
      <SymbolList symbols={symbols} action={`${path}/symbols`} />
      <DeleteBuild build={build} state={state} action={`${path}/delete`} />
    </StudioPage>
  )
}

function Files({ build, listing }: { build: Build; listing: string }) {
  return (
    <section class="panel stack" aria-labelledby="files-heading">
      <h3 id="files-heading">Files</h3>
      {build.files.length === 0 ? <p class="quiet">This build has no file yet.</p> : null}
      <ul class="records">
        {build.files.map((file) => (
          <li key={file.file_uid}>
            <div>
              <p class="row">
                <a href={`/games/${listing}/files/${file.file_uid}`}>
                  <bdi>{file.filename}</bdi>
                </a>
                <ScanBadge scan={file.scan} engine={file.scan_engine} />
              </p>
              <p class="quiet small">
                {bytesText(file.size)}, uploaded <Day at={file.uploaded_at} />, SHA-256{' '}
                <code>{file.checksum}</code>
              </p>
              <ScanDetail file={file} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function History({ history }: { history: readonly ScanMoment[] }) {
  if (history.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="history-heading">
      <h3 id="history-heading">Scan history</h3>
      <ol class="records small">
        {history.map(({ at, state, engine, detail, filename }) => (
          <li key={at + state + filename}>
            <div>
              <Moment at={at} /> <ScanBadge scan={state} engine={engine} /> <bdi>{filename}</bdi>
              {engine === null || engine === NO_ANTIVIRUS ? null : <p class="quiet">{engine}</p>}
              {detail === null ? null : <p>{detail}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function SymbolList({ symbols, action }: { symbols: readonly Symbols[]; action: string }) {
  return (
    <section class="panel stack" aria-labelledby="symbols-heading">
      <h3 id="symbols-heading">Symbols</h3>
      {symbols.length === 0 ? (
        <p class="quiet">
          None. With symbols the stacks of crashes show functions and lines:{' '}
          <code>shelf symbols game.sym --build …</code>
        </p>
      ) : (
        <ul class="records">
          {symbols.map(({ uid, module, debug_id, filename, size }) => (
            <li key={uid}>
              <div>
                <p>{module}</p>
                <p class="quiet small">
                  <bdi>{filename}</bdi>, {bytesText(size)}, <code>{debug_id}</code>
                </p>
              </div>
              <PostForm action={action} class="">
                <input type="hidden" name="symbol_uid" value={uid} />
                <Submit look="plain">Delete symbols of {module}</Submit>
              </PostForm>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function DeleteBuild({ build, state, action }: { build: Build; state: PageState; action: string }) {
  const form = formOf(state, 'delete')
  return (
    <details class="panel" open={form.faults.length > 0}>
      <summary>Delete this build</summary>
      <PostForm action={action}>
        <FaultSummary form={form} />
        <p>
          Its files, symbols and unfinished uploads are deleted. Channels that point at it go back to the
          build before.
        </p>
        <div class="check">
          <input id="confirm" type="checkbox" name="confirm" value="yes" />
          <label for="confirm">Delete {build.version} for good</label>
        </div>
        <Submit look="danger">Delete build</Submit>
      </PostForm>
    </details>
  )
}

const KINDS = {
  added: { tone: 'good', label: 'Added' },
  removed: { tone: 'bad', label: 'Removed' },
  changed: { tone: 'fair', label: 'Changed' },
} as const

interface DifferenceProps {
  difference: BuildDifference | null
  page: Page
  url: URL
}

/** Which inner files differ from those of the build before. */
function Difference({ difference, page, url }: DifferenceProps) {
  return (
    <section class="panel stack" aria-labelledby="difference-heading">
      <h3 id="difference-heading">
        {difference ? `Difference to ${difference.before.version}` : 'Difference to the build before'}
      </h3>
      {difference ? (
        <Compared {...{ difference, page, url }} />
      ) : (
        <p class="quiet">This is the first build of its platform with a clean file.</p>
      )}
    </section>
  )
}

function Compared({ difference, page, url }: DifferenceProps & { difference: BuildDifference }) {
  const { added, removed, changed, same, rows } = difference
  const total = added + removed + changed
  return (
    <>
      <p>
        {countText(added, 'file')} added, {countText(removed, 'file')} removed, {countText(changed, 'file')}{' '}
        changed, {countText(same, 'file')} the same.
      </p>
      {rows.length === 0 ? null : (
        <Table label="Files that differ" columns={['Path', 'What', 'Before', 'Now']}>
          {rows.map((row) => (
            <Row key={row.path} {...row} />
          ))}
        </Table>
      )}
      <Pager page={page.page} page_size={page.page_size} total={total} url={url} />
    </>
  )
}

function Row({ path, kind, size, sizeBefore }: EntryDifference) {
  const { tone, label } = KINDS[kind]
  return (
    <tr>
      <th scope="row">
        <bdi>{path}</bdi>
      </th>
      <td>
        <Badge tone={tone}>{label}</Badge>
      </td>
      <td>{sizeBefore === null ? '–' : bytesText(sizeBefore)}</td>
      <td>{size === null ? '–' : bytesText(size)}</td>
    </tr>
  )
}
